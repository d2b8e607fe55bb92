#include "warplens/program/analysis/cut/cut.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "warplens/base/json.h"
#include "warplens/base/text.h"
#include "warplens/base/timing.h"
#include "warplens/base/units.h"
#include "warplens/program/analysis/cut/keep.h"
#include "warplens/program/analysis/cut/windows.h"
#include "warplens/program/analysis/links.h"
#include "warplens/program/analysis/steps/steps.h"
#include "warplens/trace/profile/checks/cuts.h"

namespace warplens::analysis {
namespace {

/// Which rows of each table stay, and where those that cross an edge now begin and end.
class Cutter {
 public:
  Cutter(Profile& profile, const Cut& cut, CutWindows windows)
      : p_(profile), cut_(cut), windows_(std::move(windows)), links_(link_events(profile, operator_forest(profile))) {
    for (uint32_t row = 0; row < p_.ranks.size(); ++row) rank_.push_back(!cut.rank || p_.ranks.rank[row] == *cut.rank);
    for (uint32_t row = 0; row < p_.devices.size(); ++row)
      device_.push_back(rank_[p_.devices.rank[row]] && (!cut.device || p_.devices.ordinal[row] == *cut.device));
  }

  /// The number of events left out.
  int64_t run() {
    const int64_t before = events();
    choose_device_events();
    choose_calls();
    const std::vector<uint32_t> no_steps = parts_of_steps();
    host_rows(p_.operators, [&](uint32_t row) { return p_.operators.kind[row] == OperatorKind::kInstant; });
    for (const uint32_t row : no_steps) host_[&p_.operators][row] = false;
    host_rows(p_.python_frames, [](uint32_t) { return false; });
    host_rows(p_.overheads, [](uint32_t) { return false; });
    choose_synchronizations();
    choose_instants();
    choose_other_events();
    set_windows();
    drop_rows();
    return before - events();
  }

 private:
  int64_t events() const {
    return static_cast<int64_t>(p_.operators.size() + p_.calls.size() + p_.device_events.size() +
                                p_.python_frames.size() + p_.synchronizations.size() + p_.allocations.size() +
                                p_.overheads.size() + p_.other_events.size());
  }

  // --- device work
  /// Whether a rank's device work is known by its launches; where none is, it belongs where it ran.
  std::vector<bool> ranks_with_launches() const {
    std::vector<bool> out(p_.ranks.size());
    for (uint32_t row = 0; row < p_.device_events.size(); ++row) {
      if (links_.event_call[row] != kNone || links_.event_operator[row] != kNone) out[rank_of_event(p_, row)] = true;
    }
    return out;
  }

  bool launched_in_windows(uint32_t row, bool rank_has_launches) const {
    const uint32_t rank = rank_of_event(p_, row), call = links_.event_call[row], op = links_.event_operator[row];
    if (call != kNone) return windows_.chosen_at(rank, p_.calls.start_ns[call]);
    if (op != kNone) return windows_.chosen_at(rank, p_.operators.start_ns[op]);
    const auto& t = p_.device_events;
    return !rank_has_launches && windows_.kept(rank, t.start_ns[row], t.duration_ns[row]).has_value();
  }

  bool on_chosen_device(uint32_t row) const {
    const auto& t = p_.device_events;
    return device_[t.device[row]] && (!cut_.stream || t.stream[row] == *cut_.stream) &&
           t.duration_ns[row] >= cut_.shortest_ns;
  }

  void choose_device_events() {
    auto& t = p_.device_events;
    const std::vector<bool> launches = ranks_with_launches();
    device_rows_.assign(t.size(), false);
    work_.assign(p_.devices.size(), {INT64_MAX, INT64_MIN});
    for (uint32_t row = 0; row < t.size(); ++row) {
      if (t.kind[row] == DeviceEventKind::kRange || !on_chosen_device(row)) continue;
      const auto part = windows_.within_times(t.start_ns[row], t.duration_ns[row]);
      if (!part || (windows_.of_host && !launched_in_windows(row, launches[rank_of_event(p_, row)]))) continue;
      device_rows_[row] = true;
      set_span(t, row, *part);
      Span& work = work_[t.device[row]];
      work = {std::min(work.start_ns, part->start_ns), std::max(work.end_ns, part->end_ns)};
    }
    for (uint32_t row = 0; row < t.size(); ++row) {
      if (t.kind[row] == DeviceEventKind::kRange && on_chosen_device(row)) choose_device_range(row);
    }
  }

  /// The device's side of a range stays where its host side does, over the work that stays.
  void choose_device_range(uint32_t row) {
    auto& t = p_.device_events;
    std::optional<Span> part = windows_.within_times(t.start_ns[row], t.duration_ns[row]);
    if (part && windows_.of_host) {
      const uint32_t op = links_.event_operator[row];
      if (op != kNone &&
          !windows_.kept(rank_of_operator(p_, op), p_.operators.start_ns[op], p_.operators.duration_ns[op]))
        return;
      const Span work = work_[t.device[row]];
      part = Span{std::max(part->start_ns, work.start_ns), std::min(part->end_ns, work.end_ns)};
      if (part->start_ns >= part->end_ns) return;
    }
    if (!part) return;
    device_rows_[row] = true;
    set_span(t, row, *part);
  }

  // --- host
  template <typename Table>
  static void set_span(Table& table, uint32_t row, Span span) {
    if (table.start_ns[row] == span.start_ns && table.duration_ns[row] == span.end_ns - span.start_ns) return;
    if (table.duration_ns[row] < 0) return;
    table.start_ns.at(row) = span.start_ns;
    table.duration_ns.at(row) = span.end_ns - span.start_ns;
  }

  template <typename Table, typename IsInstant>
  void host_rows(Table& t, IsInstant is_instant) {
    std::vector<bool>& rows = host_[&t];
    rows.assign(t.size(), false);
    for (uint32_t row = 0; row < t.size(); ++row) {
      const uint32_t rank = p_.threads.rank[t.thread[row]];
      if (!rank_[rank] || (t.duration_ns[row] < cut_.shortest_ns && !is_instant(row))) continue;
      const auto part = windows_.kept(rank, t.start_ns[row], t.duration_ns[row]);
      if (!part) continue;
      rows[row] = true;
      set_span(t, row, *part);
    }
  }

  void choose_calls() {
    auto& t = p_.calls;
    std::vector<bool> had_work(t.size()), has_work(t.size());
    for (uint32_t row = 0; row < p_.device_events.size(); ++row) {
      const uint32_t call = links_.event_call[row];
      if (call == kNone) continue;
      had_work[call] = true;
      if (device_rows_[row]) has_work[call] = true;
    }
    host_rows(t, [&](uint32_t row) { return has_work[row]; });
    for (uint32_t row = 0; row < t.size(); ++row) {
      if (had_work[row] && !has_work[row]) t.correlation.at(row) = 0;
    }
  }

  /// A step that a time cuts is none: what it took is not known any more.
  std::vector<uint32_t> parts_of_steps() const {
    std::vector<uint32_t> out;
    const auto& t = p_.operators;
    for (uint32_t row = 0; row < t.size(); ++row) {
      const int64_t start_ns = t.start_ns[row], end_ns = start_ns + t.duration_ns[row];
      const bool crosses = start_ns < windows_.times.start_ns || end_ns > windows_.times.end_ns;
      if (crosses && t.kind[row] == OperatorKind::kRange && step_number(p_.text(t.name[row]))) out.push_back(row);
    }
    return out;
  }

  // --- the rest
  void choose_synchronizations() {
    auto& t = p_.synchronizations;
    std::vector<bool>& rows = host_[&t];
    rows.assign(t.size(), false);
    for (uint32_t row = 0; row < t.size(); ++row) {
      if (t.device[row] != kNone && !device_[t.device[row]]) continue;
      if (cut_.stream && t.stream[row] >= 0 && t.stream[row] != *cut_.stream) continue;
      if (t.duration_ns[row] < cut_.shortest_ns) continue;
      const uint32_t call = links_.sync_call[row];
      if (windows_.of_host && (call == kNone || !host_[&p_.calls][call])) continue;
      const auto part = windows_.within_times(t.start_ns[row], t.duration_ns[row]);
      if (!part) continue;
      rows[row] = true;
      set_span(t, row, *part);
    }
  }

  bool instant_stays(uint32_t thread, int64_t time_ns) const {
    const uint32_t rank = p_.threads.rank[thread];
    return rank_[rank] && windows_.kept(rank, time_ns, 0).has_value();
  }

  template <typename Table>
  void choose_by_moment(const Table& t) {
    std::vector<bool>& rows = host_[&t];
    for (uint32_t row = 0; row < t.size(); ++row) rows.push_back(instant_stays(t.thread[row], t.time_ns[row]));
  }

  void choose_instants() {
    choose_by_moment(p_.allocations);
    choose_by_moment(p_.counter_samples);
    choose_by_moment(p_.flows);
    std::vector<bool>& flows = host_[&p_.flows];  // an arrow stays with both its ends
    std::map<std::tuple<uint32_t, StringId, int64_t>, std::pair<bool, bool>> ends;
    const auto key = [&](uint32_t row) {
      return std::tuple(p_.threads.rank[p_.flows.thread[row]], p_.flows.category[row], p_.flows.id[row]);
    };
    for (uint32_t row = 0; row < p_.flows.size(); ++row) {
      if (flows[row]) (p_.flows.is_end[row] ? ends[key(row)].second : ends[key(row)].first) = true;
    }
    for (uint32_t row = 0; row < p_.flows.size(); ++row) {
      if (flows[row]) flows[row] = ends[key(row)].first && ends[key(row)].second;
    }
  }

  void choose_other_events() {
    auto& t = p_.other_events;
    std::vector<bool>& rows = host_[&t];
    for (uint32_t row = 0; row < t.size(); ++row) {
      const uint32_t rank = p_.threads.rank[t.thread[row]];
      const bool spans = t.phase[row] == 'X', recording = p_.text(t.category[row]) == "Trace";
      const auto part = windows_.kept(rank, t.start_ns[row], spans ? t.duration_ns[row] : 0);
      rows.push_back(rank_[rank] && part && (!spans || recording || t.duration_ns[row] >= cut_.shortest_ns));
      if (rows.back() && spans && !recording) set_span(t, row, *part);
    }
  }

  /// The recording's span, in the table of ranks and as the event that says so, is now that of the cut.
  void set_windows() {
    for (uint32_t rank = 0; rank < p_.ranks.size(); ++rank) {
      Span window{p_.ranks.window_start_ns[rank], p_.ranks.window_end_ns[rank]};
      if (windows_.of_host && !windows_.chosen[rank].empty()) {
        window = {windows_.chosen[rank].front().start_ns, windows_.chosen[rank].back().end_ns};
        for (uint32_t device = 0; device < p_.devices.size(); ++device) {
          if (p_.devices.rank[device] == rank) window.end_ns = std::max(window.end_ns, work_[device].end_ns);
        }
      }
      p_.ranks.window_start_ns.at(rank) = std::max(window.start_ns, windows_.times.start_ns);
      p_.ranks.window_end_ns.at(rank) =
          std::max(p_.ranks.window_start_ns[rank], std::min(window.end_ns, windows_.times.end_ns));
    }
    auto& t = p_.other_events;
    for (uint32_t row = 0; row < t.size(); ++row) {
      if (t.phase[row] != 'X' || p_.text(t.category[row]) != "Trace") continue;
      const uint32_t rank = p_.threads.rank[t.thread[row]];
      const Span window{p_.ranks.window_start_ns[rank], p_.ranks.window_end_ns[rank]};
      host_[&t][row] = rank_[rank];
      set_span(t, row, window);
    }
  }

  void drop_rows() {
    keep_rows(p_.device_events, device_rows_);
    keep_rows(p_.operators, host_[&p_.operators]);
    keep_rows(p_.calls, host_[&p_.calls]);
    keep_rows(p_.python_frames, host_[&p_.python_frames]);
    keep_rows(p_.overheads, host_[&p_.overheads]);
    keep_rows(p_.synchronizations, host_[&p_.synchronizations]);
    keep_rows(p_.allocations, host_[&p_.allocations]);
    keep_rows(p_.counter_samples, host_[&p_.counter_samples]);
    keep_rows(p_.flows, host_[&p_.flows]);
    keep_rows(p_.other_events, host_[&p_.other_events]);
    keep_ranks(p_, rank_, device_);
  }

  Profile& p_;
  const Cut& cut_;
  CutWindows windows_;
  Links links_;
  std::vector<bool> rank_, device_, device_rows_;
  std::map<const void*, std::vector<bool>> host_;  // rows of each table that stay
  std::vector<Span> work_;                         // of each device: from its first to its last kernel that stays
};

template <typename Numbers>
std::string listed(const Numbers& numbers) {
  std::vector<std::string> out;
  for (const int64_t number : std::set<int64_t>(numbers.begin(), numbers.end())) out.push_back(std::to_string(number));
  return join(out, ", ");
}

Status check_places(const Profile& p, const Cut& cut) {
  const auto has = [](const auto& numbers, int64_t wanted) {
    return std::find(numbers.begin(), numbers.end(), wanted) != numbers.end();
  };
  if (cut.rank && !has(p.ranks.rank, *cut.rank))
    return not_found(fmt::format("there is no rank {}; the ranks are {}", *cut.rank, listed(p.ranks.rank)));
  if (cut.device && !has(p.devices.ordinal, *cut.device))
    return not_found(
        p.devices.size() == 0
            ? "there is no GPU in this trace: record with ProfilerActivity.CUDA or nsys --trace=cuda"
            : fmt::format("there is no device {}; the devices are {}", *cut.device, listed(p.devices.ordinal)));
  if (cut.stream && !has(p.device_events.stream, *cut.stream))
    return not_found(
        p.device_events.size() == 0
            ? "there is no GPU work here: widen the cut, or record with ProfilerActivity.CUDA or nsys --trace=cuda"
            : fmt::format("nothing ran on stream {}; the streams are {}", *cut.stream, listed(p.device_events.stream)));
  return {};
}

std::string numbers_text(const char* one, const char* many, std::pair<int64_t, int64_t> numbers) {
  if (numbers.first == numbers.second) return fmt::format("{} {}", one, numbers.first);
  return fmt::format("{} {} to {}", many, numbers.first, numbers.second);
}

}  // namespace

bool Cut::whole() const {
  return !steps && !from_ns && !to_ns && !rank && !device && !stream && annotation.empty() && !phase &&
         shortest_ns == 0;
}

std::string Cut::text() const {
  std::vector<std::string> parts;
  const auto time = [](int64_t ns) { return format_ns(static_cast<double>(ns)); };
  if (steps) parts.push_back(numbers_text("step", "steps", *steps));
  if (!annotation.empty()) parts.push_back("annotation " + annotation);
  if (phase) parts.push_back(std::string(phase_name(*phase)));
  if (from_ns) parts.push_back("from " + time(*from_ns));
  if (to_ns) parts.push_back("to " + time(*to_ns));
  if (rank) parts.push_back(fmt::format("rank {}", *rank));
  if (device) parts.push_back(fmt::format("device {}", *device));
  if (stream) parts.push_back(fmt::format("stream {}", *stream));
  if (shortest_ns > 0) parts.push_back("at least " + time(shortest_ns) + " long");
  return join(parts, ", ");
}

Result<Profile> cut_profile(Profile profile, const Cut& cut) {
  if (cut.whole()) return profile;
  const TimedScope timed("cut");
  WL_TRY(check_places(profile, cut));
  WL_ASSIGN(CutWindows windows, cut_windows(profile, cut));
  const int64_t left_out = Cutter(profile, cut, std::move(windows)).run();
  if (left_out > 0 && profile.ranks.size() > 0) {
    json::Writer note;
    note.begin_object().key("to").value(cut.text()).key("left_out").value(left_out).end_object();
    append(profile.metadata,
           {.rank = 0, .key = profile.strings.intern(checks::kCutKey), .value = profile.strings.intern(note.take())});
  }
  recheck(profile);
  return profile;
}

}  // namespace warplens::analysis
