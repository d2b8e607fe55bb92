#include "warplens/program/analysis/timeline/counters.h"

#include <algorithm>
#include <map>
#include <string>

#include "warplens/base/text.h"
#include "warplens/program/analysis/causes.h"

namespace warplens::analysis {
namespace {

struct Delta {
  int64_t time_ns;
  double by;
};

std::string_view direction(CopyKind kind) {
  switch (kind) {
    case CopyKind::kHostToDevice: return "host to device GB/s";
    case CopyKind::kDeviceToHost: return "device to host GB/s";
    case CopyKind::kDeviceToDevice: return "device to device GB/s";
    case CopyKind::kPeerToPeer: return "peer to peer GB/s";
    default: return "other copies GB/s";
  }
}

class CounterAdder {
 public:
  explicit CounterAdder(Profile& profile) : p_(profile), causes_(profile) {}

  void run() {
    const auto devices = static_cast<uint32_t>(p_.devices.size());
    std::vector<std::map<std::string, std::vector<Delta>>> steps(devices);
    add_device_events(steps);
    for (uint32_t device = 0; device < devices; ++device) {
      for (auto& [name, list] : steps[device]) add_sums(device, name, std::move(list));
    }
    add_memory();
  }

 private:
  void add_device_events(std::vector<std::map<std::string, std::vector<Delta>>>& steps) const {
    const auto& e = p_.device_events;
    for (uint32_t row = 0; row < e.size(); ++row) {
      if (!is_device_work(e.kind[row])) continue;
      auto& of_device = steps[e.device[row]];
      const int64_t start = e.start_ns[row];
      if (const uint32_t call = causes_.links.event_call[row]; call != kNone && p_.calls.start_ns[call] < start) {
        of_device["queue"].push_back({p_.calls.start_ns[call], 1});
        of_device["queue"].push_back({start, -1});
      }
      if (e.kind[row] != DeviceEventKind::kCopy || e.duration_ns[row] <= 0) continue;
      const double rate = static_cast<double>(e.bytes[row]) / static_cast<double>(e.duration_ns[row]);
      auto& copies = of_device[std::string(direction(e.copy_kind[row]))];
      copies.push_back({start, rate});
      copies.push_back({start + e.duration_ns[row], -rate});
    }
  }

  void add_sums(uint32_t device, const std::string& what, std::vector<Delta> steps) {
    std::stable_sort(steps.begin(), steps.end(), [](const Delta& a, const Delta& b) { return a.time_ns < b.time_ns; });
    double value = 0;
    size_t open = 0;
    for (size_t i = 0; i < steps.size(); ++i) {
      value += steps[i].by;
      open += steps[i].by > 0 ? 1 : -1;
      if (open == 0) value = 0;  // what is left is rounding
      if (i + 1 == steps.size() || steps[i + 1].time_ns != steps[i].time_ns) add(device, what, steps[i].time_ns, value);
    }
  }

  void add_memory() {
    constexpr double kMiB = 1 << 20;
    constexpr int kOnDevice = 1;  // CUDA and HIP in torch's numbering
    const auto& m = p_.allocations;
    for (uint32_t row = 0; row < m.size(); ++row) {
      if (m.device_type[row] != kOnDevice) continue;
      for (uint32_t device = 0; device < p_.devices.size(); ++device) {
        if (p_.devices.ordinal[device] != m.device_ordinal[row] ||
            p_.devices.rank[device] != p_.threads.rank[m.thread[row]])
          continue;
        add(device, "allocated MiB", m.time_ns[row], static_cast<double>(m.total_allocated_bytes[row]) / kMiB);
        add(device, "reserved MiB", m.time_ns[row], static_cast<double>(m.total_reserved_bytes[row]) / kMiB);
      }
    }
  }

  void add(uint32_t device, std::string_view what, int64_t time_ns, double value) {
    const std::string name = fmt::format("GPU {} {}", p_.devices.ordinal[device], what);
    append(p_.counter_samples, {time_ns, p_.strings.intern(name), thread_of(device), value});
  }

  uint32_t thread_of(uint32_t device) {
    const auto [at, is_new] = threads_.try_emplace(device, static_cast<uint32_t>(p_.threads.size()));
    if (is_new)
      append(p_.threads, {p_.devices.rank[device], p_.strings.intern(fmt::format("{}", p_.devices.ordinal[device])),
                          p_.strings.intern("0"), StringId::kEmpty});
    return at->second;
  }

  Profile& p_;
  const Causes causes_;
  std::map<uint32_t, uint32_t> threads_;  // of devices
};

}  // namespace

void add_counters(Profile& profile) { CounterAdder(profile).run(); }

}  // namespace warplens::analysis
