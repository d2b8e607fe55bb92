// Protocol Buffers' wire format, for messages from untrusted sources. A claimed size never causes an allocation.
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
  /// The next field. False at the end and at damage: a length beyond the message, a number without an end, or an
  /// unknown kind of field.
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
