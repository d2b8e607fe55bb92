#include "warplens/report/writers/resource_causes.h"

#include <algorithm>
#include <functional>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/model/constants.h"
#include "warplens/report/findings/findings.h"

namespace warplens::report {
namespace {

double global_sectors(const LineCounts& line) {
  return static_cast<double>(line.global_load.sectors + line.global_store.sectors + line.local.sectors +
                             line.atomics.sectors);
}

double requests(const LineCounts& line) {
  return static_cast<double>(line.global_load.requests + line.global_store.requests + line.local.requests +
                             line.shared_load.requests + line.shared_store.requests);
}

double shared_passes(const LineCounts& line) {
  return static_cast<double>(line.shared_load.wavefronts + line.shared_store.wavefronts +
                             line.shared_atomics.wavefronts);
}

double conflicts(const LineCounts& line) {
  return shared_passes(line) -
         static_cast<double>(line.shared_load.ideal_wavefronts + line.shared_store.ideal_wavefronts +
                             line.shared_atomics.ideal_wavefronts);
}

/// Sectors of 32 bytes, how many a request takes, and how much of them it asked for.
std::string width_text(const char* what, const std::vector<LineCounts>& lines,
                       simt::InstructionCounts LineCounts::* part) {
  simt::InstructionCounts sum;
  for (const LineCounts& line : lines) sum.add(line.*part);
  if (sum.sectors == 0 || sum.requests == 0) return "";
  const double sectors = static_cast<double>(sum.sectors);
  return fmt::format("{} {} sectors, {:.3g} a request, {} used", what, format_count(sectors),
                     sectors / static_cast<double>(sum.requests),
                     format_share(static_cast<double>(sum.ideal_sectors) / sectors));
}

std::string sector_text(const KernelReport& report) {
  std::vector<std::string> parts = {width_text("loads", report.lines, &LineCounts::global_load),
                                    width_text("stores", report.lines, &LineCounts::global_store)};
  if (report.work.local_sectors > 0)
    parts.push_back(fmt::format("local memory {} sectors", format_count(report.work.local_sectors)));
  std::erase(parts, "");
  return join(parts, "; ");
}

std::string dram_text(const KernelReport& report) {
  const Work& w = report.work;
  std::string out =
      fmt::format("{} read, {} written", format_bytes(model::dram_read_bytes(w)), format_bytes(32 * w.written_sectors));
  if (w.lost_sectors > 0)
    out += fmt::format("; {} of it again, after L2 evicted it", format_bytes(32 * w.lost_sectors));
  return out;
}

std::string l1_text(const KernelReport& report) {
  const Work& w = report.work;
  std::string out = fmt::format("{} lines of 128 bytes", format_count(w.cache_lines));
  if (w.shared_wavefronts > 0)
    out += fmt::format(", {} passes of shared memory, {} of them conflicts", format_count(w.shared_wavefronts),
                       format_share(w.shared_conflicts / w.shared_wavefronts));
  return out;
}

std::string latency_text(const KernelReport& report) {
  return fmt::format("{:.3g} waves; one block alone takes {} cycles with data in L1, {} with data in DRAM",
                     report.time.waves, format_count(report.work.block_cycles_l1),
                     format_count(report.work.block_cycles_dram));
}

std::string instructions_text(double count, const char* what) {
  return fmt::format("{} warp instructions{}", format_count(count), what);
}

/// Warp instructions that take the load and store unit without an access, at least: shuffles, and the like. Loads of
/// constants count more than once there, by their width and the number of different addresses.
double exchanges(const KernelReport& report) {
  constexpr double kWidest = 4;  // words
  double accesses = 0;
  for (const LineCounts& line : report.lines) {
    for (const auto& part : {line.global_load, line.global_store, line.local, line.shared_load, line.shared_store,
                             line.atomics, line.shared_atomics})
      accesses += static_cast<double>(part.executions);
    const auto& constants = line.constant_load;
    accesses += model::kConstantCycles *
                (kWidest * static_cast<double>(constants.executions) + static_cast<double>(constants.wavefronts));
  }
  return std::max(0.0, report.work.memory - accesses);
}

std::string load_store_text(const KernelReport& report) {
  std::string out = instructions_text(report.work.memory, " of memory");
  if (const double others = exchanges(report); others > 0)
    out += fmt::format(", at least {} of them shuffles and similar", format_count(others));
  if (report.work.shared_conflicts > 0)
    out += fmt::format(", {} passes of conflicts", format_count(report.work.shared_conflicts));
  return out;
}

/// Lines count accesses, and no shuffles.
bool lines_have_most_accesses(const KernelReport& report) { return 2 * exchanges(report) < report.work.memory; }

/// A unit: what its counts are, and what of a line it works on (nothing: lines do not tell).
struct Unit {
  const char* name;
  std::string (*counts)(const KernelReport&);
  double (*of_line)(const LineCounts&);
  bool (*lines_tell)(const KernelReport&) = nullptr;  // in this report; nothing: always
};

constexpr Unit kUnits[] = {
    {"DRAM", dram_text, global_sectors},
    {"L2", sector_text, global_sectors},
    {"L1 and shared memory", l1_text, [](const LineCounts& line) { return requests(line) + conflicts(line); }},
    {"load and store unit", load_store_text, [](const LineCounts& line) { return requests(line) + conflicts(line); },
     lines_have_most_accesses},
    {"issue slots", [](const KernelReport& r) { return instructions_text(r.work.instructions, ""); },
     [](const LineCounts& line) { return static_cast<double>(line.all.executions); }},
    {"FMA pipe", [](const KernelReport& r) { return instructions_text(r.work.fma + r.work.imad + r.work.half, ""); },
     [](const LineCounts& line) { return static_cast<double>(line.floating); }},
    {"ALU pipe", [](const KernelReport& r) { return instructions_text(r.work.alu, ""); },
     [](const LineCounts& line) { return static_cast<double>(line.integer); }},
    {"FP64 pipe", [](const KernelReport& r) { return instructions_text(r.work.fp64, ""); },
     [](const LineCounts& line) { return static_cast<double>(line.fp64); }},
    {"special functions", [](const KernelReport& r) { return instructions_text(r.work.special, ""); }, nullptr},
    {"barriers", [](const KernelReport& r) { return instructions_text(r.work.barriers, " that wait for the block"); },
     [](const LineCounts& line) { return static_cast<double>(line.barriers); }},
    {"cluster network",
     [](const KernelReport& r) {
       return format_count(r.work.remote_sectors) + " sectors of other blocks' shared memory";
     },
     nullptr},
    {"tensor cores", [](const KernelReport& r) { return format_count(r.work.tensor_flops) + " FLOP"; }, nullptr},
    {"atomics", [](const KernelReport& r) { return format_count(r.work.atomic_sectors) + " sectors of atomics"; },
     [](const LineCounts& line) { return static_cast<double>(line.atomics.requests); }},
    {"latency", latency_text, [](const LineCounts& line) { return static_cast<double>(line.global_load.requests); }},
    {"block launches", [](const KernelReport& r) { return format_count(r.work.blocks) + " blocks"; }, nullptr}};

/// The fewest lines that cause half of it, two at most.
std::vector<std::string> places(const KernelReport& report, const Unit& unit) {
  const auto of_line = unit.of_line;
  if (of_line == nullptr || (unit.lines_tell != nullptr && !unit.lines_tell(report))) return {};
  std::vector<std::pair<double, const LineCounts*>> sorted;
  double sum = 0;
  for (const LineCounts& line : report.lines) {
    sum += of_line(line);
    if (line.line != 0 && of_line(line) > 0) sorted.emplace_back(of_line(line), &line);
  }
  std::ranges::stable_sort(sorted, std::greater<>(), [](const auto& each) { return each.first; });
  std::vector<std::string> out;
  double told = 0;
  for (const auto& [value, line] : sorted) {
    if (out.size() == 2 || 2 * told >= sum) break;
    out.push_back(fmt::format("{} {}", place(*line), format_share(value / sum)));
    told += value;
  }
  return out;
}

}  // namespace

std::vector<ResourceCause> resource_causes(const KernelReport& report) {
  std::vector<ResourceCause> out;
  if (report.measured) return out;
  const std::string whole = format_ns(report.time.ns);
  for (const Resource& resource : report.time.resources) {
    const auto unit = std::ranges::find(kUnits, resource.name, [](const Unit& each) { return std::string(each.name); });
    const double halved = model::estimate_with_half(report.work, *report.device, resource.name);
    if (unit == std::end(kUnits) || format_ns(halved) == whole) continue;
    out.push_back({resource, halved, unit->counts(report), places(report, *unit)});
  }
  return out;
}

std::string resource_text(const KernelReport& report) {
  const std::vector<ResourceCause> causes = resource_causes(report);
  if (causes.empty()) return "";
  std::string out = fmt::format("  {:<20} {:>9}  {:>9}  {}\n", "unit", "alone", "if halved", "works on");
  for (const ResourceCause& cause : causes)
    out += fmt::format("  {:<20} {:>9}  {:>9}  {}{}\n", cause.resource.name, format_ns(cause.resource.ns),
                       format_ns(cause.halved_ns), cause.counts,
                       cause.where.empty() ? "" : " (" + join(cause.where, ", ") + ")");
  return out;
}

}  // namespace warplens::report
