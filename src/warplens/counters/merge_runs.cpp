#include "warplens/counters/merge_runs.h"

#include <algorithm>
#include <map>

#include "warplens/base/text.h"

namespace warplens::counters {
namespace {

std::string sizes_of(const std::array<uint32_t, 3>& sizes) {
  return fmt::format("{},{},{}", sizes[0], sizes[1], sizes[2]);
}

std::string key_of(const Counts& counts, const CountedLaunch& launch, std::map<std::string, int>* seen) {
  const std::string kind = fmt::format("{} {} {} {}", launch.kernel, sizes_of(launch.grid), sizes_of(launch.block),
                                       launch.skipped.empty() ? counts.devices[launch.device].ordinal : -1);
  return fmt::format("{} {}", kind, (*seen)[kind]++);
}

/// Where each of `other`'s metrics goes among those of `device`; -1: it has them already.
std::vector<int> add_metrics(CountedDevice* device, const CountedDevice& other) {
  std::vector<int> out;
  for (size_t k = 0; k < other.metrics.size(); ++k) {
    const bool known =
        std::find(device->metrics.begin(), device->metrics.end(), other.metrics[k]) != device->metrics.end();
    out.push_back(known ? -1 : static_cast<int>(device->metrics.size()));
    if (known) continue;
    device->metrics.push_back(other.metrics[k]);
    device->units.push_back(k < other.units.size() ? other.units[k] : "");
  }
  device->passes += other.passes;
  device->missing.insert(device->missing.end(), other.missing.begin(), other.missing.end());
  return out;
}

}  // namespace

size_t merge_run(Counts* first, const Counts& other) {
  std::map<std::string, const CountedLaunch*> partners;
  std::map<std::string, int> seen;
  for (const CountedLaunch& launch : other.launches) partners[key_of(other, launch, &seen)] = &launch;
  std::map<int64_t, std::vector<int>> places;  // by a device's ordinal
  for (CountedDevice& device : first->devices) {
    const auto same = std::find_if(other.devices.begin(), other.devices.end(),
                                   [&](const CountedDevice& d) { return d.ordinal == device.ordinal; });
    if (same != other.devices.end()) places[device.ordinal] = add_metrics(&device, *same);
  }
  size_t alone = 0;
  seen.clear();
  for (CountedLaunch& launch : first->launches) {
    const auto found = partners.find(key_of(*first, launch, &seen));
    if (!launch.skipped.empty() || launch.values.empty()) continue;
    const CountedDevice& device = first->devices[launch.device];
    launch.values.resize(device.metrics.size());
    if (found == partners.end() || found->second->values.empty()) {
      ++alone;
      continue;
    }
    const std::vector<int>& place = places[device.ordinal];
    for (size_t k = 0; k < std::min(place.size(), found->second->values.size()); ++k) {
      if (place[k] >= 0) launch.values[static_cast<size_t>(place[k])] = found->second->values[k];
    }
  }
  return alone;
}

}  // namespace warplens::counters
