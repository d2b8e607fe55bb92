// Writes text into given memory, without allocating. Text that does not fit makes the whole unusable.
#pragma once
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <system_error>

namespace warplens::collect {

class BoundedText {
 public:
  BoundedText(char* begin, char* end) : begin_(begin), at_(begin), end_(end) {}

  void put(char c) {
    if (at_ == end_) full_ = true;
    else *at_++ = c;
  }
  void put(std::string_view text) {
    if (text.size() > static_cast<size_t>(end_ - at_)) {
      full_ = true;
      return;
    }
    std::memcpy(at_, text.data(), text.size());
    at_ += text.size();
  }
  void number(int64_t value) {
    const auto [next, error] = std::to_chars(at_, end_, value);
    if (error != std::errc()) full_ = true;
    else at_ = next;
  }
  /// Before every item of a list but the first.
  void separate(size_t item) {
    if (item > 0) put(", ");
  }
  /// 0 when it did not fit.
  size_t bytes() const { return full_ ? 0 : static_cast<size_t>(at_ - begin_); }

 private:
  char *begin_, *at_, *end_;
  bool full_ = false;
};

}  // namespace warplens::collect
