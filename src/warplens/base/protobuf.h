// Protocol Buffers' wire format: fields of a message that anyone may have made. Nothing is allocated by what it claims.
#pragma once
#include <bit>
#include <cstdint>
#include <string_view>

namespace warplens::protobuf {

enum class Wire : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

struct Field {
  uint32_t number = 0;
  Wire wire = Wire::kVarint;
  uint64_t value = 0;      // of all but kBytes
  std::string_view bytes;  // of kBytes: a text, a message or packed numbers
  double as_double() const { return std::bit_cast<double>(value); }
  float as_float() const { return std::bit_cast<float>(static_cast<uint32_t>(value)); }
};

class Message {
 public:
  explicit Message(std::string_view bytes) : rest_(bytes) {}
  /// The next field; false at the end, and where the message is damaged: a length reaches beyond it, a number does not
  /// end, or a kind of field is none.
  bool next(Field* field);
  bool damaged() const { return damaged_; }

 private:
  bool varint(uint64_t* value);
  bool fixed(size_t size, uint64_t* value);
  std::string_view rest_;
  bool damaged_ = false;
};

/// The first field of this number, or an empty one.
Field find(std::string_view message, uint32_t number);

}  // namespace warplens::protobuf
