// cold-start: the trace shows what happens once in a process, as loading code and capturing graphs.
#include "warplens/program/findings/cold_start.h"

#include <algorithm>
#include <map>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/findings/rules.h"

namespace warplens::findings {
namespace {

/// "cudaFree 789 ms, cudaLaunchKernel 726 ms": the costliest names of calls.
std::string costliest(const Context& c, const ColdStart& cold) {
  std::map<std::string_view, int64_t> by_name;
  for (const uint32_t i : cold.calls)
    by_name[c.p.text(c.p.calls.name[c.program.calls[i].row])] +=
        c.program.calls[i].end_ns - c.program.calls[i].start_ns;
  std::vector<std::pair<int64_t, std::string_view>> order;
  for (const auto& [name, ns] : by_name) order.emplace_back(ns, name);
  std::sort(order.rbegin(), order.rend());
  std::vector<std::string> parts;
  for (size_t i = 0; i < std::min<size_t>(order.size(), 4); ++i)
    parts.push_back(fmt::format("{} {}", order[i].second, format_ns(static_cast<double>(order[i].first))));
  return join(parts, ", ");
}

}  // namespace

std::optional<Finding> cold_start(const Context& c) {
  constexpr double kLeastSaving = 0.1;
  const ColdStart& cold = c.cold_start();
  if (cold.time.empty()) return std::nullopt;
  Change change;
  change.host_removed = cold.time;
  Finding f;
  c.set_saving(f, std::max<int64_t>(0, c.step_ns - analysis::step_time_ns(c.program, change)));
  if (*f.saving_fraction < kLeastSaving) return std::nullopt;
  std::vector<std::string> parts;
  if (!cold.calls.empty())
    parts.push_back(fmt::format("loading code, libraries and the context ({} calls, {})", cold.calls.size(),
                                format_ns(static_cast<double>(cold.loading_ns))));
  if (cold.compiling_ns > 0)
    parts.push_back(fmt::format("compiling ({})", format_ns(static_cast<double>(cold.compiling_ns))));
  if (cold.capturing_ns > 0)
    parts.push_back(fmt::format("capturing graphs ({})", format_ns(static_cast<double>(cold.capturing_ns))));
  f.title = "the trace includes a cold start: " + join(parts, " and ") + ", which happens once in a process";
  f.detail =
      cold.calls.empty() ? "The savings of the other findings include this first run." : costliest(c, cold) + ".";
  f.advice =
      "To judge the program itself, record after a few warm-up steps (torch.profiler.schedule(wait=1, warmup=2, "
      "active=3)). If the start itself matters, warm up before the first request, and capture graphs once for all "
      "sizes. Keep compiled kernels in a cache on disk (TORCHINDUCTOR_CACHE_DIR, MIOpen's and cuDNN's find "
      "databases).";
  std::vector<uint32_t> ops;
  for (const uint32_t i : cold.calls) {
    const uint32_t op = c.joined.links.call_operator[c.program.calls[i].row];
    if (op != kNone) ops.push_back(c.root_of(op));
  }
  f.where = c.places(ops);
  f.evidence = {{"slow_calls", static_cast<int64_t>(cold.calls.size())},
                {"loading_ns", cold.loading_ns},
                {"compiling_ns", cold.compiling_ns},
                {"captures", static_cast<int64_t>(cold.captures.size())},
                {"capturing_ns", cold.capturing_ns}};
  return f;
}

}  // namespace warplens::findings
