#include "warplens/trace/stream/encoder.h"

#include <algorithm>
#include <cstring>

#include "warplens/base/checksum.h"

namespace warplens::stream {
namespace {

constexpr size_t kBlockBytes = size_t{256} << 10;
constexpr size_t kRecordBytes = 1 + 16 * kMaxVarintBytes;  // no event is longer
constexpr size_t kMaxTextBytes = size_t{16} << 10;
constexpr size_t kMaxAllTextBytes = size_t{16} << 20;  // beyond it new names are lost, and counted: memory is bounded

}  // namespace

FileHeader file_header() {
  FileHeader header{{}, kMajor, kByteOrder};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  return header;
}

Payload::Payload(size_t capacity) : storage_(new uint8_t[sizeof(BlockHeader) + capacity]), at_(begin()) {}

void Payload::text(std::string_view text) {
  number(text.size());
  std::memcpy(at_, text.data(), text.size());
  at_ += text.size();
}

std::string_view Payload::finish(BlockKind kind) {
  const std::string_view payload(reinterpret_cast<const char*>(begin()), bytes());
  const BlockHeader header = {kBlockMagic,      kind, static_cast<uint32_t>(payload.size()), 0, records_, 0,
                              checksum(payload)};
  std::memcpy(storage_.get(), &header, sizeof header);
  at_ = begin();
  records_ = 0;
  return {reinterpret_cast<const char*>(storage_.get()), sizeof header + payload.size()};
}

Encoder::Encoder(BlockSink& sink) : sink_(sink), definitions_(kBlockBytes), event_records_(kBlockBytes) {}

void Encoder::room_for_definition(size_t bytes) {
  if (definitions_.bytes() + bytes > kBlockBytes) flush_definitions();
}

uint32_t Encoder::text(std::string_view text) {
  if (text.empty()) return 0;
  text = text.substr(0, kMaxTextBytes);
  if (text_bytes_ + text.size() > kMaxAllTextBytes) {
    const StringId known = texts_.find(text);
    if (known == StringId::kEmpty) ++lost_texts_;
    return static_cast<uint32_t>(known);
  }
  const size_t had = texts_.size();
  const auto id = static_cast<uint32_t>(texts_.intern(text));
  if (texts_.size() == had) return id;
  text_bytes_ += text.size();
  room_for_definition(kRecordBytes + text.size());
  definitions_.tag(Tag::kText);
  definitions_.number(id);
  definitions_.text(text);
  return id;
}

template <typename Site, typename... Numbers>
uint32_t Encoder::define(SiteTable<Site>& table, Tag tag, const Site& site, Numbers... numbers) {
  const auto [number, is_new] = table.find_or_add(site, next_site_);
  if (!is_new) return number;
  ++next_site_;
  room_for_definition(kRecordBytes);
  definitions_.tag(tag);
  definitions_.number(number);
  (definitions_.number(static_cast<uint32_t>(numbers)), ...);
  return number;
}

uint32_t Encoder::site(const KernelSite& s) {
  return define(kernels_, Tag::kKernelSite, s, s.name, s.device, s.context, s.stream, s.grid[0], s.grid[1], s.grid[2],
                s.block[0], s.block[1], s.block[2], s.registers, s.shared_bytes);
}
uint32_t Encoder::site(const CallSite& s) { return define(calls_, Tag::kCallSite, s, s.name, s.is_driver, s.thread); }
uint32_t Encoder::site(const CopySite& s) {
  return define(copies_, Tag::kCopySite, s, s.kind, s.source, s.destination, s.device, s.context, s.stream);
}
uint32_t Encoder::site(const SetSite& s) {
  return define(sets_, Tag::kSetSite, s, s.memory, s.device, s.context, s.stream);
}
uint32_t Encoder::site(const SyncSite& s) {
  return define(syncs_, Tag::kSyncSite, s, s.type, s.device_plus_1, s.context, s.stream);
}

void Encoder::device(const Device& device) {
  const uint32_t name = text(device.name);
  room_for_definition(kRecordBytes);
  definitions_.tag(Tag::kDevice);
  for (const uint64_t number :
       {uint64_t{device.ordinal}, uint64_t{name}, device.memory_bytes, uint64_t{device.sm_count},
        uint64_t{device.compute_major}, uint64_t{device.compute_minor}, uint64_t{device.max_threads_per_sm},
        uint64_t{device.registers_per_sm}, uint64_t{device.shared_bytes_per_sm}, uint64_t{device.warp_size}})
    definitions_.number(number);
}

void Encoder::thread_name(uint32_t thread, std::string_view name) {
  const uint32_t id = text(name);
  room_for_definition(kRecordBytes);
  definitions_.tag(Tag::kThreadName);
  definitions_.number(thread);
  definitions_.number(id);
}

void Encoder::metadata(std::string_view key, std::string_view json_value) {
  const uint32_t key_id = text(key), value_id = text(json_value);
  room_for_definition(kRecordBytes);
  definitions_.tag(Tag::kMetadata);
  definitions_.number(key_id);
  definitions_.number(value_id);
}

void Encoder::graph_node(uint64_t node, uint64_t original, std::string_view operator_name) {
  const uint32_t name = text(operator_name);
  room_for_definition(kRecordBytes);
  definitions_.tag(Tag::kGraphNode);
  definitions_.number(node);
  definitions_.number(original);
  definitions_.number(name);
}

void Encoder::begin_event() {
  if (event_records_.bytes() + 2 * kRecordBytes > kBlockBytes) flush();
  ++events_;
}

void Encoder::time(uint64_t time_ns, uint64_t& last_ns) {
  event_records_.signed_number(static_cast<int64_t>(time_ns - last_ns));
  last_ns = time_ns;
  first_ns_ = std::min(first_ns_, time_ns);
  last_ns_ = std::max(last_ns_, time_ns);
}

void Encoder::put(Tag plain, Tag in_graph, const Activity& activity, Last& last) {
  begin_event();
  const bool of_graph = activity.graph != 0;
  event_records_.tag(of_graph ? in_graph : plain);
  event_records_.number(activity.site);
  time(activity.start_ns, last.time_ns);
  event_records_.number(activity.end_ns > activity.start_ns ? activity.end_ns - activity.start_ns : 0);
  event_records_.signed_number(static_cast<int64_t>(activity.correlation - last.correlation));
  last.correlation = activity.correlation;
  if (plain == Tag::kCopy || plain == Tag::kSet) event_records_.number(activity.bytes);
  if (plain == Tag::kSync) event_records_.number(activity.event_plus_1);
  if (of_graph) {
    event_records_.number(activity.graph);
    event_records_.number(activity.node);
  }
}

void Encoder::allocation(uint32_t thread, uint64_t time_ns, uint64_t address, int64_t bytes, int32_t device) {
  begin_event();
  event_records_.tag(Tag::kAllocation);
  event_records_.number(thread);
  time(time_ns, call_.time_ns);
  event_records_.number(address);
  event_records_.signed_number(bytes);
  event_records_.number(static_cast<uint64_t>(device + 1));
}

void Encoder::host_event(Tag tag, uint32_t thread, uint64_t time_ns) {
  begin_event();
  if (thread != thread_) {
    thread_ = thread;
    event_records_.tag(Tag::kThread);
    event_records_.number(thread);
  }
  event_records_.tag(tag);
  time(time_ns, host_ns_);
}

void Encoder::push(uint32_t thread, uint64_t time_ns, uint32_t name, uint32_t domain) {
  host_event(Tag::kPush, thread, time_ns);
  event_records_.number(name);
  event_records_.number(domain);
}

void Encoder::begin_operator(uint32_t thread, uint64_t time_ns, uint32_t name, uint32_t shapes, int64_t sequence) {
  host_event(Tag::kOperator, thread, time_ns);
  event_records_.number(name);
  event_records_.number(shapes);
  event_records_.number(static_cast<uint64_t>(sequence + 1));
}

void Encoder::pop(uint32_t thread, uint64_t time_ns) { host_event(Tag::kPop, thread, time_ns); }

void Encoder::mark(uint32_t thread, uint64_t time_ns, uint32_t name, uint32_t domain) {
  host_event(Tag::kMark, thread, time_ns);
  event_records_.number(name);
  event_records_.number(domain);
}

void Encoder::range_start(uint32_t thread, uint64_t time_ns, uint64_t id, uint32_t name, uint32_t domain) {
  host_event(Tag::kRangeStart, thread, time_ns);
  event_records_.number(id);
  event_records_.number(name);
  event_records_.number(domain);
}

void Encoder::range_end(uint32_t thread, uint64_t time_ns, uint64_t id) {
  host_event(Tag::kRangeEnd, thread, time_ns);
  event_records_.number(id);
}

void Encoder::clock(uint64_t realtime_ns, uint64_t monotonic_raw_ns) {
  begin_event();
  event_records_.tag(Tag::kClock);
  event_records_.number(realtime_ns);
  event_records_.number(monotonic_raw_ns);
}

void Encoder::lost(Lost what, uint64_t count) {
  begin_event();
  event_records_.tag(Tag::kLost);
  event_records_.number(static_cast<uint64_t>(what));
  event_records_.number(count);
}

void Encoder::pause(uint64_t time_ns, bool pauses) {
  begin_event();
  event_records_.tag(Tag::kPause);
  time(time_ns, call_.time_ns);
  event_records_.number(pauses);
}

void Encoder::end() {
  begin_event();
  event_records_.tag(Tag::kEnd);
}

void Encoder::flush() {
  if (lost_texts_ > told_lost_texts_) {
    event_records_.tag(Tag::kLost);
    event_records_.number(static_cast<uint64_t>(Lost::kTexts));
    event_records_.number(lost_texts_ - told_lost_texts_);
    told_lost_texts_ = lost_texts_;
  }
  flush_definitions();
  flush_events();
}

void Encoder::flush_definitions() {
  if (!definitions_.empty()) sink_.put(BlockKind::kDefinitions, definitions_.finish(BlockKind::kDefinitions), 0, 0);
}

void Encoder::flush_events() {
  if (event_records_.empty()) return;
  sink_.put(BlockKind::kEvents, event_records_.finish(BlockKind::kEvents), first_ns_, last_ns_);
  device_ = call_ = {};
  host_ns_ = 0;
  thread_ = 0;
  first_ns_ = UINT64_MAX;
  last_ns_ = 0;
}

}  // namespace warplens::stream
