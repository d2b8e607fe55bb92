#include "warplens/report/packed_report.h"

#include <utility>

#include "warplens/report/packing.h"

namespace warplens::report {

template <typename Archive>
void fields(Archive& a, Metric& m) {
  a(m.name, m.value, m.fidelity);
}
template <typename Archive>
void fields(Archive& a, LineCounts& l) {
  a(l.file, l.line, l.instructions, l.global_load, l.global_store, l.local, l.spill, l.shared_load, l.shared_store,
    l.atomics, l.shared_atomics, l.all, l.broadcast, l.constant_load, l.gathered, l.scattered);
  a(l.fp32_sum_of_product, l.fp64_sum_of_product, l.half_sum_of_product, l.fp32_fma, l.fp64_fma, l.half_fma, l.fp64,
    l.conversions64, l.integer_conversions64, l.integer_wide, l.barriers, l.floating, l.integer, l.branches,
    l.loop_overhead, l.loop_alu, l.loop_imad, l.loop_words, l.fixed_operands, l.precise_calls, l.precise_spared,
    l.precise_kinds, l.load_bytes, l.store_bytes);
}
template <typename Archive>
void fields(Archive& a, InstructionRow& r) {
  a(r.index, r.text, r.file, r.line, r.counts);
}
template <typename Archive>
void fields(Archive& a, AccessExample& e) {
  a(e.sample, e.text, e.file, e.line);
}
template <typename Archive>
void fields(Archive& a, Resource& r) {
  a(r.name, r.ns);
}
template <typename Archive>
void fields(Archive& a, TimeEstimate& t) {
  a(t.bound_ns, t.bound_by, t.cold_bound_ns, t.ns, t.low_ns, t.high_ns, t.recorded_ns, t.between_events_ns,
    t.limited_by, t.resources, t.waves, t.occupancy);
}
template <typename Archive>
void fields(Archive& a, Peaks& p) {
  a(p.dram, p.l2, p.l1, p.fp32, p.fp64, p.fp16, p.tensor, p.source);
}
template <typename Archive>
void fields(Archive& a, Roof& r) {
  a(r.level, r.bytes, r.bytes_per_ns, r.intensity);
}
template <typename Archive>
void fields(Archive& a, Ceiling& c) {
  a(c.precision, c.flops, c.flops_per_ns);
}
template <typename Archive>
void fields(Archive& a, Roofline& r) {
  a(r.peaks_from, r.roofs, r.ceilings, r.flops, r.flops_per_ns, r.attainable_per_ns, r.memory_bound, r.bound_by);
}
template <typename Archive>
void fields(Archive& a, Finding& f) {
  a(f.id, f.level, f.title, f.detail, f.advice, f.saving_ns, f.saving_fraction, f.beside_fraction, f.evidence, f.where);
}
/// All but the device, which goes by its key, and what hardware counters measured.
template <typename Archive>
void fields(Archive& a, KernelReport& r) {
  a(r.kernel, r.grid, r.block, r.from_machine_code, r.code_architecture, r.has_results, r.serialised, r.is_of_triton,
    r.waits_for_others, r.warp_instructions, r.thread_instructions, r.why_ptx_ran, r.why_adjusted, r.why_not_counted,
    r.code_digest, r.resources, r.metrics);
  a(r.lines, r.instructions, r.accesses, r.work, r.time, r.peaks, r.roofline, r.findings, r.mended_bound_ns);
}

std::string pack(KernelReport report) {
  Packer packer;
  std::string device = report.device->key;
  packer(device, report);
  return std::move(packer.bytes);
}

Result<KernelReport> unpack(std::string_view bytes) {
  KernelReport report;
  std::string device;
  Unpacker unpacker(bytes);
  unpacker(device, report);
  if (!unpacker.ok()) return invalid_input("a launch's counts are cut short");
  WL_ASSIGN(report.device, gpu::find_device(device));
  return report;
}

}  // namespace warplens::report
