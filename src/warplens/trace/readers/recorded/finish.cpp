// What can only be done when all of a recording is read.
#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <tuple>
#include <unordered_set>

#include "warplens/base/json.h"
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/gpu/occupancy.h"
#include "warplens/trace/profile/checks/checks.h"
#include "warplens/trace/readers/recorded/builder.h"

namespace warplens::recorded {

using stream::Tag;

namespace {

constexpr int64_t kClockJumpNs = 1'000'000;
constexpr int kMaxCloneDepth = 8;

struct Loss {
  const char* id;
  const char* what;
  const char* advice;
};

// In the order of stream::Lost.
constexpr Loss kLosses[] = {
    {"activities-dropped", "records of kernels, copies and calls were dropped, because CUPTI's buffers were full",
     "record with a higher --memory-limit, or fewer kinds of calls"},
    {"host-events-dropped", "ranges and operators were dropped, because their thread's buffer was full",
     "record with a higher --memory-limit, or without --torch"},
    {"names-dropped", "names were dropped, because there were too many different ones: their events have no name",
     "give NVTX ranges names that do not change each time"},
    {"recording-stopped",
     "the disk was full or could not be written: recording stopped there, and the program "
     "continued",
     "make room, or record to another disk with -o"},
    {"ring-overwritten", "events older than --ring keeps were discarded", "record a longer --ring"},
    {"unknown-records", "records of a kind that this recorder does not know were left out",
     "update warplens to a version that knows this CUPTI"},
};

}  // namespace

StringId Builder::operator_of_node(uint64_t node) const {
  for (int depth = 0; node != 0 && depth < kMaxCloneDepth; ++depth) {
    const auto found = nodes_.find(node);
    if (found == nodes_.end()) break;
    if (found->second.second != StringId::kEmpty) return found->second.second;
    node = found->second.first;
  }
  return StringId::kEmpty;
}

void Builder::name_graph_nodes() {
  if (nodes_.empty()) return;
  device_events_table& events = profile_.device_events;
  for (size_t i = 0; i < events.size(); ++i) {
    const StringId name = operator_of_node(static_cast<uint64_t>(events.graph_node_id[i]));
    if (name == StringId::kEmpty) continue;
    events.args.at(i) =
        profile_.strings.intern(fmt::format("{{\"captured in\": {}}}", json::quoted(profile_.text(name))));
  }
}

void Builder::place_synchronizations() {
  synchronizations_table& syncs = profile_.synchronizations;
  for (size_t i = 0; i < syncs.size(); ++i) {
    if (syncs.device[i] != kNone) continue;
    const auto found = context_devices_.find(sync_contexts_[i]);
    syncs.device.at(i) = found != context_devices_.end() ? found->second : device_row(0);
  }
}

/// What an event stands for when it is waited for: the stream it was last put into, and the call that did.
void Builder::join_events() {
  const auto earlier = [](const RecordedEvent& a, const RecordedEvent& b) {
    return std::tie(a.event, a.time_ns) < std::tie(b.event, b.time_ns);
  };
  std::sort(recorded_events_.begin(), recorded_events_.end(), earlier);
  synchronizations_table& syncs = profile_.synchronizations;
  for (size_t i = 0; i < syncs.size(); ++i) {
    const RecordedEvent wait = {syncs.start_ns[i], syncs.wait_on_event[i], 0, 0};
    auto found = std::upper_bound(recorded_events_.begin(), recorded_events_.end(), wait, earlier);
    if (wait.event < 0 || found == recorded_events_.begin() || (--found)->event != wait.event) continue;
    syncs.wait_on_stream.at(i) = found->stream;
    syncs.wait_on_correlation.at(i) = found->correlation;
  }
}

/// As torch.profiler estimates it: blocks that fit on an SM, or that it gets where there are fewer, of its threads.
double Builder::occupancy_of(uint32_t config, uint32_t device) const {
  const launch_configs_table& t = profile_.launch_configs;
  const devices_table& devices = profile_.devices;
  if (devices.sm_count[device] <= 0 || devices.max_threads_per_sm[device] <= 0) return -1;
  const auto arch = gpu::find_arch(fmt::format("{}.{}", devices.compute_major[device], devices.compute_minor[device]));
  if (!arch.ok()) return -1;
  const double product = static_cast<double>(t.block_x[config]) * t.block_y[config] * t.block_z[config];
  if (product <= 0 || product > (**arch).threads_per_block) return -1;
  const int threads = static_cast<int>(product);
  const gpu::BlockNeeds needs = {.threads = threads,
                                 .registers = std::max(t.registers_per_thread[config], 1),
                                 .dynamic_shared_bytes = t.shared_bytes[config]};
  const double blocks = static_cast<double>(t.grid_x[config]) * t.grid_y[config] * t.grid_z[config];
  const double resident = std::min<double>(gpu::occupancy(**arch, needs).blocks, blocks / devices.sm_count[device]);
  return resident * threads / devices.max_threads_per_sm[device];
}

void Builder::estimate_occupancies() {
  sites_.for_each([&](const Site& site) {
    if (site.kind == Tag::kKernel)
      profile_.launch_configs.occupancy.at(site.launch_config) = occupancy_of(site.launch_config, site.device);
  });
}

/// The runtime calls the driver for its own work; the program made the outer call alone, and both have one correlation.
void Builder::leave_out_inner_driver_calls() {
  std::unordered_set<int64_t> of_runtime;
  for (size_t i = 0; i < profile_.calls.size(); ++i) {
    if (profile_.calls.kind[i] == CallKind::kRuntime) of_runtime.insert(profile_.calls.correlation[i]);
  }
  calls_table kept;
  for (size_t i = 0; i < profile_.calls.size(); ++i) {
    if (profile_.calls.kind[i] == CallKind::kRuntime || !of_runtime.contains(profile_.calls.correlation[i]))
      append(kept, row_of(profile_.calls, i));
  }
  profile_.calls = std::move(kept);
}

void Builder::take_identity() {
  StringId process = StringId::kEmpty;
  for (size_t i = 0; i < profile_.metadata.size(); ++i) {
    const std::string_view key = profile_.text(profile_.metadata.key[i]);
    const auto value = parse_int(profile_.text(profile_.metadata.value[i]));
    if (key == "process") process = profile_.metadata.value[i];
    if (key == "rank" && value) profile_.ranks.rank.at(0) = static_cast<int32_t>(*value);
    if (key == "world_size" && value) profile_.ranks.world_size.at(0) = static_cast<int32_t>(*value);
  }
  for (size_t i = 0; i < profile_.threads.size(); ++i) profile_.threads.process.at(i) = process;
}

void Builder::set_window() {
  const bool empty = first_ns_ > last_ns_;
  profile_.ranks.window_start_ns.at(0) = empty ? 0 : first_ns_;
  profile_.ranks.window_end_ns.at(0) = empty ? 0 : last_ns_;
}

void Builder::tell_losses(const stream::Damage& damage) {
  Integrity& out = profile_.integrity;
  for (size_t i = 0; i < std::size(kLosses); ++i) {
    if (lost_[i] == 0) continue;
    const bool asked_for = i == static_cast<size_t>(stream::Lost::kRing);
    out.add(kLosses[i].id, asked_for ? Severity::kInfo : Severity::kWarning, static_cast<int64_t>(lost_[i]),
            fmt::format("{}: {} {}", file_, lost_[i], kLosses[i].what), kLosses[i].advice);
  }
  if (damage.damaged_blocks > 0)
    out.add("damaged-blocks", Severity::kError, static_cast<int64_t>(damage.damaged_blocks),
            fmt::format("{}: {} parts are damaged, the first at byte {}; their events are missing", file_,
                        damage.damaged_blocks, damage.first_damage),
            "copy the file again; if the original is damaged too, check the disk");
  if (damage.missing_blocks + damage.misplaced_blocks > 0)
    out.add(
        "missing-blocks", Severity::kError, static_cast<int64_t>(damage.missing_blocks + damage.misplaced_blocks),
        fmt::format("{}: {} parts are missing ({} events), and {} are in the wrong place and left out", file_,
                    damage.missing_blocks,
                    damage.has_totals ? fmt::format("{}", damage.missing_events) : std::string("not known how many"),
                    damage.misplaced_blocks),
        "another program removed them: copy the file again, or record again");
  else if (damage.missing_events > 0)
    out.add("missing-events", Severity::kError, static_cast<int64_t>(damage.missing_events),
            fmt::format("{}: {} events that the recorder wrote are missing", file_, damage.missing_events),
            "copy the file again, or record again");
  if (ended_ && !damage.has_totals)
    out.add("recording-cut-off", Severity::kWarning, 1,
            fmt::format(
                "{}: the totals that end a recording are missing; {} bytes after the last whole block were not used",
                file_, damage.torn_bytes),
            "the last parts may be missing too: copy the file again");
  if (!ended_ && damage.has_totals)
    out.add("taken-while-running", Severity::kInfo, 1,
            fmt::format("{}: the recorder wrote this while the program ran", file_),
            "nothing to do; ranges that were open at that time end with the recording");
  if (!ended_ && !damage.has_totals)
    out.add("recording-cut-off", Severity::kWarning, 1,
            fmt::format("{}: the recording has no end mark, because the program was killed or still runs; {} bytes "
                        "after the last whole block were not used",
                        file_, damage.torn_bytes),
            "about the last second of the program is missing");
  if (unknown_sites_ > 0)
    out.add("events-without-description", Severity::kError, unknown_sites_,
            fmt::format("{}: {} events refer to a description in a damaged part", file_, unknown_sites_),
            "copy the file again");
  if (unopened_ + unclosed_ > 0)
    out.add("unmatched-spans", Severity::kInfo, unopened_ + unclosed_,
            fmt::format("{}: {} ranges were open when the recording ended (they end there), {} ended that began before "
                        "it",
                        file_, unclosed_, unopened_),
            "nothing to do if the program was stopped inside these ranges");
  int64_t profiled_ns = 0, profiled = 0;
  for (size_t i = 0; i < profile_.other_events.size(); ++i) {
    if (profile_.text(profile_.other_events.name[i]) != stream::kGuestRange) continue;
    profiled_ns += profile_.other_events.duration_ns[i];
    ++profiled;
  }
  if (profiled > 0)
    out.add(
        "profiled-by-itself", Severity::kInfo, profiled,
        fmt::format("{}: the program's own profiler recorded too, in {} periods, {} in all; its records were shared",
                    file_, profiled, format_ns(static_cast<double>(profiled_ns))),
        "expect launches to cost more there: both profilers watch them");
  if (paused_ns_ > 0)
    out.add("recording-paused", Severity::kInfo, 1,
            fmt::format("{}: not recorded for {} between its parts, as the schedule says", file_,
                        format_ns(static_cast<double>(paused_ns_))),
            "nothing to do; times between the parts are not gaps of the program");
  if (clocks_.size() >= 2) {
    const int64_t drift_ns = static_cast<int64_t>(clocks_.back().first - clocks_.front().first) -
                             static_cast<int64_t>(clocks_.back().second - clocks_.front().second);
    if (std::abs(drift_ns) > kClockJumpNs)
      out.add("clock-adjusted", Severity::kInfo, 1,
              fmt::format("{}: the host's clock was adjusted by {} while it was recorded", file_,
                          format_ns(static_cast<double>(drift_ns))),
              "compare times across that moment, or across hosts, with care");
  }
}

Profile Builder::finish(const stream::Damage& damage) {
  close_open_ranges();
  adopt_steps();
  add_samples();
  mark_backward();
  if (!keeps_driver_calls_) leave_out_inner_driver_calls();
  join_collectives();
  name_graph_nodes();
  place_synchronizations();
  join_events();
  estimate_occupancies();
  take_identity();
  set_window();
  tell_losses(damage);
  check_rank(profile_, {});
  return std::move(profile_);
}

}  // namespace warplens::recorded
