// Changes Protocol Buffers as trees, so that lengths around a change stay right. Plain changes of bytes rarely get past
// the outermost length.
#pragma once
#include <array>
#include <iterator>
#include <random>
#include <vector>

#include "mutate.h"

namespace fuzz {

class ProtobufMutator {
 public:
  ProtobufMutator(std::string_view bytes, unsigned seed) : random_(seed), fields_(parsed(bytes, 0)), bytes_(bytes) {}

  std::string mutated() {
    if (fields_.empty()) return std::string(bytes_);
    for (uint32_t changes = 1 + pick(4); changes > 0; --changes) change(*any_list(fields_));
    return text_of(fields_);
  }

 private:
  enum Wire : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };
  struct Field {
    uint64_t number = 0;
    Wire wire = kVarint;
    uint64_t value = 0;         // of a varint
    std::string bytes;          // of the others
    std::vector<Field> fields;  // of a message within
  };
  using Fields = std::vector<Field>;
  static constexpr int kDeepest = 8;
  static constexpr auto kNumbers = std::to_array<uint64_t>(
      {0, 1, 2, 3, 127, 128, 255, 65535, 1u << 20, INT32_MAX, UINT32_MAX, uint64_t{1} << 53, INT64_MAX, UINT64_MAX});

  size_t pick(size_t below) { return below ? random_() % below : 0; }

  static bool take_varint(std::string_view& from, uint64_t& value) {
    value = 0;
    for (int shift = 0; shift < 64 && !from.empty(); shift += 7) {
      const auto byte = static_cast<uint8_t>(from.front());
      from.remove_prefix(1);
      value |= uint64_t{byte & 127u} << shift;
      if (byte < 128) return true;
    }
    return false;
  }

  /// Empty if the bytes are not a message.
  static Fields parsed(std::string_view from, int depth) {
    Fields out;
    while (!from.empty()) {
      uint64_t key = 0;
      Field field;
      if (!take_varint(from, key) || key >> 3 == 0) return {};
      field.number = key >> 3;
      field.wire = static_cast<Wire>(key & 7);
      uint64_t size = field.wire == kFixed64 ? 8 : 4;
      if (field.wire == kVarint ? !take_varint(from, field.value)
                                : field.wire != kFixed64 && field.wire != kFixed32 && field.wire != kBytes)
        return {};
      if (field.wire == kBytes && !take_varint(from, size)) return {};
      if (field.wire != kVarint) {
        if (size > from.size()) return {};
        field.bytes = from.substr(0, size);
        from.remove_prefix(size);
        if (field.wire == kBytes && depth < kDeepest) field.fields = parsed(field.bytes, depth + 1);
      }
      out.push_back(std::move(field));
    }
    return out;
  }

  static void put_varint(std::string& to, uint64_t value) {
    for (; value >= 128; value >>= 7) to.push_back(static_cast<char>(value | 128));
    to.push_back(static_cast<char>(value));
  }

  static std::string text_of(const Fields& fields) {
    std::string out;
    for (const Field& field : fields) {
      put_varint(out, field.number << 3 | field.wire);
      if (field.wire == kVarint) {
        put_varint(out, field.value);
        continue;
      }
      const std::string content = field.fields.empty() ? field.bytes : text_of(field.fields);
      if (field.wire == kBytes) put_varint(out, content.size());
      out += content;
    }
    return out;
  }

  Fields* any_list(Fields& fields) {
    Fields* at = &fields;
    while (pick(8)) {
      std::vector<Fields*> inner;
      for (Field& field : *at)
        if (!field.fields.empty()) inner.push_back(&field.fields);
      if (inner.empty()) break;
      at = inner[pick(inner.size())];
    }
    return at;
  }

  void change(Fields& list) {
    if (list.empty()) return;
    Field& field = list[pick(list.size())];
    switch (pick(8)) {
      case 0: list.insert(std::next(list.begin(), static_cast<int>(pick(list.size() + 1))), Field(field)); return;
      case 1: list.erase(list.begin() + (&field - list.data())); return;
      case 2: std::swap(field, list[pick(list.size())]); return;
      case 3: field.number = 1 + pick(16); return;
      case 4: list.push_back(elsewhere()); return;
      default: change_value(field); return;
    }
  }

  /// A field of another message.
  Field elsewhere() {
    const Fields& list = *any_list(fields_);
    return list.empty() ? Field{.number = 1} : list[pick(list.size())];
  }

  void change_value(Field& field) {
    if (field.wire == kVarint) {
      field.value = pick(3) ? kNumbers[pick(kNumbers.size())] : field.value + pick(5) - 2;
      return;
    }
    field.fields.clear();
    const size_t size = field.bytes.size();
    field.bytes.resize(field.wire == kBytes ? size + 16 : size);
    const size_t changed = LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(field.bytes.data()), size, field.bytes.size());
    if (field.wire == kBytes) field.bytes.resize(changed);
  }

  std::mt19937 random_;
  Fields fields_;
  std::string_view bytes_;
};

}  // namespace fuzz
