#include "warplens/counters/sampled_lines.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "warplens/base/demangle.h"
#include "warplens/base/text.h"
#include "warplens/counters/place_text.h"
#include "warplens/output/source_excerpt.h"
#include "warplens/report/measured.h"

namespace warplens::counters {
namespace {

constexpr size_t kReasonsShown = 3;

/// "smsp__pcsamp_warps_issue_stalled_long_scoreboard" -> "long_scoreboard"; those of cycles in which the scheduler
/// issued for no other warp have "_not_issued" behind, and are a part of the others.
std::string plain_reason(std::string name, bool* is_part) {
  constexpr std::string_view kPart = "_not_issued";
  if (const size_t at = name.rfind("stalled_"); at != std::string::npos) name.erase(0, at + 8);
  *is_part = name.ends_with(kPart) || name.starts_with("smsp__pcsamp_");  // the latter count samples of all reasons
  if (name == "no_instructions") name = "no_instruction";
  if (name == "warpgroup_arrive") name = "gmma";
  return name;
}

const report::StallAdvice* stall_named(std::string_view metric) {
  for (const report::StallAdvice& known : report::stall_advice()) {
    if (known.metric == metric) return &known;
  }
  return nullptr;
}

std::string reason_name(const std::string& metric) {
  const report::StallAdvice* known = stall_named(metric);
  return known != nullptr ? known->reason : metric;
}

std::string reasons_text(const SampledLine& line) {
  std::vector<std::string> parts;
  for (size_t k = 0; k < std::min(kReasonsShown, line.reasons.size()); ++k)
    parts.push_back(
        fmt::format("{} {:.0f} %", reason_name(line.reasons[k].first),
                    100.0 * static_cast<double>(line.reasons[k].second) / static_cast<double>(line.samples)));
  return join(parts, ", ");
}

std::map<std::string, uint64_t> totals(const std::vector<SampledLine>& lines) {
  std::map<std::string, uint64_t> out;
  for (const SampledLine& line : lines) out[line.kernel] += line.samples;
  return out;
}

/// The reason for which a line waits most; nullptr where it mostly works.
const report::StallAdvice* first_stall(const SampledLine& line) {
  for (const auto& [reason, samples] : line.reasons) {
    if (reason == "selected" || reason == "not_selected") continue;
    return stall_named(reason);
  }
  return nullptr;
}

}  // namespace

std::vector<SampledLine> sampled_lines(const Sampling& sampling) {
  std::vector<std::string> reasons;
  std::vector<bool> parts;
  for (const std::string& name : sampling.reasons) {
    bool is_part = false;
    reasons.push_back(plain_reason(name, &is_part));
    parts.push_back(is_part);
  }
  std::map<std::tuple<std::string, std::string, uint64_t>, std::pair<SampledLine, std::map<std::string, uint64_t>>>
      sums;
  for (const SampledPlace& place : sampling.places) {
    const uint64_t where = place.line > 0 ? place.line : place.offset;
    auto& [line, by_reason] = sums[{place.kernel, place.file, where}];
    line.kernel = short_name(place.kernel);
    line.file = place.file;
    line.line = place.line;
    line.offset = place.offset;
    for (size_t k = 0; k < place.by_reason.size(); ++k) {
      if (parts[k] || place.by_reason[k] == 0) continue;
      line.samples += place.by_reason[k];
      by_reason[reasons[k]] += place.by_reason[k];
    }
  }
  std::vector<SampledLine> out;
  for (auto& [key, sum] : sums) {
    auto& [line, by_reason] = sum;
    if (line.samples == 0) continue;
    line.reasons.assign(by_reason.begin(), by_reason.end());
    std::stable_sort(line.reasons.begin(), line.reasons.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    out.push_back(std::move(line));
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.samples > b.samples; });
  return out;
}

Table sampled_table(const std::vector<SampledLine>& lines) {
  Table table{{{"kernel", "kernel"},
               {"line", "line"},
               {"samples", "samples", Kind::kCount},
               {"share", "of the kernel", Kind::kShare},
               {"reasons", "what its warps do"}},
              {}};
  const std::map<std::string, uint64_t> all = totals(lines);
  for (const SampledLine& line : lines)
    table.rows.push_back(
        {line.kernel, place_text(line.file, line.line, line.offset), static_cast<int64_t>(line.samples),
         static_cast<double>(line.samples) / static_cast<double>(all.at(line.kernel)), reasons_text(line)});
  return table;
}

std::string sampled_text(const Sampling& sampling, size_t width) {
  constexpr double kMatters = 0.02;
  constexpr size_t kExplained = 3;
  const std::vector<SampledLine> lines = sampled_lines(sampling);
  const std::map<std::string, uint64_t> all = totals(lines);
  std::vector<SampledLine> shown;
  for (const SampledLine& line : lines) {
    if (static_cast<double>(line.samples) >= kMatters * static_cast<double>(all.at(line.kernel))) shown.push_back(line);
  }
  std::string out = to_terminal(sampled_table(shown), width);
  std::map<std::string, size_t> told;
  for (const SampledLine& line : shown) {
    const report::StallAdvice* stall = first_stall(line);
    if (stall == nullptr || told[line.kernel]++ >= kExplained) continue;
    out += fmt::format("\n{} at {}: {}\n{}  a warp {}: {}\n", line.kernel,
                       place_text(line.file, line.line, line.offset), stall->reason,
                       line.line > 0 ? source_excerpt(line.file, line.line, "  ") : "", stall->meaning, stall->advice);
  }
  if (sampling.dropped > 0) out += fmt::format("\nnote: {} samples were dropped by the hardware\n", sampling.dropped);
  return out;
}

void write_sampling(json::Writer& w, const Sampling& sampling) {
  w.key("sampling").begin_object().member("period_cycles", sampling.period_cycles).member("samples", sampling.samples);
  w.member("dropped", sampling.dropped).key("lines").begin_array();
  for (const SampledLine& line : sampled_lines(sampling)) {
    w.begin_object().member("kernel", line.kernel).member("file", line.file).member("line", uint64_t{line.line});
    w.member("offset", line.offset).member("samples", line.samples).key("reasons").begin_object();
    for (const auto& [reason, samples] : line.reasons) w.member(reason, samples);
    w.end_object().end_object();
  }
  w.end_array().end_object();
}

}  // namespace warplens::counters
