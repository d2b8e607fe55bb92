#include "warplens/base/protobuf.h"

#include <cstring>

namespace warplens::protobuf {

bool Message::varint(uint64_t* value) {
  *value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (rest_.empty()) break;
    const auto byte = static_cast<uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    *value |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return true;
  }
  damaged_ = true;
  return false;
}

bool Message::fixed(size_t size, uint64_t* value) {
  if (rest_.size() < size) {
    damaged_ = true;
    return false;
  }
  *value = 0;
  std::memcpy(value, rest_.data(), size);
  rest_.remove_prefix(size);
  return true;
}

bool Message::next(Field* field) {
  uint64_t key = 0;
  if (damaged_ || rest_.empty() || !varint(&key)) return false;
  *field = {.number = static_cast<uint32_t>(key >> 3), .wire = static_cast<Wire>(key & 7)};
  switch (field->wire) {
    case Wire::kVarint: return varint(&field->value);
    case Wire::kFixed64: return fixed(8, &field->value);
    case Wire::kFixed32: return fixed(4, &field->value);
    case Wire::kBytes: {
      uint64_t size = 0;
      if (!varint(&size)) return false;
      if (size > rest_.size()) break;
      field->bytes = rest_.substr(0, size);
      rest_.remove_prefix(size);
      return true;
    }
  }
  damaged_ = true;
  return false;
}

Field find(std::string_view message, uint32_t number) {
  Message fields(message);
  for (Field field; fields.next(&field);) {
    if (field.number == number) return field;
  }
  return {};
}

}  // namespace warplens::protobuf
