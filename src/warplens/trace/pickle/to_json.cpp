#include "warplens/base/text.h"
#include "warplens/trace/pickle/pickle.h"

namespace warplens::pickle {
namespace {

constexpr int kDeepest = 100;

struct Writer {
  const Document& document;
  size_t left;

  Status write(const Value& value, int depth, json::Value& out) {
    if (depth > kDeepest) return invalid_input("the pickle's lists are nested more than 100 deep");
    if (left-- == 0) return invalid_input("the pickle has far more values than bytes: it repeats itself");
    switch (value.kind) {
      case Kind::kNone: return {};
      case Kind::kFlag: out.data = value.whole != 0; return {};
      case Kind::kWhole: out.data = value.whole; return {};
      case Kind::kReal: out.data = value.real; return {};
      case Kind::kText: out.data = repair_utf8(document.text(value)); return {};
      case Kind::kList: return write_list(value, depth, out);
      case Kind::kDict: break;
    }
    json::Value::Object object;
    const auto entries = document.entries(value);
    for (size_t i = 0; i + 1 < entries.size(); i += 2) {
      json::Value member;
      WL_TRY(write(entries[i + 1], depth + 1, member));
      object.emplace_back(key_text(entries[i]), std::move(member));
    }
    out.data = std::move(object);
    return {};
  }

  Status write_list(const Value& value, int depth, json::Value& out) {
    json::Value::Array array;
    for (const Value& item : document.list(value)) WL_TRY(write(item, depth + 1, array.emplace_back()));
    out.data = std::move(array);
    return {};
  }

  std::string key_text(const Value& key) const {
    if (key.kind == Kind::kText) return repair_utf8(document.text(key));
    return key.kind == Kind::kReal ? fmt::format("{}", key.real) : fmt::format("{}", key.whole);
  }
};

}  // namespace

Result<json::Value> to_json(const Document& document, size_t most_values) {
  json::Value out;
  WL_TRY(Writer({document, most_values}).write(document.root(), 0, out));
  return out;
}

}  // namespace warplens::pickle
