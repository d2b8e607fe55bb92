// Whole numbers packed into bytes.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace warplens::page {

/// Whole numbers as LEB128, one after another; the script reads them in the order of writing.
class Packed {
 public:
  void number(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  void signed_number(int64_t value) {  // small ones of either sign are short
    number(static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63));
  }
  template <typename Column>
  void numbers(const Column& column) {
    for (const auto value : column) number(static_cast<uint64_t>(value));
  }
  /// Each as the difference to the one before.
  void rising(const std::vector<int64_t>& column) {
    int64_t before = 0;
    for (const int64_t value : column) signed_number(value - before), before = value;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

}  // namespace warplens::page
