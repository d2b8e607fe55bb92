#include "warplens/report/writers/baseline_lines.h"

#include <algorithm>
#include <array>
#include <map>

#include "warplens/base/text.h"
#include "warplens/report/findings/findings.h"

namespace warplens::report {
namespace {

struct LineMetric {
  const char* name;
  double (*of)(const LineCounts&);
};
const LineMetric kLineMetrics[] = {
    {"instructions_executed", [](const LineCounts& l) { return static_cast<double>(l.all.executions); }},
    {"global_load_sectors", [](const LineCounts& l) { return static_cast<double>(l.global_load.sectors); }},
    {"global_store_sectors", [](const LineCounts& l) { return static_cast<double>(l.global_store.sectors); }},
    {"shared_wavefronts",
     [](const LineCounts& l) { return static_cast<double>(l.shared_load.wavefronts + l.shared_store.wavefronts); }},
    {"local_sectors", [](const LineCounts& l) { return static_cast<double>(l.local.sectors); }},
};
constexpr size_t kMetrics = std::size(kLineMetrics);

/// A file's lines and their counts.
using Lines = std::map<int64_t, std::array<double, kMetrics>>;

std::map<std::string, Lines> lines_of(const json::Value& launch) {
  std::map<std::string, Lines> out;
  const json::Value* lines = launch.find("lines");
  if (!lines || !lines->array()) return out;
  for (const json::Value& line : *lines->array()) {
    const json::Value *file = line.find("file"), *number = line.find("line");
    if (!file || !file->string() || !number) continue;
    auto& counts = out[*file->string()][number->integer().value_or(0)];
    for (size_t k = 0; k < kMetrics; ++k) {
      const json::Value* value = line.find(kLineMetrics[k].name);
      counts[k] = value ? value->number().value_or(0) : 0;
    }
  }
  return out;
}

std::map<std::string, Lines> lines_of(const KernelReport& report) {
  std::map<std::string, Lines> out;
  for (const LineCounts& line : report.lines) {
    for (size_t k = 0; k < kMetrics; ++k) out[line.file][line.line][k] = kLineMetrics[k].of(line);
  }
  return out;
}

/// The lines of `before` under the numbers that they have in `now`.
Lines renumbered(const Lines& before, const Lines& now) {
  if (before.size() != now.size()) return before;
  Lines out;
  for (auto then = before.begin(), current = now.begin(); then != before.end(); ++then, ++current)
    out[current->first] = then->second;
  return out;
}

}  // namespace

void compare_lines(const json::Value& before, const KernelReport& now, BaselineComparison* out) {
  std::map<std::string, Lines> then = lines_of(before), current = lines_of(now);
  const auto was_there = [&](const auto& file) { return then.contains(file.first); };
  if (!then.empty() && !current.empty() && std::ranges::none_of(current, was_there))
    return out->notes.push_back(fmt::format("{}: lines were not compared, because {} is another file than {}",
                                            now.kernel, current.begin()->first, then.begin()->first));
  for (const auto& [file, lines] : then) current.try_emplace(file);
  for (auto& [file, lines] : current) {
    Lines old = renumbered(then[file], lines);
    for (const auto& [number, counts] : old) lines.try_emplace(number);
    for (const auto& [number, counts] : lines) {
      LineCounts at;
      at.file = file;
      at.line = static_cast<uint32_t>(number);
      for (size_t k = 0; k < kMetrics && number != 0; ++k) {
        if (old[number][k] != counts[k])
          out->changes.push_back({now.kernel, place(at), kLineMetrics[k].name, old[number][k], counts[k]});
      }
    }
  }
}

}  // namespace warplens::report
