#include <algorithm>
#include <map>

#include "warplens/base/text.h"
#include "warplens/program/findings/counted/counted_kernels.h"

namespace warplens::findings {
namespace {

std::string text_at(const json::Value& object, std::string_view key) {
  const json::Value* value = object.find(key);
  return value != nullptr && value->string() != nullptr ? *value->string() : "";
}

double number_at(const json::Value* object, std::string_view key) {
  const json::Value* value = object != nullptr ? object->find(key) : nullptr;
  return value != nullptr ? value->number().value_or(0) : 0;
}

std::array<int64_t, 3> sizes_at(const json::Value& launch, std::string_view key) {
  std::array<int64_t, 3> out{};
  const json::Value* sizes = launch.find(key);
  if (sizes == nullptr || sizes->array() == nullptr || sizes->array()->size() != 3) return out;
  for (size_t i = 0; i < 3; ++i) out[i] = (*sizes->array())[i].integer().value_or(0);
  return out;
}

void take_finding(const json::Value& finding, CountedLaunch* to) {
  to->id = text_at(finding, "id");
  to->title = text_at(finding, "title");
  to->advice = text_at(finding, "advice");
  const json::Value* saving = finding.find("saving_fraction");
  if (saving != nullptr) to->saving_fraction = saving->number();
  const json::Value* where = finding.find("where");
  if (where == nullptr || where->array() == nullptr) return;
  for (const json::Value& place : *where->array()) {
    if (place.string() != nullptr) to->where.push_back(*place.string());
  }
}

/// Where the unit that limits the launch works, without its share: "probe.cu:18" of "probe.cu:18 100.0 %".
void take_limit_place(const json::Value* time, CountedLaunch* to) {
  const json::Value* units = time != nullptr ? time->find("units") : nullptr;
  if (units == nullptr || units->array() == nullptr) return;
  for (const json::Value& unit : *units->array()) {
    const json::Value* where = unit.find("where");
    if (text_at(unit, "unit") != to->bound_by || where == nullptr || where->array() == nullptr) continue;
    for (const json::Value& place : *where->array()) {
      if (const std::string* text = place.string()) to->where.push_back(text->substr(0, text->find(' ')));
    }
  }
}

CountedLaunch launch_of(const json::Value& launch, bool all_emulated) {
  CountedLaunch out;
  out.name = text_at(launch, "function");
  if (out.name.empty()) out.name = text_at(launch, "kernel");
  out.grid = sizes_at(launch, "grid");
  out.block = sizes_at(launch, "block");
  out.device = text_at(launch, "device");
  const json::Value *hardware = launch.find("hardware"), *time = launch.find("time");
  out.emulated = hardware == nullptr && all_emulated;
  out.ns = hardware != nullptr ? number_at(hardware, "duration_ns") : number_at(time, "estimate_ns");
  if (time != nullptr) out.bound_by = text_at(*time, "limited_by");
  const json::Value* findings = launch.find("findings");
  if (findings != nullptr && findings->array() != nullptr && !findings->array()->empty())
    take_finding(findings->array()->front(), &out);
  if (out.where.empty()) take_limit_place(time, &out);
  return out;
}

/// Where the file has samples or counts of source lines: of each kernel the line that has most.
std::map<std::string, std::string> busiest_lines(const json::Value& report) {
  std::map<std::string, std::string> out;
  for (const char* key : {"sampling", "instructions"}) {
    const json::Value* section = report.find(key);
    const json::Value* lines = section != nullptr ? section->find("lines") : nullptr;
    if (lines == nullptr || lines->array() == nullptr) continue;
    for (const json::Value& line : *lines->array()) {
      const std::string file = text_at(line, "file");
      const auto number = static_cast<int64_t>(number_at(&line, "line"));
      if (!file.empty() && number > 0)
        out.try_emplace(text_at(line, "kernel"), fmt::format("{}:{}", file.substr(file.rfind('/') + 1), number));
    }
  }
  return out;
}

}  // namespace

Result<std::vector<CountedLaunch>> counted_launches(const json::Value& report, std::vector<std::string>* notes) {
  const json::Value* launches = report.find("launches");
  if (launches == nullptr || launches->array() == nullptr)
    return invalid_input(
        "there are no launches; this reads results of `warplens counters` (--keep, --save), and reports of Nsight "
        "Compute "
        "(.ncu-rep, `ncu --csv`)");
  const bool emulated = text_at(report, "source") != "hardware";
  const std::map<std::string, std::string> lines = busiest_lines(report);
  std::vector<CountedLaunch> out;
  size_t skipped = 0;
  for (const json::Value& launch : *launches->array()) {
    if (launch.find("time") == nullptr) {
      ++skipped;
      continue;
    }
    CountedLaunch& row = out.emplace_back(launch_of(launch, emulated));
    const auto line = lines.find(text_at(launch, "kernel"));
    if (row.where.empty() && line != lines.end()) row.where.push_back(line->second);
  }
  if (skipped > 0)
    notes->push_back(fmt::format("{} launch{} of the counters' file {} no counters", skipped, skipped == 1 ? "" : "es",
                                 skipped == 1 ? "has" : "have"));
  return out;
}

}  // namespace warplens::findings
