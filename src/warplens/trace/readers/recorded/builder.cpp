#include "warplens/trace/readers/recorded/builder.h"

#include <algorithm>

#include "warplens/base/demangle.h"
#include "warplens/base/text.h"
#include "warplens/trace/readers/latest_time.h"
#include "warplens/trace/readers/recorded/cupti_names.h"

namespace warplens::recorded {

using stream::Tag;

Builder::Builder(std::string file, std::optional<int64_t> base_ns)
    : file_(std::move(file)), has_base_(base_ns.has_value()) {
  profile_.base_ns = std::clamp(base_ns.value_or(0), -kLatestNs, kLatestNs);
  append(profile_.ranks, {.file = profile_.strings.intern(file_)});
}

int64_t Builder::local(uint64_t time_ns) {
  const auto bounded_ns = static_cast<int64_t>(std::min<uint64_t>(time_ns, kLatestNs));  // far ones stay absurd
  if (!has_base_ && profile_.base_ns == 0) profile_.base_ns = bounded_ns;
  const int64_t at = bounded_ns - profile_.base_ns;
  first_ns_ = std::min(first_ns_, at);
  last_ns_ = std::max(last_ns_, at);
  return at;
}

StringId Builder::name(uint64_t text_id) {
  const StringId* const known = texts_.find(text_id);
  return known ? *known : StringId::kEmpty;
}

void Builder::text(uint64_t id, std::string_view text) { texts_[id] = profile_.strings.intern(text); }

uint32_t Builder::thread_row(uint64_t thread) {
  const auto [found, is_new] = threads_.try_emplace(thread, static_cast<uint32_t>(profile_.threads.size()));
  if (is_new) append(profile_.threads, {.thread = profile_.strings.intern(fmt::format("{}", thread))});
  return found->second;
}

uint32_t Builder::device_row(uint32_t ordinal) {
  const auto [found, is_new] = devices_.try_emplace(ordinal, static_cast<uint32_t>(profile_.devices.size()));
  if (is_new) append(profile_.devices, {.ordinal = static_cast<int32_t>(ordinal)});
  return found->second;
}

Builder::Site& Builder::new_site(uint64_t id, Tag kind) {
  Site& site = sites_[id];
  site = {.kind = kind};
  return site;
}

void Builder::site(uint64_t id, const stream::KernelSite& from) {
  Site& site = new_site(id, Tag::kKernel);
  site.name = profile_.strings.intern(demangled(std::string(profile_.text(name(from.name)))));
  site.device = device_row(from.device);
  site.context = static_cast<int32_t>(from.context);
  site.stream = from.stream;
  site.launch_config = static_cast<uint32_t>(profile_.launch_configs.size());
  context_devices_[from.context] = site.device;
  append(profile_.launch_configs, {.grid_x = from.grid[0],
                                   .grid_y = from.grid[1],
                                   .grid_z = from.grid[2],
                                   .block_x = from.block[0],
                                   .block_y = from.block[1],
                                   .block_z = from.block[2],
                                   .registers_per_thread = static_cast<int32_t>(from.registers),
                                   .shared_bytes = from.shared_bytes,
                                   .occupancy = -1});
}

void Builder::site(uint64_t id, const stream::CallSite& from) {
  Site& site = new_site(id, Tag::kCall);
  site.name = name(from.name);
  site.thread = thread_row(from.thread);
  site.type = from.is_driver;
}

void Builder::site(uint64_t id, const stream::CopySite& from) {
  Site& site = new_site(id, Tag::kCopy);
  site.name = profile_.strings.intern(copy_name(from.kind, from.source, from.destination));
  site.device = device_row(from.device);
  site.context = static_cast<int32_t>(from.context);
  site.stream = from.stream;
  site.type = from.kind;
  context_devices_[from.context] = site.device;
}

void Builder::site(uint64_t id, const stream::SetSite& from) {
  Site& site = new_site(id, Tag::kSet);
  site.name = profile_.strings.intern(set_name(from.memory));
  site.device = device_row(from.device);
  site.context = static_cast<int32_t>(from.context);
  site.stream = from.stream;
  context_devices_[from.context] = site.device;
}

void Builder::site(uint64_t id, const stream::SyncSite& from) {
  Site& site = new_site(id, Tag::kSync);
  site.name = profile_.strings.intern(sync_name(from.type));
  site.type = from.type;
  site.context = static_cast<int32_t>(from.context);
  site.stream = from.stream == UINT32_MAX ? -1 : static_cast<int64_t>(from.stream);
  if (from.device_plus_1 != 0) site.device = device_row(from.device_plus_1 - 1);
}

void Builder::device(const stream::Device& device, uint64_t text_id) {
  const uint32_t row = device_row(device.ordinal);
  devices_table& table = profile_.devices;
  table.name.at(row) = name(text_id);
  table.memory_bytes.at(row) = static_cast<int64_t>(device.memory_bytes);
  table.sm_count.at(row) = static_cast<int32_t>(device.sm_count);
  table.compute_major.at(row) = static_cast<int32_t>(device.compute_major);
  table.compute_minor.at(row) = static_cast<int32_t>(device.compute_minor);
  table.max_threads_per_sm.at(row) = static_cast<int32_t>(device.max_threads_per_sm);
  table.registers_per_sm.at(row) = static_cast<int32_t>(device.registers_per_sm);
  table.shared_bytes_per_sm.at(row) = static_cast<int32_t>(device.shared_bytes_per_sm);
  table.warp_size.at(row) = static_cast<int32_t>(device.warp_size);
}

void Builder::thread_name(uint64_t thread, uint64_t text_id) {
  profile_.threads.name.at(thread_row(thread)) = name(text_id);
}

void Builder::metadata(uint64_t key, uint64_t value) {
  append(profile_.metadata, {.key = name(key), .value = name(value)});
}

void Builder::graph_node(uint64_t node, uint64_t original, uint64_t text_id) {
  nodes_[node] = {original, name(text_id)};
}

void Builder::activity(Tag tag, const stream::Activity& activity) {
  const Site* const site = sites_.find(activity.site);
  if (site == nullptr || site->kind != tag) {
    ++unknown_sites_;
    return;
  }
  if (tag == Tag::kCall) return add_call(*site, activity);
  if (tag == Tag::kSync) return add_sync(*site, activity);
  add_device_event(*site, tag, activity);
}

void Builder::add_call(const Site& site, const stream::Activity& activity) {
  const int64_t start_ns = local(activity.start_ns);
  append(profile_.calls, {.start_ns = start_ns,
                          .duration_ns = local(activity.end_ns) - start_ns,
                          .name = site.name,
                          .thread = site.thread,
                          .kind = site.type ? CallKind::kDriver : CallKind::kRuntime,
                          .correlation = static_cast<int64_t>(activity.correlation)});
}

void Builder::add_device_event(const Site& site, Tag tag, const stream::Activity& activity) {
  const int64_t start_ns = local(activity.start_ns);
  append(profile_.device_events, {.start_ns = start_ns,
                                  .duration_ns = local(activity.end_ns) - start_ns,
                                  .name = site.name,
                                  .kind = tag == Tag::kKernel ? DeviceEventKind::kKernel
                                          : tag == Tag::kCopy ? DeviceEventKind::kCopy
                                                              : DeviceEventKind::kSet,
                                  .device = site.device,
                                  .context = site.context,
                                  .stream = site.stream,
                                  .correlation = static_cast<int64_t>(activity.correlation),
                                  .graph_id = static_cast<int64_t>(activity.graph),
                                  .graph_node_id = static_cast<int64_t>(activity.node),
                                  .bytes = static_cast<int64_t>(activity.bytes),
                                  .copy_kind = tag == Tag::kCopy ? copy_direction(site.type) : CopyKind::kNone,
                                  .launch_config = site.launch_config,
                                  .collective = kNone});
}

void Builder::add_sync(const Site& site, const stream::Activity& activity) {
  const int64_t start_ns = local(activity.start_ns), event = static_cast<int64_t>(activity.event_plus_1) - 1;
  const auto correlation = static_cast<int64_t>(activity.correlation);
  if (site.type == stream::kEventRecorded) {
    recorded_events_.push_back({start_ns, event, site.stream, correlation});
    return;
  }
  append(profile_.synchronizations, {.start_ns = start_ns,
                                     .duration_ns = local(activity.end_ns) - start_ns,
                                     .name = site.name,
                                     .device = site.device,
                                     .stream = site.stream,
                                     .wait_on_stream = -1,
                                     .wait_on_event = event,
                                     .correlation = correlation});
  sync_contexts_.push_back(site.context);
}

void Builder::allocation(uint64_t thread, uint64_t time_ns, uint64_t address, int64_t bytes, int64_t device) {
  append(profile_.allocations, {.time_ns = local(time_ns),
                                .thread = thread_row(thread),
                                .address = address,
                                .bytes = bytes,
                                .device_type = device < 0 ? 0 : 1,
                                .device_ordinal = static_cast<int32_t>(device)});
}

void Builder::clock(uint64_t realtime_ns, uint64_t monotonic_raw_ns) {
  clocks_.emplace_back(realtime_ns, monotonic_raw_ns);
}

void Builder::lost(stream::Lost what, uint64_t count) { lost_[static_cast<size_t>(what)] += count; }

void Builder::pause(uint64_t time_ns, bool pauses) {
  const int64_t at_ns = local(time_ns);
  if (pauses) {
    paused_at_ns_ = at_ns;
  } else if (paused_at_ns_ != INT64_MIN) {
    paused_ns_ += at_ns - paused_at_ns_;
    paused_at_ns_ = INT64_MIN;
  }
}

}  // namespace warplens::recorded
