#include "warplens/bench/suite/family.h"

#include <algorithm>
#include <filesystem>

#include "warplens/base/files.h"
#include "warplens/base/installed.h"
#include "warplens/base/text.h"
#include "warplens/launch/contents.h"
#include "warplens/launch/fields.h"

namespace warplens::bench {
namespace {

namespace fs = std::filesystem;
using launch::Fields;

Result<Point> parse_point(const json::Value& value, const std::string& place) {
  if (value.object() == nullptr) return invalid_input(place + ": must be an object of axes and their values");
  Point point;
  for (const auto& [axis, item] : *value.object()) {
    if (const auto number = item.integer()) point.emplace_back(axis, fmt::format("{}", *number));
    else if (item.string()) point.emplace_back(axis, *item.string());
    else return invalid_input(fmt::format("{}.{}: must be a whole number or a text", place, axis));
  }
  return point;
}

Status parse_points(Fields& fields, std::string_view key, std::vector<Point>& out) {
  const json::Value* value = fields.take(key);
  if (value == nullptr || value->array() == nullptr || value->array()->empty())
    return invalid_input(fields.at(key) + ": must be a list of sizes");
  for (const json::Value& item : *value->array()) {
    WL_ASSIGN(Point point, parse_point(item, fmt::format("{}[{}]", fields.at(key), out.size())));
    out.push_back(std::move(point));
  }
  return {};
}

void parse_texts(const json::Value* list, std::vector<std::string>& out) {
  if (list == nullptr || list->array() == nullptr) return;
  for (const json::Value& each : *list->array()) {
    if (each.string()) out.push_back(*each.string());
  }
}

/// The members of a step that make a launch file, the family's buffers first.
Status parse_launch_file(Fields& fields, const json::Value* buffers, json::Value& out) {
  json::Value::Object file;
  json::Value::Object all = buffers && buffers->object() ? *buffers->object() : json::Value::Object();
  if (const json::Value* own = fields.take("buffers")) {
    if (own->object() == nullptr) return invalid_input(fields.at("buffers") + ": must be an object");
    for (const auto& [name, value] : *own->object()) {
      std::erase_if(all, [&](const auto& member) { return member.first == name; });
      all.emplace_back(name, value);
    }
  }
  file.emplace_back("buffers", json::Value{std::move(all)});
  for (const char* key : {"source", "arch", "options", "compiler", "kernel", "symbols", "launches"}) {
    if (const json::Value* value = fields.take(key)) file.emplace_back(key, *value);
  }
  out = json::Value{std::move(file)};
  return {};
}

Result<Step> parse_step(const json::Value& value, const std::string& place, const json::Value* buffers) {
  WL_ASSIGN(Fields fields, Fields::of(value, place));
  Step step;
  WL_TRY(fields.text("name", step.name));
  WL_TRY(fields.text("title", step.title));
  WL_TRY(fields.text("finding", step.finding));
  WL_TRY(fields.text("lesson", step.lesson));
  parse_texts(fields.take("needs"), step.needs);
  WL_TRY(parse_launch_file(fields, buffers, step.launch_file));
  WL_TRY(fields.done());
  if (step.name.empty()) return invalid_input(place + ".name: is missing");
  return step;
}

Result<Family> parse_family(std::string_view text) {
  WL_ASSIGN(const json::Value value, json::parse(text));
  WL_ASSIGN(Fields fields, Fields::of(value, ""));
  Family out;
  WL_TRY(fields.text("title", out.title));
  WL_TRY(fields.text("bound", out.bound));
  WL_TRY(fields.text("size", out.size_axis));
  WL_TRY(fields.text("bytes", out.bytes));
  WL_TRY(fields.text("flops", out.flops));
  WL_TRY(fields.number("tolerance", out.tolerance));
  WL_TRY(parse_points(fields, "small", out.small));
  WL_TRY(parse_points(fields, "full", out.full));
  fields.take("python");  // how the Python package calls it
  parse_texts(fields.take("references"), out.references);
  const json::Value* buffers = fields.take("buffers");
  const json::Value* steps = fields.take("steps");
  if (steps == nullptr || steps->array() == nullptr) return invalid_input("steps: must be a list");
  for (size_t i = 0; i < steps->array()->size(); ++i) {
    WL_ASSIGN(Step step, parse_step((*steps->array())[i], fmt::format("steps[{}]", i), buffers));
    out.steps.push_back(std::move(step));
  }
  WL_TRY(fields.done());
  if (out.steps.empty() || out.references.empty()) return invalid_input("steps and references must not be empty");
  return out;
}

/// Every text filled in; one that is nothing but a number becomes a number.
Result<json::Value> filled_in(const json::Value& value, const Point& point) {
  if (const std::string* text = value.string()) {
    WL_ASSIGN(std::string filled, bench::filled_in(*text, point));
    if (const auto number = filled == *text ? std::nullopt : parse_int(filled)) return json::Value{*number};
    return json::Value{std::move(filled)};
  }
  if (value.array()) {
    json::Value::Array out;
    for (const json::Value& item : *value.array()) {
      WL_ASSIGN(json::Value each, filled_in(item, point));
      out.push_back(std::move(each));
    }
    return json::Value{std::move(out)};
  }
  if (value.object() == nullptr) return value;
  json::Value::Object out;
  for (const auto& [key, item] : *value.object()) {
    WL_ASSIGN(json::Value each, filled_in(item, point));
    out.emplace_back(key, std::move(each));
  }
  return json::Value{std::move(out)};
}

}  // namespace

Result<std::string> kernels_folder() {
  return find_installed({.what = "the kernels of the suite are",
                         .file = "README.md",
                         .places = {"../share/warplens/kernels", "../kernels"},
                         .variable = "WARPLENS_KERNELS"});
}

Result<std::vector<std::string>> family_names(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (fs::exists(entry.path() / "family.json", error)) names.push_back(entry.path().filename().string());
  }
  if (names.empty()) return not_found(folder + ": holds no family of kernels");
  std::sort(names.begin(), names.end());
  return names;
}

Result<Family> read_family(const std::string& folder, const std::string& name) {
  WL_ASSIGN(const std::vector<std::string> names, family_names(folder));
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    const std::string near = nearest(name, names);
    return not_found(fmt::format("no suite '{}'{}; there are {}", name,
                                 near.empty() ? "" : fmt::format(" (did you mean {}?)", near), join(names, ", ")));
  }
  const std::string path = folder + "/" + name + "/family.json";
  WL_ASSIGN(const std::string text, read_file(path));
  Result<Family> family = parse_family(text);
  if (!family.ok()) return family.status().in(path);
  family->name = name;
  family->folder = folder + "/" + name;
  return family;
}

Result<const Step*> find_step(const Family& family, const std::string& name) {
  std::vector<std::string> names;
  for (const Step& step : family.steps) {
    if (step.name == name) return &step;
    names.push_back(step.name);
  }
  for (size_t i = family.steps.size(); i-- > 0;) {
    if (family.steps[i].name.starts_with(name + "_")) return &family.steps[i];
  }
  return usage_error(fmt::format("{} has no '{}'; there are {}", family.name, name, join(names, ", ")));
}

Result<std::vector<const Step*>> chosen_steps(const Family& family, const std::vector<std::string>& names) {
  std::vector<const Step*> out;
  for (const std::string& name : names) {
    WL_ASSIGN(const Step* step, find_step(family, name));
    out.push_back(step);
  }
  if (out.empty()) {
    for (const Step& step : family.steps) out.push_back(&step);
  }
  return out;
}

namespace {

/// A copy of a family that lies elsewhere finds the suite's ../common and ../OTHER_FAMILY all the same.
void lend_neighbours(launch::Description& description, const Family& family) {
  const Result<std::string> kernels = kernels_folder();
  std::error_code error;
  if (!kernels.ok() || fs::equivalent(fs::path(family.folder) / "..", *kernels, error)) return;
  const std::string beside = *kernels + "/common/";  // any folder there: ../X from it is the suite's X
  description.options.push_back("-I" + beside);
  const std::string own = family.folder + "/";
  if (description.source.starts_with(own + "../") && !fs::exists(description.source, error))
    description.source = beside + description.source.substr(own.size());
}

}  // namespace

Result<KernelCase> case_of(const Family& family, const Step& step, const Point& point) {
  const std::string where = family.name + "/" + step.name;
  for (const std::string& need : step.needs) {
    WL_ASSIGN(const int64_t left, whole_number(need, point));
    if (left != 0) return usage_error(fmt::format("{} needs {} to be 0, not {}", where, need, left));
  }
  WL_ASSIGN(const json::Value file, filled_in(step.launch_file, point));
  Result<launch::Description> description = launch::parse_description(file, family.folder);
  if (!description.ok()) return description.status().in(where);
  lend_neighbours(*description, family);
  KernelCase out;
  out.name = where;
  out.point = point;
  out.description = std::move(*description);
  out.tolerance = family.tolerance;
  WL_TRY(launch::settle(out.description));
  WL_ASSIGN(const int64_t bytes, whole_number(family.bytes, point));
  WL_ASSIGN(const int64_t flops, whole_number(family.flops.empty() ? "0" : family.flops, point));
  out.bytes = static_cast<double>(bytes);
  out.flops = static_cast<double>(flops);
  for (const std::string& text : family.references) {
    WL_ASSIGN(const std::string filled, bench::filled_in(text, point));
    WL_ASSIGN(Reference reference, parse_reference(filled, out.description));
    out.references.push_back(std::move(reference));
  }
  return out;
}

}  // namespace warplens::bench
