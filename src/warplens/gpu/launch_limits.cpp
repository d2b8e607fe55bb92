#include "warplens/gpu/launch_limits.h"

#include <algorithm>

#include "warplens/base/text.h"

namespace warplens::gpu {
namespace {

using Extent = std::array<uint32_t, 3>;

uint64_t volume(const Extent& e) { return uint64_t{e[0]} * e[1] * e[2]; }
std::string text_of(const Extent& e) { return fmt::format("{}x{}x{}", e[0], e[1], e[2]); }
bool exceeds(const Extent& e, const Extent& most) { return e[0] > most[0] || e[1] > most[1] || e[2] > most[2]; }

LaunchRefusal check_shape(const Device& device, const LaunchDemands& asked) {
  const uint64_t threads = volume(asked.block);
  const auto most = static_cast<uint64_t>(device.architecture().threads_per_block);
  if (volume(asked.grid) == 0 || threads == 0)
    return {LaunchLimit::kEmpty, fmt::format("a launch of {} blocks of {} threads: no dimension may be 0",
                                             text_of(asked.grid), text_of(asked.block))};
  if (exceeds(asked.grid, kMostGrid))
    return {LaunchLimit::kGrid,
            fmt::format("a grid of {} blocks: at most {}", text_of(asked.grid), text_of(kMostGrid))};
  if (threads > most || exceeds(asked.block, kMostBlock))
    return {LaunchLimit::kBlock,
            fmt::format("a block of {} threads: at most {}, and {} in z", text_of(asked.block), most, kMostBlock[2])};
  if (asked.kernel_threads != 0 && threads > asked.kernel_threads)
    return {LaunchLimit::kKernelThreads,
            fmt::format("a block of {} threads: the kernel's launch bounds allow at most {}", text_of(asked.block),
                        asked.kernel_threads)};
  return {};
}

LaunchRefusal check_block(const Device& device, const LaunchDemands& asked, const Occupancy& fits) {
  const BlockNeeds& needs = asked.needs;
  const int64_t shared = needs.static_shared_bytes + needs.dynamic_shared_bytes;
  const int64_t most = asked.shared_opted_in != 0 ? asked.shared_opted_in : device.architecture().shared_optin_bytes;
  if (shared > most)
    return {LaunchLimit::kShared,
            fmt::format("a block takes {} bytes of shared memory ({} static, {} dynamic): at most {} on the {}", shared,
                        needs.static_shared_bytes, needs.dynamic_shared_bytes, most, device.name)};
  if (needs.registers > 0 && fits.by_registers == 0)
    return {LaunchLimit::kRegisters,
            fmt::format("a block of {} threads with {} registers each: more registers than an SM of the {} has",
                        text_of(asked.block), needs.registers, device.name)};
  if (fits.blocks == 0)
    return {LaunchLimit::kResources, fmt::format("a block takes more than an SM of the {} has", device.name)};
  return {};
}

LaunchRefusal check_cluster(const Device& device, const LaunchDemands& asked) {
  const uint64_t blocks = volume(asked.cluster);
  if (blocks == 1) return {};
  const auto refused = [](std::string why) { return LaunchRefusal{LaunchLimit::kClusterShape, std::move(why)}; };
  for (size_t axis = 0; axis < 3; ++axis) {
    if (asked.cluster[axis] == 0 || asked.grid[axis] % asked.cluster[axis] != 0)
      return refused(fmt::format("a grid of {} blocks cannot be divided into clusters of {}", text_of(asked.grid),
                                 text_of(asked.cluster)));
  }
  if (blocks > (asked.large_clusters ? kMostCluster : kPortableCluster))
    return refused(fmt::format("a cluster of {} blocks: at most {}", text_of(asked.cluster),
                               asked.large_clusters ? kMostCluster : kPortableCluster));
  if (device.architecture().major < 9)
    return {LaunchLimit::kNoClusters,
            fmt::format("a cluster of {} blocks: the {} has no clusters", text_of(asked.cluster), device.name)};
  return {};
}

}  // namespace

LaunchRefusal refuse_launch(const Device& device, const LaunchDemands& demands) {
  if (LaunchRefusal refusal = check_shape(device, demands); refusal.limit != LaunchLimit::kNone) return refusal;
  BlockNeeds needs = demands.needs;
  needs.threads = static_cast<int>(volume(demands.block));
  const Occupancy fits = occupancy(device.architecture(), needs);
  if (LaunchRefusal refusal = check_block(device, demands, fits); refusal.limit != LaunchLimit::kNone) return refusal;
  if (LaunchRefusal refusal = check_cluster(device, demands); refusal.limit != LaunchLimit::kNone) return refusal;
  const uint64_t resident = static_cast<uint64_t>(fits.blocks) * static_cast<uint64_t>(device.sms);
  if (demands.cooperative && volume(demands.grid) > resident)
    return {LaunchLimit::kCooperative, fmt::format("a cooperative grid of {} blocks: the {} holds {} at once",
                                                   text_of(demands.grid), device.name, resident)};
  return {};
}

}  // namespace warplens::gpu
