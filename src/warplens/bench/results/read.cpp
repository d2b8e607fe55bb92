#include "warplens/base/json.h"
#include "warplens/base/schema.h"
#include "warplens/base/text.h"
#include "warplens/bench/results/fields.h"

namespace warplens::bench {
namespace {

/// Fills members that are there; one of the wrong type is the error, and its path is kept. A null number stays 0.
class FieldReader {
 public:
  FieldReader(const json::Value& object, std::string path) : object_(object), path_(std::move(path)) {}

  template <typename T>
  void operator()(const char* name, T& value) {
    if (!error_.empty()) return;
    const json::Value* member = object_.find(name);
    if (member != nullptr && !member->is_null() && !read(*member, path_ + name, value) && error_.empty())
      error_ = fmt::format("'{}{}' is of the wrong type", path_, name);
  }
  void units_of(const std::map<std::string, double>&) {}
  const std::string& error() const { return error_; }

 private:
  bool read(const json::Value& v, const std::string&, double& out) {
    const auto number = v.number();
    if (number) out = *number;
    return number.has_value();
  }
  bool read(const json::Value& v, const std::string&, int64_t& out) {
    const auto number = v.integer();
    if (number) out = *number;
    return number.has_value();
  }
  bool read(const json::Value& v, const std::string&, bool& out) {
    if (v.boolean()) out = *v.boolean();
    return v.boolean() != nullptr;
  }
  bool read(const json::Value& v, const std::string&, std::string& out) {
    if (v.string()) out = *v.string();
    return v.string() != nullptr;
  }
  template <typename T>
  bool read(const json::Value& v, const std::string& path, std::vector<T>& out) {
    if (!v.array()) return false;
    for (const json::Value& item : *v.array()) {
      out.emplace_back();
      if (!read(item, fmt::format("{}[{}]", path, out.size() - 1), out.back())) return false;
    }
    return true;
  }
  bool read(const json::Value& v, const std::string& path, std::vector<std::pair<std::string, std::string>>& out) {
    if (!v.object()) return false;
    for (const auto& [key, item] : *v.object()) {
      out.emplace_back(key, std::string());
      if (!read(item, path + "." + key, out.back().second)) return false;
    }
    return true;
  }
  template <typename T>
  bool read(const json::Value& v, const std::string& path, std::map<std::string, T>& out) {
    if (!v.object()) return false;
    for (const auto& [key, item] : *v.object()) {
      if (!read(item, path + "." + key, out[key])) return false;
    }
    return true;
  }
  template <typename T>
  bool read(const json::Value& v, const std::string& path, T& out)
    requires requires(FieldReader& r) { visit_fields(r, out); }
  {
    if (!v.object()) return false;
    FieldReader inner(v, path + ".");
    visit_fields(inner, out);
    error_ = inner.error();
    return error_.empty();
  }

  const json::Value& object_;
  std::string path_, error_;
};

}  // namespace

Result<Results> parse_results(std::string_view text) {
  WL_ASSIGN(const json::Value root, json::parse(text));
  const json::Value* kind = root.find("kind");
  const json::Value* version = root.find("schema_version");
  if (kind == nullptr || !kind->string() || *kind->string() != "warplens-bench")
    return invalid_input("not benchmark results; warplens bench FILE.cu -o results.json writes them");
  const auto number = version == nullptr ? std::nullopt : version->integer();
  if (!number || *number < 1 || *number > kSchemaVersion)
    return invalid_input(fmt::format("schema_version is {}; this program reads up to {}",
                                     number ? fmt::format("{}", *number) : "missing", kSchemaVersion));
  Results out;
  FieldReader fields(root, "");
  visit_fields(fields, out);
  if (!fields.error().empty()) return invalid_input(fields.error());
  return out;
}

}  // namespace warplens::bench
