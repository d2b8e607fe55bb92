#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/analysis/kernel_name.h"
#include "warplens/program/findings/counted/counted_kernels.h"
#include "warplens/program/findings/counted/name_key.h"

namespace warplens::findings {
namespace {

using Shape = std::array<int64_t, 6>;  // grid and block; zeros: not known
using Key = std::pair<std::string, Shape>;

constexpr size_t kNamed = 4;  // of what did not join

Shape shape_of(const CountedLaunch& launch) {
  const auto &g = launch.grid, &b = launch.block;
  return {g[0], g[1], g[2], b[0], b[1], b[2]};
}

Shape shape_of(const Profile& p, uint32_t row) {
  const uint32_t config = p.device_events.launch_config[row];
  if (config == kNone) return {};
  const auto& c = p.launch_configs;
  return {c.grid_x[config],  c.grid_y[config],  c.grid_z[config],
          c.block_x[config], c.block_y[config], c.block_z[config]};
}

std::string shape_text(const Shape& s) {
  return fmt::format("{},{},{} x {},{},{}", s[0], s[1], s[2], s[3], s[4], s[5]);
}

/// What a reader would be told of it: launches that agree in this are as good as one.
auto cause_of(const CountedLaunch& launch) { return std::tie(launch.id, launch.where, launch.bound_by); }

/// Name keys, made once a name.
class Names {
 public:
  const std::string& key(std::string_view name, NameDetail detail) {
    auto& keys = keys_[std::string(name)];
    if (keys.empty()) {
      for (const NameDetail each : kNameDetails) keys.push_back(name_key(name, each));
    }
    return keys[static_cast<size_t>(detail)];
  }

 private:
  std::unordered_map<std::string, std::vector<std::string>> keys_;
};

class Joiner {
 public:
  Joiner(const Profile& profile, CountedKernels& out) : p_(profile), out_(out) {
    for (uint32_t row = 0; row < p_.device_events.size(); ++row) {
      if (p_.device_events.kind[row] == DeviceEventKind::kKernel) rows_.push_back(row);
    }
    std::ranges::stable_sort(rows_, {}, [&](uint32_t row) {
      const auto& events = p_.device_events;
      return std::tuple(rank_of(row), events.correlation[row], events.start_ns[row]);
    });
    launch_joined_.resize(out_.launches.size());
    out_.joins.resize(p_.device_events.size());
  }

  void join_all() {
    for (const NameDetail detail : kNameDetails) join_level(detail, true);
    for (const NameDetail detail : kNameDetails) join_level(detail, false);
    count();
    out_.causes = causes_of(p_, out_, rows_);
    tell_missing();
  }

 private:
  uint32_t rank_of(uint32_t row) const { return p_.devices.rank[p_.device_events.device[row]]; }
  std::string_view name_of(uint32_t row) const { return p_.text(p_.device_events.name[row]); }

  /// Groups what has not joined yet. Without shapes only where one side does not know them.
  void join_level(NameDetail detail, bool by_shape) {
    std::map<Key, std::vector<uint32_t>> counted;
    for (uint32_t i = 0; i < out_.launches.size(); ++i) {
      const Shape shape = shape_of(out_.launches[i]);
      if (launch_joined_[i] || (by_shape && shape == Shape{})) continue;
      counted[{names_.key(out_.launches[i].name, detail), by_shape ? shape : Shape{}}].push_back(i);
    }
    std::map<std::pair<uint32_t, Key>, std::vector<uint32_t>> timeline;  // by rank
    for (const uint32_t row : rows_) {
      if (out_.joins[row].launch != kNone) continue;
      const Shape shape = shape_of(p_, row);
      if (by_shape && shape == Shape{}) continue;
      timeline[{rank_of(row), {names_.key(name_of(row), detail), by_shape ? shape : Shape{}}}].push_back(row);
    }
    for (const auto& [key, rows] : timeline) {
      const auto found = counted.find(key.second);
      if (found == counted.end() || key.second.first.empty()) continue;
      if (!by_shape && !shapes_unknown(rows, found->second)) continue;
      join_group(rows, found->second, by_shape ? JoinedBy::kShape : JoinedBy::kName);
    }
  }

  bool shapes_unknown(const std::vector<uint32_t>& rows, const std::vector<uint32_t>& launches) const {
    return std::ranges::all_of(rows, [&](uint32_t row) { return shape_of(p_, row) == Shape{}; }) ||
           std::ranges::all_of(launches, [&](uint32_t i) { return shape_of(out_.launches[i]) == Shape{}; });
  }

  void join_group(const std::vector<uint32_t>& rows, const std::vector<uint32_t>& launches, JoinedBy by) {
    for (const uint32_t i : launches) launch_joined_[i] = true;
    if (rows.size() == launches.size()) {
      for (size_t k = 0; k < rows.size(); ++k)
        out_.joins[rows[k]] = {launches[k], by == JoinedBy::kShape ? JoinedBy::kOrder : by, 1};
      return;
    }
    std::map<decltype(cause_of(out_.launches[0])), std::vector<uint32_t>> causes;
    for (const uint32_t i : launches) causes[cause_of(out_.launches[i])].push_back(i);
    std::set<std::string_view> names;  // a coarse key may hold several of the timeline's kernels
    for (const uint32_t row : rows) names.insert(name_of(row));
    const auto most = std::ranges::max_element(causes, {}, [](const auto& each) { return each.second.size(); });
    const size_t candidates = std::max(causes.size(), names.size());
    const auto bounded = static_cast<uint16_t>(std::min<size_t>(candidates, std::numeric_limits<uint16_t>::max()));
    for (const uint32_t row : rows) out_.joins[row] = {most->second.front(), by, bounded};
  }

  void count() {
    for (const uint32_t row : rows_) {
      const Join& join = out_.joins[row];
      const int64_t ns = p_.device_events.duration_ns[row];
      ++out_.kernels;
      out_.kernels_ns += ns;
      if (join.launch == kNone) continue;
      ++out_.kernels_joined;
      out_.joined_ns += ns;
      if (join.candidates > 1) out_.ambiguous_ns += ns;
    }
    out_.launches_joined = static_cast<size_t>(std::ranges::count(launch_joined_, true));
  }

  /// "a (1.2 ms), b (30 us) and 4 more", the costliest first.
  static std::string list(const std::map<std::string, int64_t>& by_name, bool times) {
    std::vector<std::pair<int64_t, std::string>> order;
    for (const auto& [name, amount] : by_name) order.emplace_back(amount, name);
    std::ranges::sort(order, std::greater());
    std::string out;
    for (size_t i = 0; i < std::min(kNamed, order.size()); ++i) {
      const std::string amount =
          times ? format_ns(static_cast<double>(order[i].first)) : fmt::format("{}", order[i].first);
      out += fmt::format("{}{} ({})", i ? ", " : "", ellipsis(order[i].second, 60), amount);
    }
    return order.size() > kNamed ? fmt::format("{} and {} more", out, order.size() - kNamed) : out;
  }

  void tell_missing() {
    std::map<std::string, int64_t> uncounted, unclear;
    std::map<std::string, std::set<std::string>> other_sizes;  // by function: shapes of the timeline
    for (const uint32_t row : rows_) {
      const Join& join = out_.joins[row];
      const std::string& key = names_.key(name_of(row), NameDetail::kFunction);
      other_sizes[key].insert(shape_text(shape_of(p_, row)));
      const int64_t ns = p_.device_events.duration_ns[row];
      if (join.launch == kNone) uncounted[key] += ns;
      else if (join.candidates > 1) unclear[key] += ns;
    }
    std::map<std::string, int64_t> absent;
    for (size_t i = 0; i < out_.launches.size(); ++i) {
      if (launch_joined_[i]) continue;
      const std::string& key = names_.key(out_.launches[i].name, NameDetail::kFunction);
      const auto other = other_sizes.find(key);
      ++absent[other == other_sizes.end()
                   ? key
                   : fmt::format("{} of {}; in the timeline {}", key, shape_text(shape_of(out_.launches[i])),
                                 *other->second.begin())];
    }
    if (!uncounted.empty()) out_.notes.push_back("kernels without counters: " + list(uncounted, true));
    if (!absent.empty()) out_.notes.push_back("counted launches that no kernel fits: " + list(absent, false));
    if (!unclear.empty())
      out_.notes.push_back("several counted launches fit, and their causes differ; the most frequent is shown: " +
                           list(unclear, true));
    tell_devices();
  }

  void tell_devices() {
    std::set<std::string> counted_on, ran_on;
    for (const CountedLaunch& launch : out_.launches) counted_on.insert(launch.device);
    for (uint32_t i = 0; i < p_.devices.size(); ++i) ran_on.insert(std::string(p_.text(p_.devices.name[i])));
    for (const std::string& device : counted_on) {
      const std::string model = device.substr(0, device.find(' '));
      const bool fits =
          std::ranges::any_of(ran_on, [&](const std::string& name) { return name.empty() || contains(name, model); });
      if (!fits && !device.empty() && !ran_on.empty())
        out_.notes.push_back(fmt::format("the counters are of {}, the timeline of {}", device, *ran_on.begin()));
    }
  }

  const Profile& p_;
  CountedKernels& out_;
  Names names_;
  std::vector<uint32_t> rows_;  // of kernels, by rank and in the order of their launches
  std::vector<bool> launch_joined_;
};

}  // namespace

const char* join_name(JoinedBy by) {
  constexpr const char* kNames[] = {"order", "shape", "name"};
  return kNames[static_cast<size_t>(by)];
}

CountedKernels join_counters(const Profile& profile, std::vector<CountedLaunch> launches,
                             std::vector<std::string> notes) {
  CountedKernels out;
  out.launches = std::move(launches);
  out.notes = std::move(notes);
  Joiner(profile, out).join_all();
  return out;
}

std::vector<CountedCause> causes_of(const Profile& profile, const CountedKernels& counted,
                                    const std::vector<uint32_t>& events) {
  std::vector<CountedCause> out;
  if (!counted.any()) return out;
  std::map<std::pair<StringId, uint32_t>, CountedCause> causes;
  for (const uint32_t row : events) {
    const Join& join = counted.joins[row];
    if (join.launch == kNone) continue;
    const CountedLaunch& launch = counted.launches[join.launch];
    CountedCause& cause = causes[{profile.device_events.name[row], join.launch}];
    ++cause.events;
    cause.device_ns += profile.device_events.duration_ns[row];
    if (cause.events > 1) continue;
    cause.kernel = std::string(profile.text(profile.device_events.name[row]));
    cause.label = analysis::short_kernel_name(cause.kernel);
    cause.grid = launch.grid;
    cause.block = launch.block;
    cause.joined_by = join_name(join.by);
    if (join.candidates > 1) cause.ambiguous = fmt::format("one of {} that fit", join.candidates);
    cause.counted_ns = launch.ns;
    cause.counted_by = (launch.emulated ? "an emulated " : "") + launch.device;
    cause.bound_by = launch.bound_by;
    cause.id = launch.id;
    cause.title = launch.title;
    cause.advice = launch.advice;
    cause.saving_fraction = launch.saving_fraction;
    cause.where = launch.where;
  }
  for (auto& [key, cause] : causes) out.push_back(std::move(cause));
  std::ranges::stable_sort(out, std::greater(), &CountedCause::device_ns);
  return out;
}

}  // namespace warplens::findings
