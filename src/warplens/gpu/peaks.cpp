#include "warplens/gpu/peaks.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "warplens/base/letter_case.h"
#include "warplens/base/text.h"

namespace warplens::gpu {
namespace {

struct Instinct {
  const char* key;  // in its name, lower case; the longer ones first
  int major, minor;
  Peaks peaks;
};

// Matrix rates without sparsity. MI300X and MI250 are AMD's tables (rocm.docs.amd.com, conceptual/gpu-arch/mi300 and
// mi250); the others are their operations a clock and unit (FP16: 1024 on CDNA 1 and 2, 2048 on CDNA 3, 4096 on CDNA 4)
// times units and clock, as the product pages have them. MI350's matrix cores have no TF32.
constexpr Instinct kInstinct[] = {
    {"mi355x", 9, 5, {256, 157.3, 78.6, 78.6, 0, 2516.6, 5033.2, 8000}},
    {"mi350x", 9, 5, {256, 144.2, 72.1, 72.1, 0, 2306.9, 4613.7, 8000}},
    {"mi325x", 9, 4, {304, 163.4, 81.7, 163.4, 653.7, 1307.4, 2614.9, 6000}},
    {"mi300x", 9, 4, {304, 163.4, 81.7, 163.4, 653.7, 1307.4, 2614.9, 5300}},
    {"mi300a", 9, 4, {228, 122.6, 61.3, 122.6, 490.3, 980.6, 1961.2, 5300}},
    {"mi250x", 9, 0, {110, 23.9, 23.9, 47.9, 0, 191.5, 0, 1638}},
    {"mi250", 9, 0, {104, 22.6, 22.6, 45.3, 0, 181.0, 0, 1638}},
    {"mi210", 9, 0, {104, 22.6, 22.6, 45.3, 0, 181.0, 0, 1638}},
    {"mi100", 9, 0, {120, 23.1, 11.5, 0, 0, 184.6, 0, 1229}},
};

/// Cards of a catalogued chip with other memory; NVIDIA's data sheets.
struct Variant {
  const char* key;   // in the name, lower case without spaces and hyphens
  const char* chip;  // of the catalogue
  double dram_gbs;
};
constexpr Variant kVariants[] = {
    {"a100pcie40gb", "a100", 1555}, {"a100sxm440gb", "a100", 1555}, {"a100pg509", "a100", 1555},
    {"a100pcie80gb", "a100", 1935}, {"a10080gbpcie", "a100", 1935}, {"a100", "a100", 2039},
    {"a800", "a100", 2039},         {"h100nvl", "h100pcie", 3938},  {"h800", "h100", 3350},
    {"gh200", "h200", 4000},        {"v100", "v100", 900},          {"gb200", "b200", 8000},
};

}  // namespace

Peaks peaks_of(const Device& d) {
  return {d.sms,         d.fp32_tflops, d.fp64_tflops, d.fp64_tensor_tflops,
          d.tf32_tflops, d.half_tflops, d.fp8_tflops,  d.dram_gbs};
}

namespace {

const Variant* variant_of(std::string_view name) {
  std::string key = lower(name);
  std::erase_if(key, [](char c) { return c == ' ' || c == '-'; });
  const auto* found = std::ranges::find_if(kVariants, [&](const Variant& v) { return contains(key, v.key); });
  return found != std::end(kVariants) ? found : nullptr;
}

std::optional<Peaks> nvidia_peaks(std::string_view name) {
  if (const Result<const Device*> known = find_device(name); known.ok()) return peaks_of(**known);
  const Variant* variant = variant_of(name);
  if (variant == nullptr) return std::nullopt;
  Peaks peaks = peaks_of(**find_device(variant->chip));
  peaks.dram_gbs = variant->dram_gbs;
  return peaks;
}

/// A damaged file says sizes that no GPU has: they count as not said.
template <typename T>
bool within(T value, T least, T most) {
  return value >= least && value <= most;
}

/// `like` with the sizes that are said. Smaller cards have slower memory.
Device in_proportion(const Device& like, const DeviceSaid& said) {
  Device d = like;
  if (within(said.sms, 1, 1 << 12)) d.sms = said.sms;
  if (within(said.boost_mhz, 100.0, 10000.0)) d.boost_mhz = static_cast<int>(said.boost_mhz);
  const double sms = static_cast<double>(d.sms) / like.sms, rates = sms * d.boost_mhz / like.boost_mhz;
  for (double* rate :
       {&d.fp32_tflops, &d.fp64_tflops, &d.fp64_tensor_tflops, &d.tf32_tflops, &d.half_tflops, &d.fp8_tflops})
    *rate *= rates;
  d.dram_gbs = within(said.dram_gbs, 1.0, 1e6) ? said.dram_gbs : like.dram_gbs * std::min(1.0, sms);
  if (within(said.l2_bytes, int64_t{1} << 20, int64_t{1} << 40)) d.l2_mb = static_cast<int>(said.l2_bytes >> 20);
  d.memory_gib = 0;
  d.aliases.clear();
  return d;
}

/// A device that owns its texts.
struct Described {
  std::string name, arch;
  Device device;
};

}  // namespace

Result<const Device*> device_said(const DeviceSaid& said) {
  if (Result<const Device*> known = find_device(said.name); known.ok()) return known;
  WL_ASSIGN(const Arch* arch, find_arch(fmt::format("sm_{}{}", said.compute_major, said.compute_minor)));
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<Described>> all;
  const std::lock_guard lock(mutex);
  std::unique_ptr<Described>& slot = all[fmt::format("{}|{}|{}|{}|{}|{}", arch->name(), said.sms, said.boost_mhz,
                                                     said.dram_gbs, said.l2_bytes, said.name)];
  if (slot) return &slot->device;
  const Variant* variant = variant_of(said.name);
  Device like = variant != nullptr ? **find_device(variant->chip) : default_device(*arch);
  if (variant != nullptr) like.dram_gbs = variant->dram_gbs;
  slot = std::make_unique<Described>(Described{std::string(said.name), arch->name(), in_proportion(like, said)});
  slot->device.key = slot->device.name = slot->name.c_str();
  slot->device.arch = slot->arch.c_str();
  return &slot->device;
}

bool is_amd(const DeviceSaid& device) { return device.warp_size == 64 || lower(device.name).starts_with("amd"); }

std::optional<Peaks> find_peaks(const DeviceSaid& device) {
  if (!is_amd(device)) return nvidia_peaks(device.name);
  const std::string name = lower(device.name);
  for (const Instinct& known : kInstinct) {
    if (contains(name, known.key)) return known.peaks;
  }
  for (auto known = std::rbegin(kInstinct); known != std::rend(kInstinct); ++known) {  // the least of those alike
    if (known->major == device.compute_major && known->minor == device.compute_minor && known->peaks.sms == device.sms)
      return known->peaks;
  }
  return std::nullopt;
}

}  // namespace warplens::gpu
