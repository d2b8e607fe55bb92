#include "warplens/program/analysis/diff/diff.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>

#include "warplens/base/text.h"
#include "warplens/program/analysis/diff/host_match.h"
#include "warplens/program/analysis/diff/match.h"
#include "warplens/program/analysis/diff/step_cost.h"
#include "warplens/program/analysis/kernel_name.h"
#include "warplens/program/analysis/memory/peak.h"

namespace warplens::analysis::diff {
namespace {

using Steps = std::vector<double>;

double mean(const Steps& steps) {
  return steps.empty() ? 0 : std::accumulate(steps.begin(), steps.end(), 0.0) / static_cast<double>(steps.size());
}

double range(Steps steps) {
  if (steps.size() < 2) return 0;
  std::sort(steps.begin(), steps.end());
  const size_t cut = steps.size() / 10;
  return steps[steps.size() - 1 - cut] - steps[cut];
}

/// Square of the standard error of the mean.
double squared_error(const Steps& steps) {
  if (steps.size() < 2) return 0;
  const double center = mean(steps);
  double sum = 0;
  for (const double step : steps) sum += (step - center) * (step - center);
  const auto n = static_cast<double>(steps.size());
  return sum / (n - 1) / n;
}

/// Student's t, two-sided 95 %, by degrees of freedom.
double student(size_t freedom) {
  static constexpr double kTable[] = {0, 12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23};
  return freedom < std::size(kTable) ? kTable[freedom] : 2.1;
}

std::optional<double> noise(const Steps& base, const Steps& fresh) {
  const size_t fewest = std::min(base.size(), fresh.size()), most = std::max(base.size(), fresh.size());
  if (most < 2) return std::nullopt;
  if (fewest < 2) {  // added, removed, or a single step: what the side with more shows holds for one step of the other
    const Steps& shown = base.size() == most ? base : fresh;
    const double one_step = squared_error(shown) * static_cast<double>(most + (fewest == 1));
    return std::max(range(shown), student(most - 1) * std::sqrt(one_step));
  }
  return std::max((range(base) + range(fresh)) / 2,
                  student(base.size() + fresh.size() - 2) * std::sqrt(squared_error(base) + squared_error(fresh)));
}

/// One side of a difference: what it costs in each step.
struct Side {
  std::string name;
  double count = 0;
  Steps steps;

  void add(const KernelCost& kernel, size_t devices) {
    steps.resize(kernel.step_ns.size());
    for (size_t s = 0; s < steps.size(); ++s)
      steps[s] += static_cast<double>(kernel.step_ns[s]) / static_cast<double>(devices);
    count += static_cast<double>(kernel.count) / static_cast<double>(steps.size() * devices);
  }
};

Change judge(const Difference& d, bool in_base, bool in_new, double floor_fraction) {
  if (!in_base) return Change::kAdded;
  if (!in_new) return Change::kRemoved;
  const double change = std::fabs(d.difference_ns());
  if (change <= d.noise_ns.value_or(0) || change <= floor_fraction * d.base_ns) return Change::kSame;
  return d.difference_ns() > 0 ? Change::kSlower : Change::kFaster;
}

Difference compare(const Side* base, const Side* fresh, const DiffOptions& options) {
  Difference d;
  if (base != nullptr) {
    d.base_name = base->name;
    d.base_count = base->count;
    d.base_ns = mean(base->steps);
  }
  if (fresh != nullptr) {
    d.new_name = fresh->name;
    d.new_count = fresh->count;
    d.new_ns = mean(fresh->steps);
  }
  d.noise_ns = noise(base != nullptr ? base->steps : Steps{}, fresh != nullptr ? fresh->steps : Steps{});
  d.change = judge(d, base != nullptr, fresh != nullptr, options.floor_fraction);
  return d;
}

void largest_first(std::vector<Difference>& list) {
  std::stable_sort(list.begin(), list.end(), [](const Difference& a, const Difference& b) {
    return std::fabs(a.difference_ns()) > std::fabs(b.difference_ns());
  });
}

std::vector<Difference> compare_rows(const std::map<std::string, std::pair<Side, Side>>& rows,
                                     const DiffOptions& options) {
  std::vector<Difference> list;
  for (const auto& [name, row] : rows)
    list.push_back(compare(row.first.steps.empty() ? nullptr : &row.first,
                           row.second.steps.empty() ? nullptr : &row.second, options));
  largest_first(list);
  return list;
}

using NameOf = std::string (*)(const KernelCost&);

/// Pairs of kernels added up by what `name_of` calls their two sides.
std::vector<Difference> by_name(const ProgramCost& base, const ProgramCost& fresh, const std::vector<Pair>& pairs,
                                NameOf name_of, const DiffOptions& options) {
  std::map<std::string, std::string> base_name;  // of a new name, where kernels of the two were paired
  for (const Pair& pair : pairs) {
    if (pair.base != kNone && pair.fresh != kNone)
      base_name.emplace(name_of(fresh.kernels[pair.fresh]), name_of(base.kernels[pair.base]));
  }
  std::map<std::string, std::pair<Side, Side>> rows;  // by the base's name, else the new one's
  const auto add = [](Side& side, const std::string& name, const KernelCost& kernel, size_t devices) {
    side.name = name;
    side.add(kernel, devices);
  };
  for (const Pair& pair : pairs) {
    if (pair.base != kNone) {
      const std::string name = name_of(base.kernels[pair.base]);
      add(rows[name].first, name, base.kernels[pair.base], base.devices);
    }
    if (pair.fresh != kNone) {
      const std::string name = name_of(fresh.kernels[pair.fresh]);
      const auto renamed = base_name.find(name);
      add(rows[renamed == base_name.end() ? name : renamed->second].second, name, fresh.kernels[pair.fresh],
          fresh.devices);
    }
  }
  return compare_rows(rows, options);
}

std::vector<Difference> class_differences(const ProgramCost& base, const ProgramCost& fresh,
                                          const DiffOptions& options) {
  std::map<std::string, std::pair<Side, Side>> rows;
  const auto add = [](Side& side, const KernelCost& kernel, size_t devices) {
    side.name = kernel.class_name;
    side.add(kernel, devices);
  };
  for (const KernelCost& kernel : base.kernels) add(rows[kernel.class_name].first, kernel, base.devices);
  for (const KernelCost& kernel : fresh.kernels) add(rows[kernel.class_name].second, kernel, fresh.devices);
  return compare_rows(rows, options);
}

/// Names that would fill pages keep their beginning and a number that tells them apart.
std::string bounded(std::string name) {
  constexpr size_t kLongestName = 400;
  if (name.size() <= kLongestName) return name;
  const auto hash = static_cast<uint32_t>(std::hash<std::string>()(name));
  name.resize(kLongestName);
  while (!name.empty() && (static_cast<unsigned char>(name.back()) & 0xC0) == 0x80) name.pop_back();
  if (!name.empty() && static_cast<unsigned char>(name.back()) >= 0xC0) name.pop_back();
  return fmt::format("{}… #{:08x}", name, hash);
}

std::string operator_name(const KernelCost& kernel) {
  if (kernel.op.empty()) return "(no operator)";
  return bounded(kernel.shapes.empty() ? kernel.op : kernel.op + ' ' + kernel.shapes);
}

std::string kernel_name(const KernelCost& kernel) {
  const std::string name = bounded(short_kernel_name(kernel.kernel));
  return kernel.op.empty() ? name : fmt::format("{} [{}]", name, bounded(kernel.op));
}

std::vector<Difference> host_differences(const ProgramCost& base, const ProgramCost& fresh,
                                         const DiffOptions& options) {
  std::vector<Difference> list;
  const auto side = [](const HostCost& cost) {
    return Side{bounded(cost.name), static_cast<double>(cost.count) / static_cast<double>(cost.step_ns.size()),
                Steps(cost.step_ns.begin(), cost.step_ns.end())};
  };
  for (const auto& [before, after] : match_host(base, fresh)) {
    const Side b = before ? side(*before) : Side{}, n = after ? side(*after) : Side{};
    list.push_back(compare(before ? &b : nullptr, after ? &n : nullptr, options));
  }
  largest_first(list);
  return list;
}

std::vector<Difference> kernel_differences(const ProgramCost& base, const ProgramCost& fresh,
                                           const std::vector<Pair>& pairs, const DiffOptions& options) {
  std::vector<Difference> list;
  const auto side = [](const ProgramCost& cost, uint32_t row) {
    Side s{kernel_name(cost.kernels[row]), 0, {}};
    s.add(cost.kernels[row], cost.devices);
    return s;
  };
  for (const Pair& pair : pairs) {
    const Side b = pair.base == kNone ? Side{} : side(base, pair.base),
               n = pair.fresh == kNone ? Side{} : side(fresh, pair.fresh);
    list.push_back(compare(pair.base == kNone ? nullptr : &b, pair.fresh == kNone ? nullptr : &n, options));
  }
  largest_first(list);
  return list;
}

Steps idle_of(const ProgramCost& cost) {
  Steps idle;
  for (size_t s = 0; s < cost.steps(); ++s) idle.push_back(cost.wall_ns[s] - cost.busy_ns[s]);
  return idle;
}

Steps steady_idle_of(const ProgramCost& cost) {
  Steps idle;
  for (size_t s = 0; s < cost.steps(); ++s) idle.push_back(std::max(0.0, cost.pace_ns[s] - cost.work_ns[s]));
  return idle;
}

/// Whether every value of one side lies beyond every value of the other.
bool apart(const Steps& base, const Steps& fresh) {
  const auto [base_least, base_most] = std::minmax_element(base.begin(), base.end());
  const auto [new_least, new_most] = std::minmax_element(fresh.begin(), fresh.end());
  return *new_most < *base_least || *new_least > *base_most;
}

/// Few steps leave the host's part of a step uncertain; what the device does is steady.
void judge_by_device_work(const ProgramCost& base, const ProgramCost& fresh, const DiffOptions& options, Diff& diff) {
  const bool same_way = diff.busy.difference_ns() * diff.wall.difference_ns() > 0;
  const bool large = std::fabs(diff.wall.difference_ns()) > options.floor_fraction * diff.wall.base_ns;
  if (diff.wall.change != Change::kSame || diff.busy.change == Change::kSame || !same_way || !large ||
      !apart(base.pace_ns, fresh.pace_ns))
    return;
  diff.wall.change = diff.busy.change;
  diff.by_device_work = true;
}

}  // namespace

std::string_view name(Change change) {
  switch (change) {
    case Change::kAdded: return "added";
    case Change::kRemoved: return "removed";
    case Change::kSlower: return "slower";
    case Change::kFaster: return "faster";
    case Change::kSame: break;
  }
  return "same";
}

Diff diff_profiles(const Profile& base_profile, const Profile& new_profile, const ClassRules& rules,
                   const DiffOptions& options) {
  const ProgramCost base = program_cost(base_profile, rules), fresh = program_cost(new_profile, rules);
  Diff diff;
  diff.base_has_steps = base.has_steps;
  diff.new_has_steps = fresh.has_steps;
  diff.base_left_out = base.left_out;
  diff.new_left_out = fresh.left_out;
  diff.base_steps = base.steps();
  diff.new_steps = fresh.steps();
  // Noise is judged by what does not depend on how far the host is ahead.
  const auto whole = [&](const char* what, const Steps& b, const Steps& n, const Steps& steady_b,
                         const Steps& steady_n) {
    const Side base_side{what, 1, b}, new_side{what, 1, n};
    Difference d = compare(&base_side, &new_side, options);
    d.noise_ns = noise(steady_b, steady_n);
    d.change = judge(d, true, true, options.floor_fraction);
    return d;
  };
  diff.wall = whole("step", base.wall_ns, fresh.wall_ns, base.pace_ns, fresh.pace_ns);
  diff.busy = whole("GPU busy", base.busy_ns, fresh.busy_ns, base.work_ns, fresh.work_ns);
  diff.idle = whole("GPU idle", idle_of(base), idle_of(fresh), steady_idle_of(base), steady_idle_of(fresh));
  for (const auto& [what, part] : {std::pair("computation", &ProgramCost::computation_ns),
                                   std::pair("exposed communication", &ProgramCost::exposed_communication_ns),
                                   std::pair("exposed copies", &ProgramCost::exposed_copies_ns)}) {
    const Difference d = whole(what, base.*part, fresh.*part, base.*part, fresh.*part);
    if (d.base_ns > 0 || d.new_ns > 0) diff.parts.push_back(d);
  }
  judge_by_device_work(base, fresh, options, diff);
  diff.base_peak_bytes = most_allocated_bytes(base_profile);
  diff.new_peak_bytes = most_allocated_bytes(new_profile);
  diff.base_devices = base.device_names;
  diff.new_devices = fresh.device_names;
  diff.host = host_differences(base, fresh, options);
  const std::vector<Pair> pairs = match_kernels(base, fresh);
  diff.classes = class_differences(base, fresh, options);
  diff.operators = by_name(base, fresh, pairs, &operator_name, options);
  diff.kernels = kernel_differences(base, fresh, pairs, options);
  return diff;
}

}  // namespace warplens::analysis::diff
