// Protocol Buffers' wire format, written: fields appended to a string.
#pragma once
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "warplens/base/protobuf.h"

namespace warplens::protobuf {

inline void put_varint(std::string& out, uint64_t value) {
  for (; value > 0x7f; value >>= 7) out += static_cast<char>((value & 0x7f) | 0x80);
  out += static_cast<char>(value);
}

inline void put_key(std::string& out, uint32_t field, Wire wire) {
  put_varint(out, uint64_t{field} << 3 | static_cast<uint64_t>(wire));
}

inline void put(std::string& out, uint32_t field, uint64_t value) {
  put_key(out, field, Wire::kVarint);
  put_varint(out, value);
}

inline void put(std::string& out, uint32_t field, std::string_view bytes) {
  put_key(out, field, Wire::kBytes);
  put_varint(out, bytes.size());
  out += bytes;
}

inline void put_fixed64(std::string& out, uint32_t field, uint64_t value) {
  put_key(out, field, Wire::kFixed64);
  for (int byte = 0; byte < 8; ++byte) out += static_cast<char>(value >> (8 * byte));
}

inline void put_double(std::string& out, uint32_t field, double value) {
  put_fixed64(out, field, std::bit_cast<uint64_t>(value));
}

}  // namespace warplens::protobuf
