// Interned strings: each text is stored once and has a StringId.
#pragma once
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace warplens {

/// Index into the profile's strings; 0 is the empty string, which also means "not given".
enum class StringId : uint32_t { kEmpty = 0 };

class Strings {
 public:
  Strings();
  StringId intern(std::string_view text);
  /// The id of `text` if it was interned, else kEmpty.
  StringId find(std::string_view text) const;
  std::string_view operator[](StringId id) const { return texts_[static_cast<uint32_t>(id)]; }
  size_t size() const { return texts_.size(); }
  /// Replaces texts that are not printable() by a printable form, and shortens those of more than kLongestName bytes,
  /// which it counts. Texts that begin as JSON stay JSON.
  static constexpr size_t kLongestName = size_t{64} << 10;
  size_t make_printable();
  /// Adds texts that outlive this object (a mapped file), in id order after those already there, without copying.
  void adopt(const std::vector<std::string_view>& texts);

 private:
  std::string_view keep(std::string_view text);
  void rehash(size_t slots);
  size_t slot_of(std::string_view text) const;

  std::vector<std::string_view> texts_;
  std::vector<uint32_t> slots_;  // open addressing; id + 1, 0 is free
  std::vector<std::unique_ptr<char[]>> arena_;
  char* free_ = nullptr;
  size_t free_bytes_ = 0;
};

}  // namespace warplens
