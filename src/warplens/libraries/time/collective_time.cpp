#include "warplens/libraries/time/collective_time.h"

#include <string_view>

#include "warplens/model/constants.h"

namespace warplens::libraries {
namespace {

constexpr uint32_t kChannels = 24;  // as many channels as NCCL takes with NVLink
constexpr uint32_t kChannelThreads = 544;
constexpr double kMeetNs = 6000, kRankNs = 1000;  // beside the bytes; for each rank that they pass. Assumed
constexpr double kLinkShare = 0.8;                // of NVLink's bandwidth, what a ring reaches. Assumed

/// NVLink's gigabytes a second, one way: half of what data sheets say.
struct Link {
  std::string_view device;
  double gbs;
};
constexpr Link kLinks[] = {{"v100", 150}, {"a100", 300}, {"h100", 450}, {"h200", 450}, {"b200", 900}};

double link_gbs(const gpu::Device& device) {
  for (const Link& link : kLinks) {
    if (link.device == device.key) return link.gbs * kLinkShare;
  }
  return model::kLink5;  // PCIe
}

}  // namespace

LibraryTime collective_time(double link_bytes, int ranks, const gpu::Device& device) {
  const double start_ns = kMeetNs + kRankNs * (ranks - 1), links_ns = link_bytes / link_gbs(device);
  return {.ns = start_ns + links_ns,
          .limited_by = links_ns > start_ns ? "links" : "its start",
          .sm_share = static_cast<double>(kChannels) / device.sms,
          .grid = {kChannels, 1, 1},
          .block = {kChannelThreads, 1, 1}};
}

}  // namespace warplens::libraries
