// The members of a results file, declared once: writing and reading follow from this list. Metrics are written in the
// units that their names give, for the reader of the file.
#pragma once
#include "warplens/bench/results/results.h"

namespace warplens::bench {

template <typename Visitor, typename T>
void visit_fields(Visitor& v, T& x)
  requires std::is_same_v<std::remove_const_t<T>, Environment>
{
  v("date", x.date);
  v("host", x.host);
  v("cpu", x.cpu);
  v("program", x.program);
  v("device", x.device);
  v("driver", x.driver);
  v("arch", x.arch);
  v("sms", x.sms);
  v("l2_bytes", x.l2_bytes);
  v("max_sm_clock_mhz", x.max_sm_clock_mhz);
  v("max_memory_clock_mhz", x.max_memory_clock_mhz);
  v("launch_overhead_ns", x.launch_overhead_ns);
  v("noise_floor", x.noise_floor);
}

template <typename Visitor, typename T>
void visit_fields(Visitor& v, T& x)
  requires std::is_same_v<std::remove_const_t<T>, OutputCheck>
{
  v("output", x.output);
  v("passed", x.passed);
  v("error", x.error);
  v("tolerance", x.tolerance);
  v("detail", x.detail);
}

template <typename Visitor, typename T>
void visit_fields(Visitor& v, T& x)
  requires std::is_same_v<std::remove_const_t<T>, Measurement>
{
  v("name", x.name);
  v("source", x.source);
  v("regime", x.regime);
  v("axes", x.axes);
  v("valid", x.valid);
  v("errors", x.errors);
  v("notes", x.notes);
  v("median_ns", x.median_ns);
  v("low_ns", x.low_ns);
  v("high_ns", x.high_ns);
  v("confidence", x.confidence);
  v("target", x.target);
  v("target_reached", x.target_reached);
  v("resolution_ns", x.resolution_ns);
  v("dropped", x.dropped);
  v("sm_clock_mhz", x.sm_clock_mhz);
  v("throttled_share", x.throttled_share);
  v("throttle_reasons", x.throttle_reasons);
  v("bytes", x.bytes);
  v("flops", x.flops);
  v("bytes_per_second", x.bytes_per_second);
  v("flops_per_second", x.flops_per_second);
  v("share_of_ceiling", x.share_of_ceiling);
  v("bound_ns", x.bound_ns);
  v("estimate_ns", x.estimate_ns);
  v("modelled_device", x.modelled_device);
  v("host_ns", x.host_ns);
  v("memory_bytes", x.memory_bytes);
  v("metrics", x.metrics);
  v.units_of(x.metrics);
  v("checks", x.checks);
  v("samples_ns", x.samples_ns);
}

template <typename Visitor, typename T>
void visit_fields(Visitor& v, T& x)
  requires std::is_same_v<std::remove_const_t<T>, Results>
{
  v("title", x.title);
  v("source_hash", x.source_hash);
  v("environment", x.environment);
  v("measurements", x.measurements);
}

}  // namespace warplens::bench
