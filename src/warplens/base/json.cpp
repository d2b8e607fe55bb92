#include "warplens/base/json.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cmath>

#include "warplens/base/json_fault.h"
#include "warplens/base/json_quoted.h"
#include "warplens/base/text.h"

namespace warplens::json {
namespace {

Value convert(simdjson::dom::element element) {
  using simdjson::dom::element_type;
  switch (element.type()) {
    case element_type::ARRAY: {
      Value::Array array;
      for (simdjson::dom::element item : simdjson::dom::array(element)) array.push_back(convert(item));
      return {std::move(array)};
    }
    case element_type::OBJECT: {
      Value::Object object;
      for (const auto& field : simdjson::dom::object(element))
        object.emplace_back(std::string(field.key), convert(field.value));
      return {std::move(object)};
    }
    case element_type::INT64: return {int64_t(element)};
    case element_type::UINT64: return {uint64_t(element)};
    case element_type::DOUBLE: return {double(element)};
    case element_type::STRING: return {std::string(std::string_view(element))};
    case element_type::BOOL: return {bool(element)};
    case element_type::NULL_VALUE: break;
  }
  return {};
}

}  // namespace

std::optional<double> Value::number() const {
  if (const auto* d = std::get_if<double>(&data)) return *d;
  if (const auto* i = std::get_if<int64_t>(&data)) return static_cast<double>(*i);
  if (const auto* u = std::get_if<uint64_t>(&data)) return static_cast<double>(*u);
  return std::nullopt;
}

std::optional<int64_t> Value::integer() const {
  if (const auto* i = std::get_if<int64_t>(&data)) return *i;
  if (const auto* u = std::get_if<uint64_t>(&data)) return static_cast<int64_t>(*u);
  if (const auto* d = std::get_if<double>(&data); d && *d == std::floor(*d) && std::fabs(*d) < 9e18)
    return static_cast<int64_t>(*d);
  return std::nullopt;
}

const Value* Value::find(std::string_view key) const {
  if (const Object* members = object()) {
    for (const auto& [name, value] : *members) {
      if (name == key) return &value;
    }
  }
  return nullptr;
}

Result<Value> parse(std::string_view text) {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  // simdjson copies from data(), which may be null for an empty text.
  const simdjson::error_code error = text.empty() ? simdjson::EMPTY : parser.parse(text.data(), text.size()).get(root);
  if (error) {
    const auto fault = find_fault(text);
    if (!fault) return invalid_input(fmt::format("not valid JSON: {}", simdjson::error_message(error)));
    return invalid_input(fmt::format("not valid JSON: {}{}: {} is expected", line_and_column(text, fault->offset),
                                     fault->offset == text.size() ? ", where it ends" : "", fault->wanted));
  }
  return convert(root);
}

std::string quoted(std::string_view text) {
  // Names come from files; bytes that are no UTF-8 would make the whole document no JSON.
  const bool ascii = std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  return ascii || is_utf8(text) ? quoted_utf8(text) : quoted_utf8(repair_utf8(text));
}

void Writer::newline() {
  if (!pretty_) return;
  text_ += '\n';
  text_.append(static_cast<size_t>(depth_) * 2, ' ');
}

void Writer::separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (!first_) text_ += ',';
  if (depth_ > 0) newline();
  first_ = false;
}

Writer& Writer::begin_object() {
  separate();
  text_ += '{';
  ++depth_;
  first_ = true;
  return *this;
}
Writer& Writer::begin_array() {
  separate();
  text_ += '[';
  ++depth_;
  first_ = true;
  return *this;
}
Writer& Writer::end_object() {
  --depth_;
  if (!first_) newline();
  text_ += '}';
  first_ = false;
  return *this;
}
Writer& Writer::end_array() {
  --depth_;
  if (!first_) newline();
  text_ += ']';
  first_ = false;
  return *this;
}

Writer& Writer::key(std::string_view name) {
  separate();
  text_ += quoted(name);
  text_ += pretty_ ? ": " : ":";
  after_key_ = true;
  return *this;
}

Writer& Writer::raw(std::string_view json) {
  separate();
  text_ += json;
  return *this;
}
Writer& Writer::value(std::string_view text) { return raw(quoted(text)); }
Writer& Writer::value(bool flag) { return raw(flag ? "true" : "false"); }
Writer& Writer::value(double number) { return std::isfinite(number) ? raw(fmt::format("{}", number)) : null(); }
Writer& Writer::value(int64_t number) { return raw(fmt::format("{}", number)); }
Writer& Writer::value(uint64_t number) { return raw(fmt::format("{}", number)); }
Writer& Writer::null() { return raw("null"); }

}  // namespace warplens::json
