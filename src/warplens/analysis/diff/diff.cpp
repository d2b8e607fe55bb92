#include "warplens/analysis/diff/diff.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "warplens/analysis/diff/match.h"
#include "warplens/analysis/diff/step_cost.h"
#include "warplens/analysis/kernel_name.h"
#include "warplens/base/text.h"

namespace warplens::analysis {
namespace {

using Steps = std::vector<double>;

double mean(const Steps& steps) { return steps.empty() ? 0 : std::accumulate(steps.begin(), steps.end(), 0.0) / static_cast<double>(steps.size()); }

double range(Steps steps) {
  if (steps.size() < 2) return 0;
  std::sort(steps.begin(), steps.end());
  const size_t cut = steps.size() / 10;
  return steps[steps.size() - 1 - cut] - steps[cut];
}

/// One side of a difference: what it costs in each step.
struct Side {
  std::string name;
  double count = 0;
  Steps steps;

  void add(const KernelCost& kernel, size_t devices) {
    steps.resize(kernel.step_ns.size());
    for (size_t s = 0; s < steps.size(); ++s) steps[s] += static_cast<double>(kernel.step_ns[s]) / static_cast<double>(devices);
    count += static_cast<double>(kernel.count) / static_cast<double>(steps.size() * devices);
  }
};

Change judge(const Difference& d, bool in_base, bool in_new, double floor_fraction) {
  if (!in_base) return Change::kAdded;
  if (!in_new) return Change::kRemoved;
  const double change = std::fabs(d.difference_ns());
  if (change <= d.noise_ns || change <= floor_fraction * d.base_ns) return Change::kSame;
  return d.difference_ns() > 0 ? Change::kSlower : Change::kFaster;
}

Difference compare(const Side* base, const Side* fresh, const DiffOptions& options) {
  Difference d;
  if (base != nullptr) d.base_name = base->name, d.base_count = base->count, d.base_ns = mean(base->steps), d.noise_ns += range(base->steps) / 2;
  if (fresh != nullptr) d.new_name = fresh->name, d.new_count = fresh->count, d.new_ns = mean(fresh->steps), d.noise_ns += range(fresh->steps) / 2;
  d.change = judge(d, base != nullptr, fresh != nullptr, options.floor_fraction);
  return d;
}

void largest_first(std::vector<Difference>& list) {
  std::stable_sort(list.begin(), list.end(), [](const Difference& a, const Difference& b) { return std::fabs(a.difference_ns()) > std::fabs(b.difference_ns()); });
}

using NameOf = std::string (*)(const KernelCost&);

/// Pairs of kernels added up by what `name_of` calls their two sides.
std::vector<Difference> by_name(const ProgramCost& base, const ProgramCost& fresh, const std::vector<Pair>& pairs, NameOf name_of, const DiffOptions& options) {
  std::map<std::string, std::string> base_name;  // of a new name, where kernels of the two were paired
  for (const Pair& pair : pairs)
    if (pair.base != kNone && pair.fresh != kNone) base_name.emplace(name_of(fresh.kernels[pair.fresh]), name_of(base.kernels[pair.base]));
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
      add(rows[renamed == base_name.end() ? name : renamed->second].second, name, fresh.kernels[pair.fresh], fresh.devices);
    }
  }
  std::vector<Difference> list;
  for (const auto& [name, row] : rows)
    list.push_back(compare(row.first.steps.empty() ? nullptr : &row.first, row.second.steps.empty() ? nullptr : &row.second, options));
  largest_first(list);
  return list;
}

std::string operator_name(const KernelCost& kernel) {
  if (kernel.op.empty()) return "(no operator)";
  return kernel.shapes.empty() ? kernel.op : kernel.op + ' ' + kernel.shapes;
}

std::string kernel_name(const KernelCost& kernel) {
  const std::string name = short_kernel_name(kernel.kernel);
  return kernel.op.empty() ? name : fmt::format("{} [{}]", name, kernel.op);
}

std::vector<Difference> kernel_differences(const ProgramCost& base, const ProgramCost& fresh, const std::vector<Pair>& pairs, const DiffOptions& options) {
  std::vector<Difference> list;
  const auto side = [](const ProgramCost& cost, uint32_t row) {
    Side s{kernel_name(cost.kernels[row]), 0, {}};
    s.add(cost.kernels[row], cost.devices);
    return s;
  };
  for (const Pair& pair : pairs) {
    const Side b = pair.base == kNone ? Side{} : side(base, pair.base), n = pair.fresh == kNone ? Side{} : side(fresh, pair.fresh);
    list.push_back(compare(pair.base == kNone ? nullptr : &b, pair.fresh == kNone ? nullptr : &n, options));
  }
  largest_first(list);
  return list;
}

Steps idle_of(const ProgramCost& cost) {
  Steps idle;
  for (size_t s = 0; s < cost.steps(); ++s) idle.push_back(std::max(0.0, cost.wall_ns[s] - cost.busy_ns[s]));
  return idle;
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

Diff diff_profiles(const Profile& base_profile, const Profile& new_profile, const DiffOptions& options) {
  const ProgramCost base = program_cost(base_profile), fresh = program_cost(new_profile);
  Diff diff;
  diff.base_has_steps = base.has_steps, diff.new_has_steps = fresh.has_steps;
  diff.base_steps = base.steps(), diff.new_steps = fresh.steps();
  const auto whole = [&](const char* what, Steps b, Steps n) {
    const Side base_side{what, 1, std::move(b)}, new_side{what, 1, std::move(n)};
    return compare(&base_side, &new_side, options);
  };
  diff.wall = whole("step", base.wall_ns, fresh.wall_ns);
  diff.busy = whole("GPU busy", base.busy_ns, fresh.busy_ns);
  diff.idle = whole("GPU idle", idle_of(base), idle_of(fresh));
  const std::vector<Pair> pairs = match_kernels(base, fresh);
  diff.operators = by_name(base, fresh, pairs, &operator_name, options);
  diff.kernels = kernel_differences(base, fresh, pairs, options);
  return diff;
}

}  // namespace warplens::analysis
