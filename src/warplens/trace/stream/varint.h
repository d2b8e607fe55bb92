// Variable-length numbers: 7 bits a byte, the lowest first; zigzag for signed ones.
#pragma once
#include <bit>
#include <cstdint>
#include <string_view>

namespace warplens::stream {

inline constexpr size_t kMaxVarintBytes = 10;

inline uint64_t zigzag(int64_t value) {
  return (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
}
inline int64_t unzigzag(uint64_t value) { return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1); }

/// Writes `value` at `to`, which has room for kMaxVarintBytes, and returns the end of it.
inline uint8_t* put_varint(uint8_t* to, uint64_t value) {
  while (value >= 0x80) {
    *to++ = static_cast<uint8_t>(value | 0x80);
    value >>= 7;
  }
  *to++ = static_cast<uint8_t>(value);
  return to;
}

/// Reads numbers one after another; once the input ends or makes no sense all further ones are 0 and ok() is false.
class VarintReader {
 public:
  explicit VarintReader(std::string_view bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}
  bool ok() const { return ok_; }
  bool at_end() const { return at_ == end_ || !ok_; }

  uint8_t byte() {
    if (at_ == end_) {
      ok_ = false;
      return 0;
    }
    return static_cast<uint8_t>(*at_++);
  }
  uint64_t number() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const uint8_t next = byte();
      value |= static_cast<uint64_t>(next & 0x7f) << shift;
      if (next < 0x80) return ok_ ? value : 0;
    }
    ok_ = false;
    return 0;
  }
  int64_t signed_number() { return unzigzag(number()); }
  std::string_view text() {
    const uint64_t size = number();
    if (size > static_cast<uint64_t>(end_ - at_)) {
      ok_ = false;
      return std::string_view();
    }
    const std::string_view found(at_, size);
    at_ += size;
    return found;
  }

 private:
  const char* at_;
  const char* end_;
  bool ok_ = true;
};

}  // namespace warplens::stream
