#include "warplens/writers/events/profile_events.h"

#include <map>
#include <set>
#include <tuple>

#include "warplens/base/json.h"
#include "warplens/base/text.h"
#include "warplens/program/analysis/links.h"
#include "warplens/writers/events/lanes.h"

namespace warplens::writers {
namespace {

enum class From : uint8_t { kOperator, kCall, kFrame, kOverhead, kDevice, kSync };

struct Row {
  From from;
  uint32_t row;
};

class Writer {
 public:
  Writer(const Profile& profile, EventSink& to, bool as_torch)
      : p_(profile), several_ranks_(profile.ranks.size() > 1), as_torch_(as_torch), events_(to) {}

  void write() {
    collect();
    assign_lanes(lanes_);
    for (size_t i = 0; i < rows_.size(); ++i) event(rows_[i], lanes_[i].lane);
    flows();
    instants();
    names();
  }

 private:
  // --- tracks and lanes
  uint32_t track(std::string process, std::string thread) {
    const auto [at, added] =
        track_of_.try_emplace({std::move(process), std::move(thread)}, static_cast<uint32_t>(tracks_.size()));
    if (added) tracks_.push_back(&at->first);
    return at->second;
  }

  std::string process_of(uint32_t rank, std::string_view process) const {
    return several_ranks_ ? fmt::format("rank {}: {}", p_.ranks.rank[rank], process) : std::string(process);
  }

  uint32_t host_track(uint32_t thread) {
    const auto [at, added] = host_tracks_.try_emplace(thread, 0);
    if (added)
      at->second = track(process_of(p_.threads.rank[thread], p_.text(p_.threads.process[thread])),
                         std::string(p_.text(p_.threads.thread[thread])));
    return at->second;
  }

  uint32_t device_track(uint32_t device, int64_t stream) {
    const auto [at, added] = device_tracks_.try_emplace({device, stream}, 0);
    if (added)
      at->second = track(process_of(p_.devices.rank[device], fmt::format("{}", p_.devices.ordinal[device])),
                         fmt::format("{}", stream));
    return at->second;
  }

  void add(From from, uint32_t row, uint32_t on_track, int64_t start_ns, int64_t duration_ns) {
    rows_.push_back({from, row});
    lanes_.push_back({start_ns, start_ns + duration_ns, on_track});
  }

  template <typename Table>
  void collect_host(From from, const Table& t) {
    for (uint32_t row = 0; row < t.size(); ++row)
      add(from, row, host_track(t.thread[row]), t.start_ns[row], t.duration_ns[row]);
  }

  void collect() {
    collect_host(From::kOperator, p_.operators);
    collect_host(From::kFrame, p_.python_frames);
    collect_host(From::kCall, p_.calls);
    collect_host(From::kOverhead, p_.overheads);
    const auto& d = p_.device_events;
    for (uint32_t row = 0; row < d.size(); ++row)
      add(From::kDevice, row, device_track(d.device[row], d.stream[row]), d.start_ns[row], d.duration_ns[row]);
    const auto& s = p_.synchronizations;
    for (uint32_t row = 0; row < s.size(); ++row) {
      if (s.device[row] != kNone)
        add(From::kSync, row, device_track(s.device[row], s.stream[row]), s.start_ns[row], s.duration_ns[row]);
    }
  }

  EventSink& begin(char phase, std::string_view category, StringId name, uint32_t on_track, uint32_t lane,
                   int64_t time_ns) {
    const auto& [process, thread] = *tracks_[on_track];
    if (lane == 0) return events_.begin(phase, category, p_.text(name), process, thread, time_ns);
    return events_.begin(phase, category, p_.text(name), process, fmt::format("{} (lane {})", thread, lane + 1),
                         time_ns);
  }

  // --- one event of each kind
  void event(Row row, uint32_t lane) {
    switch (row.from) {
      case From::kOperator: return host_operator(row.row, lane);
      case From::kFrame: return frame(row.row, lane);
      case From::kCall: return call(row.row, lane);
      case From::kOverhead: return overhead(row.row, lane);
      case From::kDevice: return device_event(row.row, lane);
      case From::kSync: return synchronization(row.row, lane);
    }
  }

  void host_operator(uint32_t row, uint32_t lane) {
    const auto& t = p_.operators;
    const bool instant = t.kind[row] == OperatorKind::kInstant, range = t.kind[row] == OperatorKind::kRange;
    EventSink& e = begin(instant ? 'i' : 'X',
                         instant ? "cpu_instant_event"
                         : range ? "user_annotation"
                                 : "cpu_op",
                         t.name[row], host_track(t.thread[row]), lane, t.start_ns[row]);
    if (!instant) e.duration(t.duration_ns[row]);
    if (t.external_id[row] != 0) e.argument("External id", t.external_id[row]);
    if (t.sequence_number[row] >= 0) e.argument("Sequence number", t.sequence_number[row]);
    if (t.sequence_number[row] >= 0 || t.forward_thread[row] != 0) e.argument("Fwd thread id", t.forward_thread[row]);
    e.argument_json("Input Dims", p_.text(t.input_shapes[row]))
        .argument_json("Input type", p_.text(t.input_types[row]));
    e.argument_json("Input Strides", p_.text(t.input_strides[row]))
        .argument_json("Concrete Inputs", p_.text(t.concrete_inputs[row]));
    if (t.call_stack[row] != StringId::kEmpty) e.argument("Call stack", p_.text(t.call_stack[row]));
    if (t.module[row] != StringId::kEmpty) e.argument("Module Hierarchy", p_.text(t.module[row]));
    e.arguments_json(p_.text(t.args[row])).end();
  }

  void frame(uint32_t row, uint32_t lane) {
    const auto& t = p_.python_frames;
    EventSink& e = begin('X', "python_function", t.name[row], host_track(t.thread[row]), lane, t.start_ns[row])
                       .duration(t.duration_ns[row]);
    e.argument("Python id", t.python_id[row]);
    if (t.python_parent_id[row] >= 0) e.argument("Python parent id", t.python_parent_id[row]);
    if (t.python_module_id[row] >= 0) e.argument("Python module id", t.python_module_id[row]);
    e.end();
  }

  void call(uint32_t row, uint32_t lane) {
    const auto& t = p_.calls;
    EventSink& e = begin('X', t.kind[row] == CallKind::kDriver ? "cuda_driver" : "cuda_runtime", t.name[row],
                         host_track(t.thread[row]), lane, t.start_ns[row]);
    e.duration(t.duration_ns[row]);
    if (t.external_id[row] != 0) e.argument("External id", t.external_id[row]);
    e.argument("correlation", t.correlation[row]).end();
  }

  void overhead(uint32_t row, uint32_t lane) {
    const auto& t = p_.overheads;
    EventSink& e = begin('X', "overhead", t.name[row], host_track(t.thread[row]), lane, t.start_ns[row])
                       .duration(t.duration_ns[row]);
    if (t.external_id[row] != 0) e.argument("External id", t.external_id[row]);
    e.end();
  }

  void device_event(uint32_t row, uint32_t lane) {
    static constexpr const char* kCategories[] = {"kernel", "gpu_memcpy", "gpu_memset", "gpu_user_annotation"};
    const auto& t = p_.device_events;
    EventSink& e = begin('X', kCategories[static_cast<size_t>(t.kind[row])], t.name[row],
                         device_track(t.device[row], t.stream[row]), lane, t.start_ns[row]);
    e.duration(t.duration_ns[row]);
    if (t.external_id[row] != 0) e.argument("External id", t.external_id[row]);
    if (!as_torch_ || t.kind[row] != DeviceEventKind::kRange || lane != 0) {
      e.argument("device", int64_t{p_.devices.ordinal[t.device[row]]})
          .argument("context", int64_t{t.context[row]})
          .argument("stream", t.stream[row]);
    }
    if (t.correlation[row] != 0) e.argument("correlation", t.correlation[row]);
    if (t.graph_id[row] != 0) e.argument("graph id", t.graph_id[row]).argument("graph node id", t.graph_node_id[row]);
    if (t.kind[row] == DeviceEventKind::kCopy || t.kind[row] == DeviceEventKind::kSet)
      e.argument("bytes", t.bytes[row]);
    if (t.launch_config[row] != kNone) launch(e, t.launch_config[row]);
    if (t.collective[row] != kNone) collective(e, t.collective[row]);
    e.arguments_json(p_.text(t.args[row])).end();
  }

  void launch(EventSink& e, uint32_t row) {
    const auto& t = p_.launch_configs;
    e.argument("registers per thread", int64_t{t.registers_per_thread[row]})
        .argument("shared memory", t.shared_bytes[row]);
    e.argument_list("grid", {t.grid_x[row], t.grid_y[row], t.grid_z[row]});
    e.argument_list("block", {t.block_x[row], t.block_y[row], t.block_z[row]});
    if (t.occupancy[row] >= 0) e.argument("est. achieved occupancy %", t.occupancy[row] * 100);
  }

  void collective(EventSink& e, uint32_t row) {
    const auto& t = p_.collectives;
    e.argument("Collective name", p_.text(t.name[row])).argument("dtype", p_.text(t.dtype[row]));
    e.argument("In msg nelems", t.in_elements[row]).argument("Out msg nelems", t.out_elements[row]);
    e.argument("Group size", int64_t{t.group_size[row]}).argument("Process Group Name", p_.text(t.group_name[row]));
    e.argument("Process Group Description", p_.text(t.group_description[row]))
        .argument("Process Group Ranks", p_.text(t.group_ranks[row]));
    if (t.sequence[row] >= 0) e.argument("Seq", t.sequence[row]);
    if (t.source_rank[row] >= 0) e.argument("Src Rank", int64_t{t.source_rank[row]});
    if (t.destination_rank[row] >= 0) e.argument("Dst Rank", int64_t{t.destination_rank[row]});
  }

  void synchronization(uint32_t row, uint32_t lane) {
    const auto& t = p_.synchronizations;
    EventSink& e =
        begin('X', "cuda_sync", t.name[row], device_track(t.device[row], t.stream[row]), lane, t.start_ns[row])
            .duration(t.duration_ns[row]);
    e.argument("device", int64_t{p_.devices.ordinal[t.device[row]]}).argument("stream", t.stream[row]);
    if (t.wait_on_stream[row] >= 0) e.argument("wait_on_stream", t.wait_on_stream[row]);
    if (t.wait_on_event[row] >= 0) e.argument("wait_on_cuda_event_id", t.wait_on_event[row]);
    if (t.wait_on_correlation[row] != 0) e.argument("wait_on_cuda_event_record_corr_id", t.wait_on_correlation[row]);
    e.argument("correlation", t.correlation[row]).end();
  }

  // --- arrows, instants, names
  void flows() {
    const auto& d = p_.device_events;
    const auto& c = p_.calls;
    const analysis::RowLinks call_of = analysis::link_events(p_, analysis::operator_forest(p_)).event_call;
    for (uint32_t row = 0; row < d.size(); ++row) {
      const uint32_t from = call_of[row];
      if (from == kNone) continue;
      const auto end = [&](char phase, uint32_t on_track, int64_t time_ns) {
        const auto& [process, thread] = *tracks_[on_track];
        events_.begin(phase, "ac2g", "ac2g", process, thread, time_ns);
        events_.field("id", as_torch_ ? d.correlation[row] : int64_t{row} + 1);
        if (phase == 'f') events_.field("bp", "e");
        events_.end();
      };
      end('s', host_track(c.thread[from]), c.start_ns[from]);
      end('f', device_track(d.device[row], d.stream[row]), d.start_ns[row]);
    }
    const auto& t = p_.flows;
    for (uint32_t row = 0; row < t.size(); ++row) {
      EventSink& e = begin(t.is_end[row] ? 'f' : 's', p_.text(t.category[row]), t.category[row],
                           host_track(t.thread[row]), 0, t.time_ns[row]);
      e.field("id", t.id[row]);
      if (t.is_end[row]) e.field("bp", "e");
      e.end();
    }
  }

  void instants() {
    const auto& m = p_.allocations;
    for (uint32_t row = 0; row < m.size(); ++row) {
      const auto& [process, thread] = *tracks_[host_track(m.thread[row])];
      events_.begin('i', "cpu_instant_event", "[memory]", process, thread, m.time_ns[row]).field("s", "t");
      events_.argument("Addr", static_cast<int64_t>(m.address[row])).argument("Bytes", m.bytes[row]);
      events_.argument("Total Allocated", m.total_allocated_bytes[row])
          .argument("Total Reserved", m.total_reserved_bytes[row]);
      events_.argument("Device Type", int64_t{m.device_type[row]})
          .argument("Device Id", int64_t{m.device_ordinal[row]})
          .end();
    }
    const auto& c = p_.counter_samples;
    for (uint32_t row = 0; row < c.size(); ++row)
      begin('C', "", c.name[row], host_track(c.thread[row]), 0, c.time_ns[row])
          .argument(json_key(c.name[row]), c.value[row])
          .end();
    const auto& o = p_.other_events;
    for (uint32_t row = 0; row < o.size(); ++row) {
      const bool spans = o.phase[row] == 'X';
      EventSink& e = begin(static_cast<char>(o.phase[row]), p_.text(o.category[row]), o.name[row],
                           host_track(o.thread[row]), 0, o.start_ns[row]);
      if (spans) e.duration(o.duration_ns[row]);
      if (o.id[row] != StringId::kEmpty) e.field("id", p_.text(o.id[row]));
      e.arguments_json(p_.text(o.args[row])).end();
    }
  }

  /// A counter's name as a key of its arguments, escaped, without the quotes.
  std::string json_key(StringId name) const {
    const std::string quoted = json::quoted(p_.text(name));
    return quoted.substr(1, quoted.size() - 2);
  }

  void names() {
    for (const auto& [thread, on_track] : host_tracks_) {
      const auto& [process, name] = *tracks_[on_track];
      if (p_.threads.name[thread] == StringId::kEmpty) continue;
      events_.begin('M', "", "thread_name", process, name, 0).argument("name", p_.text(p_.threads.name[thread])).end();
    }
    std::map<uint32_t, bool> named;
    for (const auto& [key, on_track] : device_tracks_) {
      const auto& [process, stream] = *tracks_[on_track];
      if (!named[key.first])
        events_.begin('M', "", "process_labels", process, "0", 0)
            .argument("labels", fmt::format("GPU {}", p_.devices.ordinal[key.first]))
            .end();
      named[key.first] = true;
      events_.begin('M', "", "thread_name", process, stream, 0)
          .argument("name", fmt::format("stream {}", stream))
          .end();
    }
  }

  const Profile& p_;
  bool several_ranks_, as_torch_;
  EventSink& events_;
  std::map<std::pair<std::string, std::string>, uint32_t> track_of_;
  std::vector<const std::pair<std::string, std::string>*> tracks_;  // process and thread as written
  std::map<uint32_t, uint32_t> host_tracks_;
  std::map<std::pair<uint32_t, int64_t>, uint32_t> device_tracks_;
  std::vector<Row> rows_;
  std::vector<LaneEvent> lanes_;  // of rows_
};

/// As torch.profiler tells them: recordings know their devices, too.
std::string devices_json(const Profile& p) {
  json::Writer w(false);
  w.begin_array();
  for (size_t i = 0; i < p.devices.size(); ++i) {
    if (p.devices.rank[i] != 0) continue;
    w.begin_object().member("id", int64_t{p.devices.ordinal[i]}).member("name", p.text(p.devices.name[i]));
    w.member("totalGlobalMem", p.devices.memory_bytes[i]).member("numSms", int64_t{p.devices.sm_count[i]});
    w.member("computeMajor", int64_t{p.devices.compute_major[i]});
    w.member("computeMinor", int64_t{p.devices.compute_minor[i]});
    w.member("maxThreadsPerMultiprocessor", int64_t{p.devices.max_threads_per_sm[i]});
    w.member("regsPerMultiprocessor", int64_t{p.devices.registers_per_sm[i]});
    w.member("sharedMemPerMultiprocessor", int64_t{p.devices.shared_bytes_per_sm[i]});
    w.member("warpSize", int64_t{p.devices.warp_size[i]}).end_object();
  }
  return w.end_array().take();
}

}  // namespace

std::vector<std::pair<std::string, std::string>> profile_head(const Profile& p) {
  std::vector<std::pair<std::string, std::string>> head = {{"schemaVersion", "1"}};
  bool has_devices = false;
  std::set<std::string_view> keys;
  for (size_t i = 0; i < p.metadata.size(); ++i) {
    const std::string_view key = p.text(p.metadata.key[i]), value = p.text(p.metadata.value[i]);
    // Readers take the last of two members of one name: what a file says must not stand for what is written here.
    const bool own = key == "schemaVersion" || key == "baseTimeNanoseconds" || key == "traceEvents";
    if (p.metadata.rank[i] != 0 || own || !keys.insert(key).second) continue;
    head.emplace_back(key, json::parse(value).ok() ? std::string(value) : json::quoted(value));
    has_devices |= key == "deviceProperties";
  }
  if (!has_devices) head.emplace_back("deviceProperties", devices_json(p));
  if (p.base_ns != 0) head.emplace_back("baseTimeNanoseconds", std::to_string(p.base_ns));
  return head;
}

void write_profile_events(const Profile& profile, EventSink& to, bool as_torch) {
  Writer(profile, to, as_torch).write();
}

}  // namespace warplens::writers
