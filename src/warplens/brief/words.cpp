#include "warplens/brief/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "warplens/base/text.h"
#include "warplens/base/units.h"

namespace warplens::brief {
namespace {

using json::Value;

constexpr size_t kMostUnits = 4, kLongestName = 72;

bool ends(std::string_view name, std::string_view ending) { return name.ends_with(ending); }

std::string shortened(const std::string& name) {
  return name.size() <= kLongestName ? name : name.substr(0, kLongestName) + "...";
}

std::string number_text(std::string_view name, double value) {
  if (ends(name, "_ns")) return format_ns(value);
  if (ends(name, "bytes")) return format_bytes(value);
  for (const std::string_view share : {"share", "fraction", "occupancy"}) {
    if (ends(name, share)) return format_share(value);
  }
  return fmt::format("{:.6g}", value);
}

/// "time" of time_ns: the value has the unit.
std::string spoken(std::string_view name) {
  if (ends(name, "_ns")) name.remove_suffix(3);
  std::string out(name);
  std::ranges::replace(out, '_', ' ');
  return out;
}

std::string dims(const Value& list) {
  std::vector<std::string> parts;
  for (const Value& each : *list.array()) parts.push_back(fmt::format("{}", each.integer().value_or(0)));
  return "(" + join(parts, ",") + ")";
}

/// "reduce.cu:9, block (0,0,0), thread (32,0,0)"
std::string place_text(const Value& place) {
  std::vector<std::string> parts;
  const std::string file = text_of(place, "file");
  if (!file.empty()) parts.push_back(fmt::format("{}:{}", file.substr(file.rfind('/') + 1), number_of(place, "line")));
  for (const char* name : {"block", "thread"}) {
    const Value* const found = place.find(name);
    if (found && found->array()) parts.push_back(fmt::format("{} {}", name, dims(*found)));
  }
  return join(parts, ", ");
}

/// With its full stop and a space; nothing of nothing.
std::string sentence(const std::string& text) { return text.empty() ? "" : text + (text.ends_with('.') ? " " : ". "); }

/// The effect of halving a unit's work, and the source of that work.
std::string unit_line(const Value& unit) {
  std::vector<std::string> where;
  for (const Value& each : array_of(unit, "where")) where.push_back(each.string() ? *each.string() : "");
  return fmt::format("{}: {} alone; with half of this work the estimate would be {}; {}{}", text_of(unit, "unit"),
                     format_ns(number_of(unit, "alone_ns")), format_ns(number_of(unit, "halved_estimate_ns")),
                     text_of(unit, "works_on"), where.empty() ? "" : " (" + join(where, ", ") + ")");
}

std::string time_line(const Value& launch, const Value& time) {
  const double bound_ns = number_of(time, "bound_ns"), cold_ns = number_of(time, "cold_bound_ns");
  const bool is_measured = launch.find("hardware") != nullptr;
  return fmt::format("{} on {}: {}{} {}, limited by {}; at least {}{}", shortened(text_of(launch, "kernel")),
                     text_of(launch, "device"), is_measured ? "" : "about ", format_ns(number_of(time, "estimate_ns")),
                     is_measured ? "measured" : "by a model", text_of(time, "limited_by"), format_ns(bound_ns),
                     cold_ns > bound_ns ? fmt::format(", or {} if its data is in DRAM", format_ns(cold_ns)) : "");
}

}  // namespace

std::string text_of(const Value& object, std::string_view key) {
  const Value* const found = object.find(key);
  return found && found->string() ? *found->string() : "";
}

double number_of(const Value& object, std::string_view key) {
  const Value* const found = object.find(key);
  return found ? found->number().value_or(0) : 0;
}

const Value::Array& array_of(const Value& object, std::string_view key) {
  static const Value::Array none;
  const Value* const found = object.find(key);
  return found && found->array() ? *found->array() : none;
}

std::string value_text(std::string_view name, const Value& value) {
  if (value.string()) return shortened(*value.string());
  if (const bool* const flag = value.boolean()) return *flag ? "true" : "false";
  const auto number = value.number();
  return number ? number_text(name, *number) : "";
}

std::string row_line(const Value& row) {
  if (!row.object()) return value_text("", row);
  std::string label = shortened(text_of(row, "name"));
  const bool is_named = !label.empty();
  std::vector<std::string> parts;
  for (const auto& [name, value] : *row.object()) {
    const bool is_nothing = value.number().value_or(1) == 0 || (value.boolean() && !*value.boolean());
    const bool is_label = is_named && (name == "name" || name == "kind");
    const std::string text = is_nothing || is_label ? "" : value_text(name, value);
    if (text.empty() || contains(text, "\n")) continue;
    if (label.empty() && value.string()) label = text;
    else parts.push_back(value.boolean() ? spoken(name) : spoken(name) + " " + text);
  }
  if (label.empty()) return join(parts, ", ");
  return parts.empty() ? label : label + ": " + join(parts, ", ");
}

std::string finding_line(const Value& finding) {
  if (finding.string()) return *finding.string();
  const double fraction = number_of(finding, "saving_fraction");
  const auto& where = array_of(finding, "where");
  return fmt::format("{} ({}{}){}: {}{}Do: {}", text_of(finding, "id"), text_of(finding, "severity"),
                     fraction > 0 ? fmt::format(", would save about {:.0f} %", 100 * fraction) : ", saving not known",
                     where.empty() ? "" : " at " + value_text("", where[0]), sentence(text_of(finding, "title")),
                     sentence(text_of(finding, "detail")), text_of(finding, "advice"));
}

std::string defect_line(const Value& defect) {
  std::string text = fmt::format("{} x{}: {}", text_of(defect, "id"), std::max(1.0, number_of(defect, "count")),
                                 text_of(defect, "message"));
  for (const auto& [key, word] : {std::pair{"where", "at"}, std::pair{"other", "and"}}) {
    if (const Value* const place = defect.find(key); place && place->object())
      text += fmt::format("; {} {}", word, place_text(*place));
  }
  return text;
}

std::string wrong_line(const Value& c) {
  return fmt::format(
      "wrong result in {}: {} of {} elements differ from {}; the largest error is {:.6g}, at {}: {:.6g} instead of "
      "{:.6g}",
      text_of(c, "buffer"), number_of(c, "wrong"), number_of(c, "count"), text_of(c, "against"),
      number_of(c, "largest_error"), number_of(c, "at"), number_of(c, "got"), number_of(c, "want"));
}

std::vector<std::string> launch_lines(const Value& launch) {
  std::vector<std::string> lines;
  if (const Value* const time = launch.find("time"); time && time->object()) {
    lines.push_back(time_line(launch, *time));
    const auto& units = array_of(*time, "units");
    for (size_t i = 0; i < std::min(units.size(), kMostUnits); ++i) lines.push_back(unit_line(units[i]));
  }
  if (const Value* const occupancy = launch.find("occupancy"); occupancy && occupancy->object())
    lines.push_back(fmt::format("occupancy {:.0f} %, {:.2f} waves", 100 * number_of(*occupancy, "theoretical"),
                                number_of(*occupancy, "waves")));
  for (const Value& finding : array_of(launch, "findings")) lines.push_back(finding_line(finding));
  return lines;
}

void add_inexact(const Value& launch, std::vector<std::string>& not_known) {
  std::set<std::string> levels;
  const Value* const fidelity = launch.find("fidelity");
  if (fidelity && fidelity->object()) {
    for (const Value::Member& member : *fidelity->object()) {
      if (const std::string* level = member.second.string(); level && *level != "exact" && *level != "measured")
        levels.insert(*level);
    }
  }
  if (levels.empty()) return;
  const std::string line = fmt::format("times, cache hits and DRAM bytes come from a model (fidelity: {})",
                                       join(std::vector<std::string>(levels.begin(), levels.end()), ", "));
  if (std::ranges::find(not_known, line) == not_known.end()) not_known.push_back(line);
}

void add_judgement(const Value& judgement, Brief& brief) {
  for (const Value& kind : array_of(judgement, "kinds")) {
    brief.details.push_back(fmt::format("{}: {}", text_of(kind, "kind"), text_of(kind, "meaning")));
    const auto& evidence = array_of(kind, "evidence");
    if (!evidence.empty()) brief.details.push_back(value_text("", evidence[0]));
  }
  for (const Value& wrong : array_of(judgement, "wrong")) brief.details.push_back("wrong: " + *wrong.string());
  if (const Value* const time = judgement.find("time"); time && number_of(*time, "candidate_ns") > 0) {
    const double reference_ns = number_of(*time, "reference_ns");
    brief.details.push_back(
        fmt::format("a call takes {}, {}{}", format_ns(number_of(*time, "candidate_ns")), text_of(*time, "source"),
                    reference_ns > 0 ? fmt::format("; the reference {}, {:.2f} times as long", format_ns(reference_ns),
                                                   number_of(*time, "speedup"))
                                     : ""));
  }
  for (const Value& unknown : array_of(judgement, "not_known")) brief.not_known.push_back(*unknown.string());
  if (brief.next_step.empty()) brief.next_step = text_of(judgement, "next_step");
}

}  // namespace warplens::brief
