// Pickles of plain data, read without running anything. A pickle is a program, and this machine has no instruction that
// imports, calls or makes an object. Such instructions are refused by name.
#pragma once
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/base/json.h"
#include "warplens/base/status.h"

namespace warplens::pickle {

enum class Kind : uint8_t { kNone, kFlag, kWhole, kReal, kText, kList, kDict };

/// A value, or a reference to one that others refer to as well: pickles share, and may hold a list within itself.
struct Value {
  Kind kind = Kind::kNone;
  int64_t whole = 0;  // a number, a flag, or the place of its target
  double real = 0;

  bool operator==(const Value&) const = default;
};

/// Everything that a pickle holds. Tuples and sets are lists; bytes are texts. Texts refer to the bytes that were read.
class Document {
 public:
  const Value& root() const { return root_; }
  /// "" if it is not a text.
  std::string_view text(const Value& value) const;
  /// Nothing if it is not a list.
  std::span<const Value> list(const Value& value) const;
  /// Keys and values alternate; nothing if it is not a dictionary.
  std::span<const Value> entries(const Value& value) const;
  /// The value of a text key; None if there is none.
  Value find(const Value& dictionary, std::string_view key) const;
  /// The number, or `otherwise` if it is not one.
  int64_t whole(const Value& dictionary, std::string_view key, int64_t otherwise = 0) const;
  std::string_view text(const Value& dictionary, std::string_view key) const { return text(find(dictionary, key)); }
  std::span<const Value> list(const Value& dictionary, std::string_view key) const {
    return list(find(dictionary, key));
  }

 private:
  friend class Machine;
  Value root_;
  std::vector<std::string_view> texts_;
  std::vector<std::vector<Value>> lists_;  // of dictionaries too
};

/// Protocols 0 to 5, as far as plain data need them. `bytes` must outlive the document. Memory stays within a small
/// multiple of them. Errors name the byte and its content: an instruction that would run code, a cut, damage.
Result<Document> read(std::string_view bytes);

/// The document as JSON, shared values written out; keys that are not texts become texts. An error where that takes
/// more than `most_bytes` of memory, or has lists deeper than people write them.
Result<json::Value> to_json(const Document& document, uint64_t most_bytes);

/// Whether bytes begin as a pickle of protocol 2 or later does.
bool sniff(std::string_view head);

}  // namespace warplens::pickle
