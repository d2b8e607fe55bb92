#include "warplens/collect/counters/launch.h"

#include <algorithm>

#include "warplens/collect/counters/driver.h"

namespace warplens::cupti {
namespace {

struct Attribute {
  int number;  // CUfunction_attribute
  uint32_t Launch::* field;
};

constexpr Attribute kAttributes[] = {
    {1, &Launch::static_shared_bytes}, {3, &Launch::local_bytes}, {4, &Launch::registers}};
constexpr int kCarveout = 9;                            // CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT
constexpr uint32_t kCooperativeId = 2, kClusterId = 4;  // CUlaunchAttributeID

void ask_driver(Launch* launch) {
  const Driver& cuda = driver();
  int device = 0, value = 0;
  if (cuda.cuCtxGetDevice != nullptr && cuda.cuCtxGetDevice(&device) == 0)
    launch->device = static_cast<uint32_t>(device);
  if (cuda.cuFuncGetAttribute == nullptr) return;
  void* function = plain_function(launch->function);
  for (const Attribute& attribute : kAttributes) {
    if (cuda.cuFuncGetAttribute(&value, attribute.number, function) == 0)
      launch->*attribute.field = static_cast<uint32_t>(value);
  }
  if (cuda.cuFuncGetAttribute(&value, kCarveout, function) == 0) launch->carveout_percent = value;
}

void read_attributes(const LaunchConfig& config, Launch* launch) {
  for (uint32_t i = 0; config.attributes != nullptr && i < config.attribute_count; ++i) {
    const LaunchAttribute& attribute = config.attributes[i];
    if (attribute.id == kClusterId) std::copy_n(attribute.value, 3, launch->cluster);
    if (attribute.id == kCooperativeId) launch->cooperative = attribute.value[0] != 0;
  }
}

template <typename Sizes>
void read_sizes(const Sizes& from, Launch* launch) {
  std::copy_n(from.grid, 3, launch->grid);
  std::copy_n(from.block, 3, launch->block);
  launch->dynamic_shared_bytes = from.shared_bytes;
  launch->stream = reinterpret_cast<uint64_t>(from.stream);
}

}  // namespace

LaunchCall launch_call(std::string_view name) {
  if (name == "cuLaunchKernel") return LaunchCall::kKernel;
  if (name == "cuLaunchCooperativeKernel") return LaunchCall::kCooperative;
  if (name == "cuLaunchKernelEx") return LaunchCall::kKernelEx;
  if (name == "cuGraphLaunch") return LaunchCall::kGraph;
  if (name == "cuStreamBeginCapture" || name == "cuStreamBeginCaptureToGraph") return LaunchCall::kBeginCapture;
  if (name == "cuStreamEndCapture") return LaunchCall::kEndCapture;
  if (name == "cuLaunchCooperativeKernelMultiDevice" || name == "cuLaunch" || name == "cuLaunchGrid" ||
      name == "cuLaunchGridAsync")
    return LaunchCall::kOther;
  return LaunchCall::kNone;
}

Launch read_launch(LaunchCall call, const ApiCallback& data) {
  Launch out;
  out.kernel = data.symbol != nullptr ? data.symbol : "";
  out.correlation = data.correlation;
  if (call == LaunchCall::kKernelEx) {
    const auto& parameters = *static_cast<const LaunchExParameters*>(data.parameters);
    read_sizes(*parameters.config, &out);
    read_attributes(*parameters.config, &out);
    out.function = parameters.function;
  } else if (call != LaunchCall::kOther) {
    const auto& parameters = *static_cast<const LaunchParameters*>(data.parameters);
    read_sizes(parameters, &out);
    out.cooperative = call == LaunchCall::kCooperative;
    out.function = parameters.function;
  }
  ask_driver(&out);
  return out;
}

std::string why_not_replayed(const Launch& launch, LaunchCall call) {
  for (const std::string_view waits : {"ncclDevKernel", "ncclKernel", "nvshmem"}) {
    if (launch.kernel.find(waits) != std::string::npos)
      return "it waits for kernels of other GPUs, which would not run again with it; --replay application counts it";
  }
  if (call == LaunchCall::kOther) return "launches over several devices and deprecated launches are not counted";
  return "";
}

}  // namespace warplens::cupti
