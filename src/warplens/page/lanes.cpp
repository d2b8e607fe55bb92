#include "warplens/page/lanes.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/page/operator_details.h"
#include "warplens/program/analysis/call_role.h"
#include "warplens/program/analysis/kernel_name.h"
#include "warplens/program/analysis/steps/steady_steps.h"

namespace warplens::page {
namespace {

constexpr uint32_t kNoText = 0;

/// Distinct texts, each with its row.
class Texts {
 public:
  explicit Texts(std::vector<std::string>& to) : to_(to) { row(""); }
  uint32_t row(std::string text) {
    const auto [at, is_new] = rows_.try_emplace(std::move(text), static_cast<uint32_t>(to_.size()));
    if (is_new) to_.push_back(at->first);
    return at->second;
  }

 private:
  std::vector<std::string>& to_;
  std::unordered_map<std::string, uint32_t> rows_;
};

class Builder {
 public:
  Builder(const Profile& profile, const analysis::Causes& causes, const analysis::Classes& classes,
          const analysis::ClassRules& rules)
      : p_(profile),
        causes_(causes),
        classes_(classes),
        operators_(profile, causes),
        texts_(out_.texts),
        class_names_(rules.names) {
    start_ns_ = origin_ns(p_);
    out_.window_ns = *std::max_element(p_.ranks.window_end_ns.begin(), p_.ranks.window_end_ns.end()) - start_ns_;
    names_.assign(p_.strings.size(), kNone);
  }

  Lanes build(const analysis::Timeline& timeline) {
    add_steps();
    add_idle(timeline);
    add_device_events();
    add_host();
    add_frames();
    return finish();
  }

 private:
  using Key = std::tuple<uint32_t, LaneKind, int64_t, int64_t>;  // rank, kind, device or thread, stream

  std::string rank_prefix(uint32_t rank) const {
    return p_.ranks.size() > 1 ? fmt::format("rank {} ", p_.ranks.rank[rank]) : "";
  }

  uint32_t lane(const Key& key, const std::string& group, const std::string& name) {
    const auto [at, is_new] = lane_rows_.try_emplace(key, static_cast<uint32_t>(out_.lanes.size()));
    if (is_new) {
      out_.lanes.emplace_back();
      out_.lanes.back().kind = std::get<1>(key);
      out_.lanes.back().group = rank_prefix(std::get<0>(key)) + group;
      out_.lanes.back().name = name;
    }
    return at->second;
  }

  uint32_t thread_lane(uint32_t thread) {
    const std::string_view name = p_.text(p_.threads.name[thread]), number = p_.text(p_.threads.thread[thread]);
    return lane({p_.threads.rank[thread], LaneKind::kThread, thread, 0}, "",
                name.empty()             ? fmt::format("thread {}", number)
                : contains(name, number) ? std::string(name)
                                         : fmt::format("{} ({})", name, number));
  }

  uint32_t class_row(std::string_view name) {
    const auto at = std::ranges::find(out_.classes, name);
    if (at != out_.classes.end()) return static_cast<uint32_t>(at - out_.classes.begin());
    out_.classes.emplace_back(name);
    return static_cast<uint32_t>(out_.classes.size() - 1);
  }

  uint32_t name_row(StringId id, bool is_kernel) {
    uint32_t& row = names_[static_cast<size_t>(id)];
    if (row == kNone) row = texts_.row(is_kernel ? analysis::short_kernel_name(p_.text(id)) : std::string(p_.text(id)));
    return row;
  }

  void add(uint32_t row, int64_t start_ns, int64_t duration_ns, uint32_t name, uint32_t class_of,
           uint32_t detail = kNoText) {
    Lane& lane = out_.lanes[row];
    lane.start_ns.push_back(start_ns - start_ns_);
    lane.duration_ns.push_back(std::max<int64_t>(duration_ns, 0));
    lane.name_of.push_back(name);
    lane.class_of.push_back(class_of);
    lane.detail_of.push_back(detail);
  }

  void add_steps() {
    const uint32_t step_class = class_row("step");
    const analysis::StepSet steps = analysis::step_set(p_, causes_.links.event_call);
    for (const analysis::StepTime& step : steps.times) {
      const uint32_t row = lane({step.rank, LaneKind::kSteps, 0, 0}, "", "steps");
      add(row, step.start_ns, step.length_ns(), texts_.row(fmt::format("step {}", step.number)), step_class);
    }
  }

  std::string device_name(uint32_t device) const { return fmt::format("GPU {}", p_.devices.ordinal[device]); }

  void add_idle(const analysis::Timeline& timeline) {
    for (const std::vector<analysis::Gap>& gaps : timeline.gaps) {
      for (const analysis::Gap& gap : gaps) {
        const uint32_t device = p_.device_events.device[gap.next];
        const uint32_t row =
            lane({p_.devices.rank[device], LaneKind::kIdle, device, 0}, device_name(device), "idle, by cause");
        const std::string_view cause = analysis::gap_cause_name(gap.cause);
        const uint32_t host = gap.host == kNone
                                  ? kNoText
                                  : texts_.row(fmt::format("the host is in {}", p_.text(p_.operators.name[gap.host])));
        add(row, gap.start_ns, gap.end_ns - gap.start_ns, texts_.row(fmt::format("idle: {}", cause)),
            class_row(fmt::format("idle: {}", cause)), host);
      }
    }
  }

  uint32_t kernel_detail(uint32_t row) {
    std::string text;
    const uint32_t op = causes_.links.event_operator[row], config = p_.device_events.launch_config[row];
    const auto line = [&](const std::string& more) { text += (text.empty() ? "" : "\n") + more; };
    if (op != kNone) {
      line(fmt::format("operator: {}", p_.text(p_.operators.name[op])));
      if (const std::string& more = operators_.of(op); !more.empty()) line(more);
    }
    if (config != kNone) {
      const auto c = row_of(p_.launch_configs, config);
      line(fmt::format("grid {},{},{} block {},{},{}, {} registers, {} shared", c.grid_x, c.grid_y, c.grid_z, c.block_x,
                       c.block_y, c.block_z, c.registers_per_thread,
                       format_bytes(static_cast<double>(c.shared_bytes))));
    }
    if (const int64_t bytes = p_.device_events.bytes[row]; bytes > 0) line(format_bytes(static_cast<double>(bytes)));
    return text.empty() ? kNoText : texts_.row(std::move(text));
  }

  void add_device_events() {
    const auto& events = p_.device_events;
    const uint32_t annotation = class_row("range");
    std::vector<uint32_t> of_class(class_names_.size(), kNone);
    for (uint32_t row = 0; row < events.size(); ++row) {
      const uint32_t device = events.device[row], rank = p_.devices.rank[device];
      const bool is_range = events.kind[row] == DeviceEventKind::kRange;
      const int64_t stream = events.stream[row];
      const uint32_t to = lane({rank, LaneKind::kStream, device, is_range ? -stream - 1 : stream}, device_name(device),
                               fmt::format("{}stream {}", is_range ? "ranges of " : "", stream));
      uint32_t class_of = annotation;
      if (!is_range) {
        uint32_t& known = of_class[classes_.of_event[row]];
        if (known == kNone) known = class_row(class_names_[classes_.of_event[row]]);
        class_of = known;
      }
      add(to, events.start_ns[row], events.duration_ns[row],
          name_row(events.name[row], events.kind[row] == DeviceEventKind::kKernel), class_of,
          is_range ? kNoText : kernel_detail(row));
      const uint32_t call = causes_.links.event_call[row];
      const uint32_t launch_lane = call == kNone ? 0 : 1 + thread_lane(p_.calls.thread[call]);  // may add a lane
      out_.lanes[to].launch_lane.push_back(launch_lane);
      out_.lanes[to].launch_before.push_back(
          call == kNone ? 0 : std::max<int64_t>(0, events.start_ns[row] - p_.calls.start_ns[call]));
    }
  }

  void add_host() {
    const uint32_t range = class_row("range"), op = class_row("operator"), call = class_row("CUDA call"),
                   sync = class_row("synchronization");
    for (uint32_t row = 0; row < p_.operators.size(); ++row) {
      if (p_.operators.kind[row] == OperatorKind::kInstant) continue;
      const std::string& detail = operators_.of(row);
      add(thread_lane(p_.operators.thread[row]), p_.operators.start_ns[row], p_.operators.duration_ns[row],
          name_row(p_.operators.name[row], false), p_.operators.kind[row] == OperatorKind::kRange ? range : op,
          detail.empty() ? kNoText : texts_.row(detail));
    }
    analysis::CallRoles roles(p_);
    for (uint32_t row = 0; row < p_.calls.size(); ++row)
      add(thread_lane(p_.calls.thread[row]), p_.calls.start_ns[row], p_.calls.duration_ns[row],
          name_row(p_.calls.name[row], false), analysis::is_sync(roles(row)) ? sync : call);
  }

  void add_frames() {
    const uint32_t frame = class_row("Python");
    for (uint32_t row = 0; row < p_.python_frames.size(); ++row) {
      const uint32_t thread = p_.python_frames.thread[row];
      const uint32_t to = lane({p_.threads.rank[thread], LaneKind::kPython, thread, 0}, "",
                               fmt::format("Python {}", p_.text(p_.threads.thread[thread])));
      add(to, p_.python_frames.start_ns[row], p_.python_frames.duration_ns[row],
          name_row(p_.python_frames.name[row], false), frame);
    }
  }

  /// Outer spans come before those that they hold.
  static void sort_spans(Lane& lane) {
    std::vector<uint32_t> order(lane.start_ns.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, [&](uint32_t a, uint32_t b) {
      return std::pair(lane.start_ns[a], -lane.duration_ns[a]) < std::pair(lane.start_ns[b], -lane.duration_ns[b]);
    });
    const auto permute = [&](auto& column) {
      if (column.empty()) return;
      auto moved = column;
      for (size_t i = 0; i < order.size(); ++i) moved[i] = column[order[i]];
      column = std::move(moved);
    };
    permute(lane.start_ns);
    permute(lane.duration_ns);
    permute(lane.name_of);
    permute(lane.class_of);
    permute(lane.detail_of);
    permute(lane.launch_lane);
    permute(lane.launch_before);
  }

  /// Lanes in the order of their keys: ranks, then steps, streams, idle time, threads. Empty ones are left out.
  Lanes finish() {
    std::vector<uint32_t> moved(out_.lanes.size(), 0);
    std::vector<Lane> lanes;
    for (const auto& [key, row] : lane_rows_) {
      if (out_.lanes[row].start_ns.empty()) continue;
      moved[row] = static_cast<uint32_t>(lanes.size()) + 1;
      lanes.push_back(std::move(out_.lanes[row]));
    }
    for (Lane& lane : lanes) {
      for (uint32_t& launch : lane.launch_lane) launch = launch == 0 ? 0 : moved[launch - 1];
      sort_spans(lane);
    }
    out_.lanes = std::move(lanes);
    return std::move(out_);
  }

  const Profile& p_;
  const analysis::Causes& causes_;
  const analysis::Classes& classes_;
  OperatorDetails operators_;
  Lanes out_;
  Texts texts_;
  const std::vector<std::string>& class_names_;
  std::map<Key, uint32_t> lane_rows_;
  std::vector<uint32_t> names_;  // of each interned string its row of texts, or kNone
  int64_t start_ns_ = 0;
};

}  // namespace

int64_t origin_ns(const Profile& profile) {
  const auto& starts = profile.ranks.window_start_ns;
  return *std::min_element(starts.begin(), starts.end());
}

Lanes lanes_of(const Profile& profile, const analysis::Causes& causes, const analysis::Classes& classes,
               const analysis::ClassRules& rules, const analysis::Timeline& timeline) {
  if (profile.ranks.size() == 0) return {};
  return Builder(profile, causes, classes, rules).build(timeline);
}

}  // namespace warplens::page
