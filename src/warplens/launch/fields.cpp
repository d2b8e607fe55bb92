#include "warplens/launch/fields.h"

#include <algorithm>
#include <set>

#include "warplens/base/printable.h"
#include "warplens/base/text.h"

namespace warplens::launch {
namespace {

/// Names of files, kernels and buffers are shown, and files may come from anybody.
Status check_visible(const std::string& place, std::string_view text) {
  if (is_printable(text)) return {};
  return invalid_input(fmt::format("{}: '{}' contains invisible characters: remove them", place, printable(text)));
}

}  // namespace

std::string type_name(const json::Value& value) {
  if (value.is_null()) return "null";
  if (value.boolean()) return "true or false";
  if (value.string()) return "a text";
  if (value.array()) return "a list";
  if (value.object()) return "an object";
  return "a number";
}

Result<Fields> Fields::of(const json::Value& value, std::string place) {
  const json::Value::Object* object = value.object();
  const std::string what = place.empty() ? "the file" : place;
  if (object == nullptr) return invalid_input(fmt::format("{}: must be an object, not {}", what, type_name(value)));
  std::set<std::string_view> names;
  for (const auto& [name, member] : *object) {
    WL_TRY(check_visible(what, name));
    if (!names.insert(name).second) return invalid_input(fmt::format("{}: has '{}' twice", what, name));
  }
  return Fields(object, std::move(place));
}

std::string Fields::at(std::string_view key) const {
  return place_.empty() ? std::string(key) : fmt::format("{}.{}", place_, key);
}

bool Fields::has(std::string_view key) const {
  return std::ranges::any_of(*object_, [&](const auto& member) { return member.first == key; });
}

const json::Value* Fields::take(std::string_view key) {
  known_.emplace_back(key);
  for (const auto& [name, value] : *object_) {
    if (name == key) return &value;
  }
  return nullptr;
}

Status Fields::text(std::string_view key, std::string& out) {
  const json::Value* value = take(key);
  if (value == nullptr) return {};
  if (value->string() == nullptr)
    return invalid_input(fmt::format("{}: must be a text, not {}", at(key), type_name(*value)));
  out = *value->string();
  return check_visible(at(key), out);
}

Status Fields::flag(std::string_view key, bool& out) {
  const json::Value* value = take(key);
  if (value == nullptr) return {};
  if (value->boolean() == nullptr)
    return invalid_input(fmt::format("{}: must be true or false, not {}", at(key), type_name(*value)));
  out = *value->boolean();
  return {};
}

Status Fields::number(std::string_view key, double& out) {
  const json::Value* value = take(key);
  if (value == nullptr) return {};
  const std::optional<double> number = value->number();
  if (!number) return invalid_input(fmt::format("{}: must be a number, not {}", at(key), type_name(*value)));
  out = *number;
  return {};
}

Status Fields::number(std::string_view key, std::optional<double>& out) {
  double value = 0;
  WL_TRY(number(key, value));
  if (take(key) != nullptr) out = value;
  return {};
}

Status Fields::integer(std::string_view key, int64_t low, int64_t high, int64_t& out) {
  const json::Value* value = take(key);
  if (value == nullptr) return {};
  const std::optional<int64_t> number = value->integer();
  if (!number)
    return invalid_input(
        fmt::format("{}: must be a whole number, not {}", at(key), value->number() ? "a fraction" : type_name(*value)));
  if (*number < low || *number > high)
    return invalid_input(fmt::format("{}: is {}; it must be {} to {}", at(key), *number, low, high));
  out = *number;
  return {};
}

std::string Fields::instead_of(std::string_view key) const {
  std::vector<std::string> names;
  for (const auto& [name, value] : *object_) names.push_back(name);
  const std::string near = nearest(std::string(key), names);
  return near.empty() ? "" : fmt::format("; there is '{}'", near);
}

Status Fields::done() const {
  for (const auto& [name, value] : *object_) {
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    const std::string near = nearest(name, known_);
    return invalid_input(fmt::format("{}: is not known here{}", at(name),
                                     near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
  }
  return {};
}

}  // namespace warplens::launch
