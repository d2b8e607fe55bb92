#include "warplens/counters/ncu/collector.h"

#include <algorithm>
#include <cmath>

#include "warplens/base/printable.h"
#include "warplens/base/text.h"
#include "warplens/counters/ncu/ncu.h"

namespace warplens::counters::ncu {
namespace {

constexpr double kMost = 9e15;  // whole numbers beyond it are none in a double

/// What ncu says of the machine and of itself: no counters of a launch.
bool is_of_machine(std::string_view metric) {
  for (const char* start : {"device__", "nvlink__", "numa__", "c2clink__", "profiler__"}) {
    if (metric.starts_with(start)) return true;
  }
  return contains(metric, ".Triage");  // counters over time, of a pass of their own
}

}  // namespace

void Collector::begin(CountedLaunch launch, const std::string& gpu, int64_t compute) {
  const auto [found, is_new] = gpu_numbers_.try_emplace(gpu, gpus_.size());
  if (is_new) {
    Gpu& added = gpus_.emplace_back();
    added.device.ordinal = static_cast<int64_t>(found->second);
    added.device.compute = compute;
  }
  launch.device = found->second;
  counts_.launches.push_back(std::move(launch));
}

bool Collector::sizes(std::string_view metric, double value) {
  CountedLaunch& to = launch();
  const auto whole = [&] { return value > 0 && value < kMost ? static_cast<int64_t>(std::llround(value)) : 0; };
  const auto size = [&] { return static_cast<uint32_t>(std::min<int64_t>(whole(), INT32_MAX)); };
  if (metric == "launch__registers_per_thread") to.registers = whole();
  else if (metric == "launch__shared_mem_per_block_static") to.static_shared_bytes = whole();
  else if (metric == "launch__shared_mem_per_block_dynamic") to.dynamic_shared_bytes = whole();
  else if (metric == "launch__grid_dim_x") to.grid[0] = size();
  else if (metric == "launch__grid_dim_y") to.grid[1] = size();
  else if (metric == "launch__grid_dim_z") to.grid[2] = size();
  else if (metric == "launch__block_dim_x") to.block[0] = size();
  else if (metric == "launch__block_dim_y") to.block[1] = size();
  else if (metric == "launch__block_dim_z") to.block[2] = size();
  else if (metric == "launch__cluster_dim_x") to.cluster[0] = std::max(1u, size());
  else if (metric == "launch__cluster_dim_y") to.cluster[1] = std::max(1u, size());
  else if (metric == "launch__cluster_dim_z") to.cluster[2] = std::max(1u, size());
  else return false;
  return true;
}

bool Collector::describes(std::string_view metric, std::optional<double> value) {
  CountedDevice& device = gpu().device;
  const double number = value && *value > 0 && *value < kMost ? *value : 0;
  static constexpr std::pair<std::string_view, int64_t CountedDevice::*> kSizes[] = {
      {"device__attribute_multiprocessor_count", &CountedDevice::sms},
      {"device__attribute_clock_rate", &CountedDevice::clock_khz},
      {"device__attribute_memory_clock_rate", &CountedDevice::memory_khz},
      {"device__attribute_global_memory_bus_width", &CountedDevice::memory_bits},
      {"device__attribute_l2_cache_size", &CountedDevice::l2_bytes}};
  const auto* size = std::ranges::find(kSizes, metric, &std::pair<std::string_view, int64_t CountedDevice::*>::first);
  if (size != std::end(kSizes)) device.*size->second = static_cast<int64_t>(number);
  else if (metric == "launch__sm_count" && device.sms == 0) device.sms = static_cast<int64_t>(number);
  else if (metric == "device__attribute_compute_capability_major")
    device.compute = 10 * static_cast<int64_t>(number) + device.compute % 10;
  else if (metric == "device__attribute_compute_capability_minor")
    device.compute = device.compute / 10 * 10 + static_cast<int64_t>(number);
  else if (metric == "profiler__replayer_passes") device.passes = std::max(device.passes, static_cast<int64_t>(number));
  return is_of_machine(metric);
}

void Collector::add(std::string_view metric, std::optional<double> value, std::string_view unit) {
  if (describes(metric, value)) return;
  if (value) sizes(metric, *value);
  Gpu& to = gpu();
  auto found = to.columns.find(metric);
  if (found == to.columns.end()) {
    found = to.columns.emplace(metric, to.device.metrics.size()).first;
    to.device.metrics.push_back(printable(metric));
    to.device.units.emplace_back(printable(unit));
  }
  std::vector<std::optional<double>>& values = launch().values;
  if (values.size() <= found->second) values.resize(found->second + 1);
  twice_ += values[found->second] && value && *values[found->second] != *value;
  values[found->second] = value;
}

void Collector::add_text(std::string_view metric, std::string_view text) {
  if (metric == "device__attribute_display_name") gpu().device.name = printable(text);
}

Counts Collector::take() {
  if (twice_ > 0)
    counts_.notes.push_back(fmt::format(
        "{} metric{} twice in the file, with values from two passes that differ. The report uses the later value",
        twice_, twice_ == 1 ? " is" : "s are"));
  for (Gpu& gpu : gpus_) {
    if (gpu.device.name.empty() && gpu.device.compute > 0)
      gpu.device.name =
          fmt::format("a GPU of compute capability {}.{}", gpu.device.compute / 10, gpu.device.compute % 10);
    counts_.devices.push_back(std::move(gpu.device));
  }
  for (CountedLaunch& launch : counts_.launches) {
    const size_t wanted = counts_.devices[launch.device].metrics.size();
    if (!launch.values.empty()) launch.values.resize(wanted);
  }
  counts_.launched = static_cast<int64_t>(counts_.launches.size());
  counts_.ended = counts_.locked_clocks = true;
  derive(&counts_);
  return std::move(counts_);
}

}  // namespace warplens::counters::ncu
