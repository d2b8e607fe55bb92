#include "warplens/report/roofline.h"

#include <algorithm>

namespace warplens::report {
namespace {

constexpr double kL1BytesPerCycle = 128;  // an SM
constexpr double kL2BytesPerCycle = 64;   // an SM

Roof roof(const char* level, double bytes, double bytes_per_ns, double flops) {
  return {level, bytes, bytes_per_ns, bytes > 0 ? flops / bytes : 0};
}

double either(double measured, double data_sheet) { return measured > 0 ? measured : data_sheet; }

}  // namespace

Roofline roofline(const Work& w, const gpu::Device& device, double time_ns, const Peaks& measured) {
  Roofline out;
  out.peaks_from = measured.source.empty() ? "data sheet" : measured.source;
  out.flops = w.flops();
  out.flops_per_ns = time_ns > 0 ? out.flops / time_ns : 0;
  const double ghz = device.clock_hz() / 1e9;
  out.roofs = {
      roof("DRAM", dram_read_bytes(w) + 32 * w.written_sectors, either(measured.dram, device.dram_gbs), out.flops),
      roof("L2", 32 * (l2_read_sectors(w) + l2_write_sectors(w)),
           either(measured.l2, kL2BytesPerCycle * device.sms * ghz), out.flops),
      roof("L1", 32 * (w.load_sectors + w.store_sectors + w.local_sectors),
           either(measured.l1, kL1BytesPerCycle * device.sms * ghz), out.flops),
  };
  const Ceiling all[] = {{"FP32", w.fp32_flops, either(measured.fp32, device.fp32_tflops * 1000)},
                         {"FP64", w.fp64_flops, either(measured.fp64, device.fp64_tflops * 1000)},
                         {"FP16", w.half_flops, either(measured.fp16, device.fp32_tflops * 2000)},
                         {"tensor", w.tensor_flops, either(measured.tensor, device.half_tflops * 1000)}};
  double compute_ns = 0;
  for (const Ceiling& ceiling : all) {
    if (ceiling.flops <= 0 || ceiling.flops_per_ns <= 0) continue;
    out.ceilings.push_back(ceiling);
    if (ceiling.flops / ceiling.flops_per_ns > compute_ns) out.bound_by = ceiling.precision;
    compute_ns = std::max(compute_ns, ceiling.flops / ceiling.flops_per_ns);
  }
  if (out.ceilings.empty()) out.ceilings.push_back(all[0]);
  double longest = compute_ns;
  for (const Roof& each : out.roofs) {
    const double ns = each.bytes / each.bytes_per_ns;
    if (ns >= longest) {
      longest = ns;
      out.bound_by = each.level;
    }
  }
  out.memory_bound = longest > compute_ns || compute_ns == 0;
  out.attainable_per_ns = longest > 0 ? out.flops / longest : 0;
  return out;
}

}  // namespace warplens::report
