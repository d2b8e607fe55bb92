#include "warplens/trace/events/event_text.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "warplens/base/json.h"
#include "warplens/base/text.h"

namespace warplens {
namespace {

void append_time(std::string& out, int64_t ns) {
  const uint64_t magnitude = ns < 0 ? 0 - static_cast<uint64_t>(ns) : static_cast<uint64_t>(ns);
  fmt::format_to(std::back_inserter(out), "{}{}.{:03}", ns < 0 ? "-" : "", magnitude / 1000, magnitude % 1000);
}

void append_id(std::string& out, std::string_view id) {
  if (parse_int(id)) out += id;
  else out += json::quoted(id);
}

}  // namespace

EventText& EventText::begin(char phase, std::string_view category, std::string_view name, std::string_view process,
                            std::string_view thread, int64_t time_ns) {
  out_ += count_++ == 0 ? "\n{\"ph\": \"" : ",\n{\"ph\": \"";
  out_ += phase;
  out_ += '"';
  if (!category.empty()) out_ += ", \"cat\": " + json::quoted(category);
  out_ += ", \"name\": " + json::quoted(name) + ", \"pid\": ";
  append_id(out_, process);
  out_ += ", \"tid\": ";
  append_id(out_, thread);
  out_ += ", \"ts\": ";
  append_time(out_, time_ns);
  in_arguments_ = false;
  return *this;
}

EventText& EventText::duration(int64_t ns) {
  out_ += ", \"dur\": ";
  append_time(out_, ns);
  return *this;
}

EventText& EventText::field(std::string_view name, int64_t value) {
  fmt::format_to(std::back_inserter(out_), ", \"{}\": {}", name, value);
  return *this;
}

EventText& EventText::field(std::string_view name, std::string_view value) {
  out_ += fmt::format(", \"{}\": ", name) + json::quoted(value);
  return *this;
}

void EventText::next_argument(std::string_view name) {
  out_ += in_arguments_ ? ", " : ", \"args\": {";
  in_arguments_ = true;
  if (name.empty()) return;
  out_ += '"';
  out_ += name;
  out_ += "\": ";
}

EventText& EventText::argument(std::string_view name, int64_t value) {
  next_argument(name);
  fmt::format_to(std::back_inserter(out_), "{}", value);
  return *this;
}

EventText& EventText::argument(std::string_view name, double value) {
  next_argument(name);
  if (!std::isfinite(value)) {
    out_ += "null";  // JSON has no other word for it
    return *this;
  }
  fmt::format_to(std::back_inserter(out_), "{}", value);
  return *this;
}

EventText& EventText::argument(std::string_view name, std::string_view text) {
  next_argument(name);
  out_ += json::quoted(text);
  return *this;
}

EventText& EventText::argument_list(std::string_view name, std::initializer_list<int64_t> numbers) {
  next_argument(name);
  out_ += fmt::format("[{}]", fmt::join(numbers, ", "));
  return *this;
}

std::string EventText::json_or_text(std::string_view text) {
  const auto [at, added] = is_json_.try_emplace(text.data(), false);
  if (added) at->second = json::parse(text).ok();
  return at->second ? std::string(text) : json::quoted(text);
}

EventText& EventText::argument_json(std::string_view name, std::string_view value) {
  if (value.empty()) return *this;
  return raw(name, json_or_text(value));
}

EventText& EventText::raw(std::string_view name, std::string_view json) {
  next_argument(name);
  out_ += json;
  return *this;
}

EventText& EventText::arguments_json(std::string_view given) {
  const std::string_view object = trim(given);
  if (object.empty()) return *this;
  if (!object.starts_with('{') || json_or_text(object) != object) return argument("args", object);
  const std::string_view members = trim(object.substr(1, object.size() - 2));
  return members.empty() ? *this : this->members(members);
}

EventText& EventText::members(std::string_view json) {
  next_argument("");
  out_ += json;
  return *this;
}

void EventText::end() {
  constexpr size_t kMostHeld = 1 << 18;
  out_ += in_arguments_ ? "}}" : "}";
  if (out_.size() > kMostHeld) status_ = flush();
}

Status EventText::flush() {
  if (status_.ok()) status_ = to_(out_);
  out_.clear();
  return status_;
}

}  // namespace warplens
