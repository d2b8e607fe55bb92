#include "warplens/program/analysis/critical_path/steady_host.h"

#include <algorithm>

namespace warplens::analysis {
namespace {

constexpr int64_t kOrdinaryNs = 500'000;
constexpr double kSameCalls = 0.02;  // by which the number of calls may differ from step to step

/// The calls of one step.
struct Stretch {
  size_t begin, end;
  int64_t work_ns = 0;  // on the host, but for long stretches
  size_t size() const { return end - begin; }
};

std::vector<Stretch> stretches(const std::vector<Step>& steps, const Program& program) {
  std::vector<Stretch> out;
  for (const Step& step : steps) {
    if (step.rank != program.rank) continue;
    const auto at = [&](int64_t time) {
      return static_cast<size_t>(
          std::lower_bound(program.calls.begin(), program.calls.end(), time,
                           [](const ProgramCall& call, int64_t t) { return call.start_ns < t; }) -
          program.calls.begin());
    };
    if (!out.empty()) out.back().end = at(step.start_ns);
    out.push_back({at(step.start_ns), program.calls.size()});
  }
  for (Stretch& stretch : out) {
    for (size_t i = stretch.begin; i < stretch.end; ++i)
      stretch.work_ns +=
          program.calls[i].own_ns + (program.calls[i].before_ns < kOrdinaryNs ? program.calls[i].before_ns : 0);
  }
  return out;
}

bool same_calls(const std::vector<Stretch>& list) {
  const auto [least, most] = std::minmax_element(
      list.begin(), list.end(), [](const Stretch& a, const Stretch& b) { return a.size() < b.size(); });
  return static_cast<double>(most->size() - least->size()) <= kSameCalls * static_cast<double>(most->size());
}

}  // namespace

void take_steady_host(const std::vector<Step>& steps, Program& program) {
  const std::vector<Stretch> list = stretches(steps, program);
  if (list.size() < 2 || !same_calls(list)) return;
  std::vector<int64_t> work;
  for (const Stretch& stretch : list) work.push_back(stretch.work_ns);
  const auto middle = work.begin() + static_cast<std::ptrdiff_t>((work.size() - 1) / 2);
  std::nth_element(work.begin(), middle, work.end());
  const auto usual = static_cast<double>(*middle);
  for (const Stretch& stretch : list) {
    if (static_cast<double>(stretch.work_ns) <= usual) continue;
    const double factor = usual / static_cast<double>(stretch.work_ns);
    for (size_t i = stretch.begin; i < stretch.end; ++i) {
      ProgramCall& call = program.calls[i];
      call.own_ns = static_cast<int64_t>(static_cast<double>(call.own_ns) * factor);
      if (call.before_ns < kOrdinaryNs)
        call.before_ns = static_cast<int64_t>(static_cast<double>(call.before_ns) * factor);
    }
  }
}

}  // namespace warplens::analysis
