#include "warplens/trace/readers/perfetto/annotations.h"

#include "warplens/base/json.h"
#include "warplens/base/printable.h"
#include "warplens/base/protobuf.h"
#include "warplens/base/text.h"
#include "warplens/trace/events/perfetto_fields.h"

namespace warplens::perfetto {
namespace {

using protobuf::Field;
using protobuf::Message;
using protobuf::Wire;

constexpr int kDeepest = 64;

std::string_view text_of(const Texts& texts, uint64_t number) {
  const auto found = texts.find(number);
  return found == texts.end() ? std::string_view() : found->second;
}

std::string quoted(std::string_view text) { return json::quoted(printable(text)); }
std::string real(double value) { return json::Writer().value(value).take(); }

/// Old annotations: a dictionary's keys stand beside its values.
std::string nested(std::string_view bytes, int depth) {
  if (depth > kDeepest) return "";
  std::string out, scalar;
  std::vector<std::string_view> keys;
  std::vector<std::string> values;
  bool is_list = false;
  Message fields(bytes);
  for (Field field; fields.next(&field);) {
    const bool is_bytes = field.wire == Wire::kBytes, is_number = field.wire == Wire::kVarint;
    if (field.number == kNestedKeys && is_bytes) keys.push_back(field.bytes);
    if (field.number == kNestedType && is_number) is_list = field.value == 2;
    if ((field.number == kNestedValues || field.number == kNestedItems) && is_bytes)
      values.push_back(nested(field.bytes, depth + 1));
    if (field.number == kNestedInt && is_number) scalar = fmt::format("{}", static_cast<int64_t>(field.value));
    if (field.number == kNestedDouble && field.wire == Wire::kFixed64) scalar = real(field.as_double());
    if (field.number == kNestedBool && is_number) scalar = field.value != 0 ? "true" : "false";
    if (field.number == kNestedText && is_bytes) scalar = quoted(field.bytes);
  }
  if (values.empty() && keys.empty()) return is_list ? "[]" : scalar;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i].empty()) continue;
    out += out.empty() ? "" : ", ";
    if (!keys.empty()) out += quoted(i < keys.size() ? keys[i] : std::string_view()) + ": ";
    out += values[i];
  }
  return keys.empty() ? "[" + out + "]" : "{" + out + "}";
}

Annotation read(std::string_view bytes, const AnnotationTexts& texts, Growth& growth, int depth) {
  Annotation out;
  std::string entries, items;
  bool is_object = false, is_list = false;
  Message fields(bytes);
  for (Field field; fields.next(&field);) {
    const bool is_bytes = field.wire == Wire::kBytes, is_number = field.wire == Wire::kVarint;
    const auto shared = [&](const Texts& of) {
      const std::string_view text = text_of(of, field.value);
      return growth.takes(text.size()) ? text : std::string_view();
    };
    switch (field.number) {
      case kAnnotationNameIid: out.name = shared(texts.names); break;
      case kAnnotationName: out.name = field.bytes; break;
      case kBool: out.json = field.value != 0 ? "true" : "false"; break;
      case kUnsigned:
      case kPointer: out.json = fmt::format("{}", field.value); break;
      case kSigned: out.json = fmt::format("{}", static_cast<int64_t>(field.value)); break;
      case kDouble:
        if (field.wire == Wire::kFixed64) out.json = real(field.as_double());
        break;
      case kText: out.json = quoted(field.bytes); break;
      case kTextIid:
        if (is_number) out.json = quoted(shared(texts.values));
        break;
      case kJson: out.json = json::parse(field.bytes).ok() ? std::string(field.bytes) : quoted(field.bytes); break;
      case kNested:
        if (is_bytes) out.json = nested(field.bytes, depth);
        break;
      case kEntries:
      case kItems: {
        if (!is_bytes || depth >= kDeepest) break;
        const Annotation inner = read(field.bytes, texts, growth, depth + 1);
        is_object |= field.number == kEntries;
        is_list |= field.number == kItems;
        if (inner.json.empty()) break;
        if (field.number == kEntries) entries += (entries.empty() ? "" : ", ") + quoted(inner.name) + ": " + inner.json;
        else items += (items.empty() ? "" : ", ") + inner.json;
        break;
      }
      default: break;
    }
  }
  if (is_object) out.json = "{" + entries + "}";
  else if (is_list) out.json = "[" + items + "]";
  return out;
}

}  // namespace

Annotation read_annotation(std::string_view bytes, const AnnotationTexts& texts, Growth& growth) {
  return read(bytes, texts, growth, 0);
}

}  // namespace warplens::perfetto
