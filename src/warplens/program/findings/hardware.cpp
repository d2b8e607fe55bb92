#include "warplens/program/findings/hardware.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "warplens/base/middle.h"
#include "warplens/base/text.h"
#include "warplens/gpu/device.h"
#include "warplens/gpu/peaks.h"
#include "warplens/model/constants.h"
#include "warplens/model/transfer.h"

namespace warplens::findings {
namespace {

using model::kStreamShare, model::kMatrixShare;
constexpr int64_t kLargeCopyBytes = 1 << 20;

gpu::DeviceSaid said_of(const Profile& p, uint32_t device) {
  const devices_table& d = p.devices;
  return {p.text(d.name[device]), d.sm_count[device], d.compute_major[device], d.compute_minor[device],
          d.warp_size[device]};
}

double seen_link_rate(const Profile& p, uint32_t device) {
  std::vector<double> rates;
  const auto& events = p.device_events;
  for (size_t row = 0; row < events.size(); ++row) {
    if (events.copy_kind[row] != CopyKind::kHostToDevice || events.device[row] != device ||
        events.bytes[row] < kLargeCopyBytes)
      continue;
    if (events.duration_ns[row] <= 0 || !contains(p.text(events.name[row]), "Pinned")) continue;
    rates.push_back(static_cast<double>(events.bytes[row]) / static_cast<double>(events.duration_ns[row]));
  }
  return middle_of(std::move(rates));
}

}  // namespace

Hardware hardware_of(const Profile& p, uint32_t device) {
  Hardware out;
  if (device >= p.devices.size()) return out;
  out.compute_major = p.devices.compute_major[device];
  out.sm_count = p.devices.sm_count[device];
  const double seen = seen_link_rate(p, device);
  out.link_bytes_per_ns = seen > 0 ? seen : model::link_rate(out.compute_major);
  const gpu::DeviceSaid said = said_of(p, device);
  std::optional<gpu::Peaks> known = gpu::find_peaks(said);
  out.by_name = known.has_value();
  if (!known && !gpu::is_amd(said)) {
    if (const Result<const gpu::Device*> made = gpu::device_said(said); made.ok()) known = gpu::peaks_of(**made);
  }
  if (!known) return out;
  out.known = true;
  out.dram_bytes_per_ns = known->dram_gbs * kStreamShare;
  out.half_flops_per_ns = known->half_tflops * 1e3 * kMatrixShare;
  out.tf32_flops_per_ns = known->tf32_tflops * 1e3 * kMatrixShare;
  out.fp32_flops_per_ns = known->fp32_tflops * 1e3 * kMatrixShare;
  if (out.sm_count <= 0) out.sm_count = known->sms;
  return out;
}

}  // namespace warplens::findings
