#include "warplens/base/growth.h"
#include "warplens/base/text.h"
#include "warplens/trace/pickle/pickle.h"

namespace warplens::pickle {
namespace {

constexpr int kDeepest = 100;

struct Writer {
  const Document& document;
  uint64_t left_bytes;

  /// Counts what the JSON takes.
  Status take(uint64_t bytes) {
    if (bytes > left_bytes) {
      return invalid_input(
          fmt::format("the pickle repeats itself: its values would take more than {} times as much memory as the file",
                      kMostGrowth));
    }
    left_bytes -= bytes;
    return {};
  }

  Status write(const Value& value, int depth, json::Value& out) {
    if (depth > kDeepest) return invalid_input("the pickle's lists are nested more than 100 deep");
    WL_TRY(take(sizeof out));
    switch (value.kind) {
      case Kind::kNone: return {};
      case Kind::kFlag: out.data = value.whole != 0; return {};
      case Kind::kWhole: out.data = value.whole; return {};
      case Kind::kReal: out.data = value.real; return {};
      case Kind::kText: return write_text(value, out);
      case Kind::kList: return write_list(value, depth, out);
      case Kind::kDict: break;
    }
    json::Value::Object object;
    const auto entries = document.entries(value);
    for (size_t i = 0; i + 1 < entries.size(); i += 2) {
      json::Value member;
      WL_TRY(write(entries[i + 1], depth + 1, member));
      WL_TRY(take(sizeof(std::string) + document.text(entries[i]).size()));
      object.emplace_back(key_text(entries[i]), std::move(member));
    }
    out.data = std::move(object);
    return {};
  }

  Status write_text(const Value& value, json::Value& out) {
    const std::string_view text = document.text(value);
    WL_TRY(take(text.size()));
    out.data = repair_utf8(text);
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

Result<json::Value> to_json(const Document& document, uint64_t most_bytes) {
  json::Value out;
  WL_TRY(Writer({document, most_bytes}).write(document.root(), 0, out));
  return out;
}

}  // namespace warplens::pickle
