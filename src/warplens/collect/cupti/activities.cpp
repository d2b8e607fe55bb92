#include "warplens/collect/cupti/activities.h"

#include <algorithm>
#include <cstring>

namespace warplens::cupti {
namespace {

constexpr uint32_t kNoEvent = UINT32_MAX;

/// Records are packed; their fields are read through copies of known alignment.
template <typename Record>
const Record& as(const void* record) {
  return *static_cast<const Record*>(record);
}

}  // namespace

void ActivityWriter::name_calls(Domain domain, const std::vector<std::string>& names) {
  std::vector<uint32_t>& ids = call_names_[domain == kDriverApi];
  std::vector<bool>& copies = copies_by_call_[domain == kDriverApi];
  ids.clear();
  copies.clear();
  for (const std::string& name : names) {
    ids.push_back(to_.text(name));
    copies.push_back(name.find("Memcpy") != std::string::npos || name.find("Memset") != std::string::npos);
  }
}

uint32_t ActivityWriter::kind_of(const void* record) {
  uint32_t kind = 0;
  std::memcpy(&kind, record, sizeof kind);
  return kind;
}

void ActivityWriter::write(const void* record) {
  switch (kind_of(record)) {
    case kKernel:
    case kConcurrentKernel: write_kernel(as<KernelRecord>(record)); break;
    case kMemcpy: write_copy(as<CopyRecord>(record)); break;
    case kMemcpyPeer: write_copy(as<PeerCopyRecord>(record)); break;
    case kMemset: write_set(as<SetRecord>(record)); break;
    case kRuntime:
    case kDriver: write_call(as<CallRecord>(record)); break;
    case kSynchronization: write_sync(as<SyncRecord>(record)); break;
    case kMemory2: write_memory(as<MemoryRecord>(record)); break;
    default: ++unknown_;
  }
}

/// CUPTI shares a kernel's name among its records, but may put another there when a module is gone.
uint32_t ActivityWriter::name_id(const char* name) {
  if (name == nullptr) return 0;
  const size_t slot = (reinterpret_cast<uintptr_t>(name) >> 4) % known_names_.size();
  KnownName& known = known_names_[slot];
  if (known.at == name && std::strcmp(known.text.c_str(), name) == 0) return known.id;
  known.at = name;
  known.text = name;
  known.id = to_.text(known.text);
  return known.id;
}

void ActivityWriter::close_window(uint64_t end_ns) {
  if (!windows_.empty()) windows_.back().end_ns = std::min(windows_.back().end_ns, end_ns);
}

bool ActivityWriter::in_window(uint64_t start_ns) const {
  for (auto window = windows_.rbegin(); window != windows_.rend(); ++window) {
    if (start_ns >= window->start_ns) return start_ns < window->end_ns;
  }
  return false;
}

void ActivityWriter::see_device(uint32_t device) {
  if (device >= 64 || (devices_seen_ >> device & 1) != 0) return;
  devices_seen_ |= uint64_t{1} << device;
  new_devices_.push_back(device);
}

void ActivityWriter::count_call(uint32_t callback, bool is_driver) {
  const std::vector<bool>& copies = copies_by_call_[is_driver];
  copy_calls_ += callback < copies.size() && copies[callback];
}

std::vector<uint32_t> ActivityWriter::take_new_devices() { return std::exchange(new_devices_, {}); }

void ActivityWriter::write_kernel(const KernelRecord& r) {
  const stream::KernelSite site = {name_id(r.name),
                                   r.device,
                                   r.context,
                                   r.stream,
                                   {r.grid[0], r.grid[1], r.grid[2]},
                                   {r.block[0], r.block[1], r.block[2]},
                                   r.registers_per_thread,
                                   static_cast<uint32_t>(r.static_shared + r.dynamic_shared)};
  if (last_kernel_site_ == 0 || !(site == last_kernel_)) {
    see_device(r.device);
    last_kernel_ = site;
    last_kernel_site_ = to_.site(site);
  }
  if (r.device < kCountedDevices) {
    ++totals_[r.device].kernels;
    totals_[r.device].kernel_ns += r.end > r.start ? r.end - r.start : 0;
  }
  to_.kernel({.site = last_kernel_site_,
              .start_ns = r.start,
              .end_ns = r.end,
              .correlation = r.correlation,
              .graph = r.graph,
              .node = r.graph_node});
}

/// What copies and sets have in common.
template <typename Record>
stream::Activity ActivityWriter::moved(const Record& r, uint32_t site) {
  see_device(r.device);
  copies_ += r.graph == 0;
  return {.site = site,
          .start_ns = r.start,
          .end_ns = r.end,
          .correlation = r.correlation,
          .bytes = r.bytes,
          .graph = r.graph,
          .node = r.graph_node};
}

/// CopyRecord or PeerCopyRecord.
template <typename Record>
void ActivityWriter::write_copy(const Record& r) {
  if (r.device < kCountedDevices) {
    ++totals_[r.device].copies;
    totals_[r.device].copied_bytes += r.bytes;
  }
  const stream::CopySite site = {r.copy_kind, r.source, r.destination, r.device, r.context, r.stream};
  to_.copy(moved(r, to_.site(site)));
}

void ActivityWriter::write_set(const SetRecord& r) {
  to_.set(moved(r, to_.site(stream::SetSite{r.memory, r.device, r.context, r.stream})));
}

void ActivityWriter::write_call(const CallRecord& r) {
  if (!in_window(r.start)) return count_call(r.callback, r.kind == kDriver);
  const auto known = threads_.find(r.thread);
  write_call({.start_ns = r.start, .end_ns = r.end, .correlation = r.correlation}, r.callback, r.kind == kDriver,
             known != threads_.end() ? known->second : r.thread);
}

void ActivityWriter::write_call(const stream::Activity& call, uint32_t callback, bool is_driver, uint32_t thread) {
  count_call(callback, is_driver);
  const std::vector<uint32_t>& names = call_names_[is_driver];
  const stream::CallSite site = {callback < names.size() ? names[callback] : 0, is_driver, thread};
  if (last_call_site_ == 0 || !(site == last_call_)) {
    last_call_ = site;
    last_call_site_ = to_.site(site);
  }
  stream::Activity placed = call;
  placed.site = last_call_site_;
  to_.call(placed);
}

void ActivityWriter::write_sync(const SyncRecord& r) {
  to_.sync({.site = to_.site(stream::SyncSite{r.type, 0, r.context, r.stream}),
            .start_ns = r.start,
            .end_ns = r.end,
            .correlation = r.correlation,
            .event_plus_1 = r.event == kNoEvent ? 0 : uint64_t{r.event} + 1});
}

void ActivityWriter::write_wait(const stream::Activity& call, const Wait& wait) {
  stream::Activity placed = call;
  placed.site = to_.site(stream::SyncSite{wait.type, 0, wait.context, wait.stream});
  if (wait.event != 0)
    placed.event_plus_1 = events_.try_emplace(wait.event, static_cast<uint32_t>(events_.size()) + 1).first->second;
  to_.sync(placed);
}

void ActivityWriter::write_memory(const MemoryRecord& r) {
  constexpr uint32_t kAllocation = 1, kPageable = 1, kPinned = 2;
  const bool on_host = r.memory == kPageable || r.memory == kPinned;
  const auto bytes = static_cast<int64_t>(r.bytes);
  to_.allocation(r.process, r.timestamp, r.address, r.operation == kAllocation ? bytes : -bytes,
                 on_host ? -1 : static_cast<int32_t>(r.device));
}

}  // namespace warplens::cupti
