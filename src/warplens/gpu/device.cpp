#include "warplens/gpu/device.h"

#include <cctype>

#include "warplens/base/letter_case.h"
#include "warplens/base/text.h"

namespace warplens::gpu {
namespace {

constexpr std::string_view kUsualDevice = "h200";  // where nothing says which

std::vector<Device> make_devices() {
  return {
      {"v100", "V100 SXM2", {"teslav100", "v100sxm2"}, "sm_70", 80, 1530, 15.7, 7.8, 0, 0, 125, 0, 900, 6, 0, 32},
      {"t4", "T4", {"teslat4"}, "sm_75", 40, 1590, 8.1, 0.25, 0, 0, 65, 0, 320, 4, 0, 16},
      {"a100",
       "A100 SXM 80GB",
       {"a100sxm", "a10080gb", "a100sxm480gb"},
       "sm_80",
       108,
       1410,
       19.5,
       9.7,
       19.5,
       156,
       312,
       0,
       2039,
       40,
       0,
       80},
      {"a10", "A10", {"a10g"}, "sm_86", 72, 1695, 31.2, 0.49, 0, 62.5, 125, 0, 600, 6, 0, 24},
      {"rtx3090", "RTX 3090", {"3090", "geforcertx3090"}, "sm_86", 82, 1695, 35.6, 0.56, 0, 35.6, 71, 0, 936, 6, 0, 24},
      {"rtx4090",
       "RTX 4090",
       {"4090", "geforcertx4090"},
       "sm_89",
       128,
       2520,
       82.6,
       1.29,
       0,
       82.6,
       165,
       330,
       1008,
       72,
       0,
       24},
      {"l4", "L4", {}, "sm_89", 58, 2040, 30.3, 0.47, 0, 60, 121, 242, 300, 48, 0, 24},
      {"l40s", "L40S", {}, "sm_89", 142, 2520, 91.6, 1.43, 0, 183, 362, 733, 864, 96, 0, 48},
      {"h100pcie", "H100 PCIe", {}, "sm_90", 114, 1755, 51.2, 25.6, 51.2, 378, 756, 1513, 2039, 50, 0, 80},
      {"h100",
       "H100 SXM",
       {"h100sxm", "h100sxm5", "h10080gbhbm3"},
       "sm_90",
       132,
       1980,
       66.9,
       33.5,
       67,
       495,
       989,
       1979,
       3350,
       50,
       0,
       80},
      {"h200", "H200 SXM", {"h200sxm"}, "sm_90", 132, 1980, 66.9, 33.5, 67, 495, 989, 1979, 4800, 60, 0.9, 141},
      {"b200", "B200", {}, "sm_100", 148, 1965, 75, 37, 37, 1100, 2250, 4500, 8000, 126, 0, 180},
      {"rtx5090",
       "RTX 5090",
       {"5090", "geforcertx5090"},
       "sm_120",
       170,
       2407,
       104.8,
       1.64,
       0,
       105,
       210,
       419,
       1792,
       96,
       0,
       32},
  };
}

std::string plain(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c != ' ' && c != '-' && c != '_') out += lower(c);
  }
  return out.starts_with("nvidia") ? out.substr(6) : out;
}

std::vector<Device>& catalogue() {
  static std::vector<Device> devices = make_devices();
  return devices;
}

bool answers_to(const Device& device, const std::string& name) {
  if (name == plain(device.key) || name == plain(device.name)) return true;
  for (const char* alias : device.aliases) {
    if (name == alias) return true;
  }
  return false;
}

}  // namespace

const Arch& Device::architecture() const { return **find_arch(arch); }

const std::vector<Device>& all_devices() { return catalogue(); }

Status add_device(Device device) {
  for (const Device& known : all_devices()) {
    if (answers_to(known, plain(device.key)))
      return usage_error(
          fmt::format("device '{}': the catalogue's {} has that name; choose another", device.key, known.name));
  }
  catalogue().push_back(std::move(device));
  return {};
}

Result<const Device*> find_device(std::string_view name) {
  const std::string wanted = plain(name);
  std::vector<std::string> keys;
  for (const Device& device : all_devices()) {
    if (answers_to(device, wanted)) return &device;
    keys.push_back(device.key);
  }
  if (contains(name, ","))
    return usage_error(fmt::format("'{}' names several GPUs: give one, and run the command once for each", name));
  const std::string near = nearest(wanted, keys);
  return usage_error(fmt::format("unknown GPU '{}'{}; `warplens device list` shows the {} that are known", name,
                                 near.empty() ? "" : fmt::format(" (did you mean {}?)", near), keys.size()));
}

const Device& default_device(const Arch& arch) {
  const Device* best = nullptr;
  for (const Device& device : all_devices()) {
    const Arch& candidate = device.architecture();
    const bool same = candidate.cc() == arch.cc(), family = candidate.major == arch.major;
    if (same && (!best || best->architecture().cc() != arch.cc() || device.dram_gbs > best->dram_gbs)) best = &device;
    if (!best && family) best = &device;
  }
  return best ? *best : **find_device(kUsualDevice);
}

const Device& device_for(int compute_capability) {
  const Arch* newest = nullptr;
  for (const Arch& arch : all_archs()) {
    if (arch.cc() <= compute_capability && (newest == nullptr || arch.cc() > newest->cc())) newest = &arch;
  }
  return newest != nullptr ? default_device(*newest) : **find_device(kUsualDevice);
}

}  // namespace warplens::gpu
