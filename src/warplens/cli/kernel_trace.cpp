#include "warplens/cli/kernel_trace.h"

#include <algorithm>
#include <cmath>

#include "warplens/base/files.h"
#include "warplens/writers/chrome/chrome.h"

namespace warplens::cli {
namespace {

constexpr int64_t kStream = 7;  // as torch.profiler numbers the default stream

void add_device(Profile& to, const launch::RunResult& result) {
  append(to.ranks, {});
  devices_row device;
  device.name = to.strings.intern(result.gpu_name);
  for (const launch::Outcome& outcome : result.outcomes) {
    if (!result.gpu_name.empty() || !outcome.counted || outcome.counted->device == nullptr) continue;
    device.name = to.strings.intern("emulated " + std::string(outcome.counted->device->name));
    device.sm_count = outcome.counted->device->sms;
  }
  append(to.devices, device);
}

void add(const launch::Outcome& outcome, double duration_ns, int64_t& at_ns, Profile& to) {
  launch_configs_row config;
  config.occupancy = -1;  // not given
  config.grid_x = outcome.spec.grid[0], config.grid_y = outcome.spec.grid[1], config.grid_z = outcome.spec.grid[2];
  config.block_x = outcome.spec.block[0], config.block_y = outcome.spec.block[1],
  config.block_z = outcome.spec.block[2];
  config.shared_bytes = outcome.spec.dynamic_shared_bytes;
  if (outcome.counted) config.registers_per_thread = static_cast<int32_t>(outcome.counted->resources.registers);
  append(to.launch_configs, config);
  device_events_row event;
  event.start_ns = at_ns;
  event.duration_ns = std::max<int64_t>(1, std::llround(duration_ns));
  event.name = to.strings.intern(outcome.kernel);
  event.kind = DeviceEventKind::kKernel;
  event.stream = kStream;
  event.launch_config = static_cast<uint32_t>(to.launch_configs.size() - 1);
  event.collective = kNone;
  append(to.device_events, event);
  at_ns += event.duration_ns;
}

}  // namespace

Status write_kernel_trace(const Invocation& invocation, const launch::RunResult& result) {
  if (!invocation.has("--trace")) return {};
  Profile profile;
  add_device(profile, result);
  int64_t at_ns = 0;
  size_t runs = 1;
  for (const launch::Outcome& outcome : result.outcomes) runs = std::max(runs, outcome.gpu_samples_ns.size());
  for (size_t run = 0; run < runs; ++run) {
    for (const launch::Outcome& outcome : result.outcomes) {
      if (run < outcome.gpu_samples_ns.size()) add(outcome, outcome.gpu_samples_ns[run], at_ns, profile);
      else if (run == 0 && outcome.counted) add(outcome, outcome.counted->time.ns, at_ns, profile);
    }
  }
  if (profile.device_events.size() == 0) return usage_error("--trace: no launch has a time; count while emulating");
  std::string text;
  WL_TRY(writers::chrome_trace(profile, [&](std::string_view bytes) {
    text += bytes;
    return Status();
  }));
  return write_file(invocation.text("--trace"), text, invocation.has("--force"));
}

}  // namespace warplens::cli
