// Parts of reports in a line each.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "warplens/base/json.h"
#include "warplens/brief/brief.h"

namespace warplens::brief {

/// A member as text; "" if the object has no such member.
std::string text_of(const json::Value& object, std::string_view key);
double number_of(const json::Value& object, std::string_view key);
/// The array `key`, or an empty one.
const json::Value::Array& array_of(const json::Value& object, std::string_view key);

/// A value with the unit that its name gives: "12.3 us" of step_ns, "12.3 %" of busy_share. Empty: no value.
std::string value_text(std::string_view name, const json::Value& value);
/// Any element of an array: "aten::copy_: count 2, time 27.6 ms". Members that are zero, null, or lists are left out.
std::string row_line(const json::Value& row);
std::string finding_line(const json::Value& finding);
/// A defect that a check found, with both sides of a race.
std::string defect_line(const json::Value& defect);
/// A result that is not as expected.
std::string wrong_line(const json::Value& comparison);
/// The limit of a launch, its units, its occupancy and its findings. The first line is a sentence for the verdict.
std::vector<std::string> launch_lines(const json::Value& launch);
/// Adds the counters of a launch that are not exact counts.
void add_inexact(const json::Value& launch, std::vector<std::string>& not_known);
/// Adds a judgement: its verdict's evidence, results and time.
void add_judgement(const json::Value& judgement, Brief& brief);

}  // namespace warplens::brief
