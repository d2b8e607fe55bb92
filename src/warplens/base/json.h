// JSON: a small value tree read through simdjson, and a streaming writer. Traces have their own streaming reader.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "warplens/base/status.h"

namespace warplens::json {

/// A parsed JSON value. Objects keep their order.
struct Value {
  using Array = std::vector<Value>;
  struct Member;
  using Object = std::vector<Member>;
  std::variant<std::monostate, bool, int64_t, uint64_t, double, std::string, Array, Object> data;

  bool is_null() const { return data.index() == 0; }
  const bool* boolean() const { return std::get_if<bool>(&data); }
  const std::string* string() const { return std::get_if<std::string>(&data); }
  const Array* array() const { return std::get_if<Array>(&data); }
  const Object* object() const { return std::get_if<Object>(&data); }
  /// Any number as a double or a signed integer (doubles only when whole).
  std::optional<double> number() const;
  std::optional<int64_t> integer() const;
  /// The member `key` of an object, or nullptr.
  const Value* find(std::string_view key) const;
};

/// One member of an object: its key and its value.
struct Value::Member {
  Member(std::string key, Value value) : first(std::move(key)), second(std::move(value)) {}
  std::string first;
  Value second;
};

/// The error names the line and column of the first mistake, and the token that was expected there.
Result<Value> parse(std::string_view text);

/// `text` with quotes around it and escapes inside.
std::string quoted(std::string_view text);

/// Writes JSON text piece by piece, with its commas and indentation.
class Writer {
 public:
  explicit Writer(bool pretty = false) : pretty_(pretty) {}
  Writer& begin_object();
  Writer& end_object();
  Writer& begin_array();
  Writer& end_array();
  Writer& key(std::string_view name);
  Writer& value(std::string_view text);
  Writer& value(const char* text) { return value(std::string_view(text)); }
  Writer& value(bool flag);
  Writer& value(double number);  // shortest form that reads back equal; NaN and infinities become null
  Writer& value(int64_t number);
  Writer& value(uint64_t number);
  Writer& value(int number) { return value(static_cast<int64_t>(number)); }
  Writer& null();
  Writer& raw(std::string_view json);  // already JSON
  template <typename T>
  Writer& member(std::string_view name, const T& v) {
    return key(name).value(v);
  }
  /// An array of all of `values`.
  template <typename Values>
  Writer& list(std::string_view name, const Values& values) {
    key(name).begin_array();
    for (const auto& each : values) {
      using T = std::decay_t<decltype(each)>;
      if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
        value(std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>{each});
      else value(each);
    }
    return end_array();
  }
  const std::string& text() const { return text_; }
  std::string take() { return std::move(text_); }

 private:
  void separate();
  void newline();
  std::string text_;
  bool pretty_, after_key_ = false, first_ = true;
  int depth_ = 0;
};

}  // namespace warplens::json
