#include "warplens/report/writers/write_json.h"

#include "warplens/base/whole.h"
#include "warplens/gpu/metric_unit.h"
#include "warplens/report/writers/resource_causes.h"

namespace warplens::report {

void write_units(json::Writer& w, const std::vector<Metric>& metrics) {
  w.key("units").begin_object();
  for (const Metric& metric : metrics) w.member(metric.name, gpu::unit_of(metric.name));
  w.end_object();
}
namespace {

void write_metrics(json::Writer& w, const KernelReport& report) {
  w.key("metrics").begin_object();
  for (const Metric& metric : report.metrics) {
    const std::optional<int64_t> whole = exact_int64(metric.value);
    w.key(metric.name);
    whole ? w.value(*whole) : w.value(metric.value);
  }
  w.end_object().key("fidelity").begin_object();
  for (const Metric& metric : report.metrics) w.member(metric.name, name(metric.fidelity));
  w.end_object();
  write_units(w, report.metrics);
}

void write_occupancy(json::Writer& w, const KernelReport& report) {
  if (!report.why_not_counted.empty()) return (void)w.key("occupancy").null();
  const gpu::Occupancy& o = report.time.occupancy;
  w.key("occupancy").begin_object().member("theoretical", o.fraction()).member("warps_per_sm", o.warps);
  w.member("blocks_per_sm", o.blocks)
      .member("waves", report.time.waves)
      .list("limiters", gpu::limiter_names(o.limiters))
      .end_object();
}

void write_time(json::Writer& w, const KernelReport& report) {
  w.key("time").begin_object().member("bound_ns", report.time.bound_ns).member("bound_by", report.time.bound_by);
  w.member("cold_bound_ns", report.time.cold_bound_ns);
  w.member("estimate_ns", report.time.ns);
  if (!report.measured)
    w.member("low_ns", report.time.low_ns)
        .member("high_ns", report.time.high_ns)
        .member("recorded_ns", report.time.recorded_ns)
        .member("between_events_ns", report.time.between_events_ns)
        .member("mended_bound_ns", report.mended_bound_ns);
  w.member("limited_by", report.time.limited_by).key("resources").begin_object();
  for (const Resource& resource : report.time.resources) w.member(resource.name + "_ns", resource.ns);
  w.end_object().key("units").begin_array();
  for (const ResourceCause& cause : resource_causes(report)) {
    w.begin_object().member("unit", cause.resource.name).member("alone_ns", cause.resource.ns);
    w.member("halved_estimate_ns", cause.halved_ns)
        .member("works_on", cause.counts)
        .list("where", cause.where)
        .end_object();
  }
  w.end_array().end_object();
}

void write_roofline(json::Writer& w, const KernelReport& report) {
  if (!report.why_not_counted.empty()) return (void)w.key("roofline").null();
  const Roofline& r = report.roofline;
  w.key("roofline")
      .begin_object()
      .member("flops", r.flops)
      .member("bound_by", r.bound_by)
      .member("memory_bound", r.memory_bound)
      .member("peaks_from", r.peaks_from);
  w.member("attainable_flops_per_s", r.attainable_per_ns * 1e9).member("estimated_flops_per_s", r.flops_per_ns * 1e9);
  w.key("levels").begin_array();
  for (const Roof& roof : r.roofs) {
    w.begin_object()
        .member("level", roof.level)
        .member("bytes", roof.bytes)
        .member("peak_bytes_per_s", roof.bytes_per_ns * 1e9);
    w.member("intensity", roof.intensity).end_object();
  }
  w.end_array().key("ceilings").begin_array();
  for (const Ceiling& ceiling : r.ceilings) {
    w.begin_object().member("precision", ceiling.precision).member("flops", ceiling.flops);
    w.member("peak_flops_per_s", ceiling.flops_per_ns * 1e9).end_object();
  }
  w.end_array().end_object();
}

/// What hardware counters alone say.
void write_hardware(json::Writer& w, const Measured& m) {
  w.key("hardware").begin_object().member("chip", m.chip).member("passes", m.passes).member("duration_ns", m.ns);
  w.member("cycles", m.cycles)
      .member("achieved_occupancy", m.achieved_occupancy)
      .member("issue_active", m.issue_active);
  w.member("busiest_sm_cycles", m.busiest_sm).member("average_sm_cycles", m.average_sm);
  w.key("speed_of_light").begin_object();
  for (const UnitUse& unit : m.units) w.member(unit.name, unit.share);
  w.end_object().key("stall_cycles_per_instruction").begin_object();
  for (const Stall& stall : m.stalls) w.member(stall.reason, stall.cycles);
  w.end_object().end_object();
}

void write_lines(json::Writer& w, const KernelReport& report) {
  w.key("lines").begin_array();
  for (const LineCounts& line : report.lines) {
    w.begin_object().member("file", line.file).member("line", uint64_t{line.line});
    w.member("instructions_executed", line.all.executions).member("threads_executed", line.all.predicated_on_threads);
    w.member("global_load_sectors", line.global_load.sectors)
        .member("global_load_ideal_sectors", line.global_load.ideal_sectors);
    w.member("global_store_sectors", line.global_store.sectors)
        .member("global_store_ideal_sectors", line.global_store.ideal_sectors);
    const uint64_t shared = line.shared_load.wavefronts + line.shared_store.wavefronts;
    const uint64_t ideal = line.shared_load.ideal_wavefronts + line.shared_store.ideal_wavefronts;
    w.member("shared_wavefronts", shared)
        .member("shared_ideal_wavefronts", ideal)
        .member("local_sectors", line.local.sectors);
    w.member("atomic_requests", line.atomics.requests + line.shared_atomics.requests);
    w.member("divergent_branches", line.all.divergent_branches).end_object();
  }
  w.end_array();
}

void write_counts(json::Writer& w, const simt::InstructionCounts& c) {
  w.member("executed", c.executions).member("threads", c.predicated_on_threads).member("requests", c.requests);
  w.member("sectors", c.sectors).member("ideal_sectors", c.ideal_sectors).member("wavefronts", c.wavefronts);
  w.member("ideal_wavefronts", c.ideal_wavefronts).member("divergent_branches", c.divergent_branches);
}

void write_instructions(json::Writer& w, const KernelReport& report) {
  w.key("instructions").begin_array();
  for (const InstructionRow& row : report.instructions) {
    w.begin_object()
        .member("index", uint64_t{row.index})
        .member("text", row.text)
        .member("file", row.file)
        .member("line", uint64_t{row.line});
    write_counts(w, row.counts);
    w.end_object();
  }
  w.end_array();
}

void write_access(json::Writer& w, const AccessExample& access) {
  const simt::AccessSample& s = access.sample;
  const bool shared = s.space == simt::AccessSample::Space::kShared;
  w.begin_object().member("text", access.text).member("file", access.file).member("line", uint64_t{access.line});
  w.member("space", shared ? "shared" : "global")
      .member("store", s.store)
      .member("warp", uint64_t{s.warp})
      .list("block", s.block)
      .member("lanes", uint64_t{s.lanes})
      .member("size_bytes", uint64_t{s.size_bytes});
  w.member(shared ? "wavefronts" : "sectors", s.cost).member(shared ? "ideal_wavefronts" : "ideal_sectors", s.ideal);
  w.list("addresses", s.addresses);
  if (shared) {
    w.key("passes").begin_array();  // the lane that each bank serves; -1: none
    for (const auto& pass : simt::shared_passes(s)) {
      w.begin_array();
      for (const int lane : pass) w.value(int64_t{lane});
      w.end_array();
    }
    w.end_array();
  }
  w.end_object();
}

void write_findings(json::Writer& w, const KernelReport& report) {
  w.key("findings").begin_array();
  for (const Finding& finding : report.findings) write_finding(w, finding, report.time.ns);
  w.end_array();
}

}  // namespace

void write_finding(json::Writer& w, const Finding& finding, std::optional<double> launch_ns, std::string_view kernel) {
  w.begin_object();
  if (!kernel.empty()) w.member("kernel", kernel);
  w.member("id", finding.id).member("severity", level_name(finding.level)).member("title", finding.title);
  w.member("detail", finding.detail).member("advice", finding.advice);
  if (finding.saving_fraction && launch_ns) {
    w.member("saving_ns", nearest_int64(*finding.saving_fraction * *launch_ns));
    w.member("saving_fraction", *finding.saving_fraction);
  } else {
    w.key("saving_ns").null().key("saving_fraction").null();
  }
  if (finding.beside_fraction) w.member("beside_fraction", *finding.beside_fraction);
  write_evidence(w, finding);
  w.list("where", finding.where).end_object();
}

void write_report(json::Writer& w, const KernelReport& report) {
  w.member("device", report.device->name);
  if (report.measured) {
    w.member("counted_from", "hardware").member("results_from", "hardware");
    write_hardware(w, *report.measured);
  } else if (!report.why_not_counted.empty()) {
    w.member("counted_from", "nothing").member("results_from", "CPU library");
    w.member("why_not_counted", report.why_not_counted);
  } else {
    w.member("counted_from", report.from_machine_code ? "machine code" : "PTX");
    w.member("results_from", report.has_results ? "machine code" : "PTX");
  }
  if (!report.why_ptx_ran.empty()) w.member("why_ptx_ran", report.why_ptx_ran);
  if (!report.why_adjusted.empty()) w.member("why_adjusted", report.why_adjusted);
  if (!report.code_digest.empty()) w.member("machine_code", report.code_digest);
  const Resources& r = report.resources;
  w.key("resources")
      .begin_object()
      .member("registers", uint64_t{r.registers})
      .member("static_shared_bytes", uint64_t{r.static_shared_bytes});
  w.member("dynamic_shared_bytes", uint64_t{r.dynamic_shared_bytes})
      .member("local_bytes", uint64_t{r.local_bytes})
      .end_object();
  write_metrics(w, report);
  write_occupancy(w, report);
  write_time(w, report);
  write_roofline(w, report);
  write_lines(w, report);
  if (!report.instructions.empty()) write_instructions(w, report);
  if (!report.accesses.empty()) {
    w.key("accesses").begin_array();
    for (const AccessExample& access : report.accesses) write_access(w, access);
    w.end_array();
  }
  write_findings(w, report);
}

}  // namespace warplens::report
