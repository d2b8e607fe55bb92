// Measurements that need a GPU: what the harness, the fusions, inline compilation and the ceilings are worth.
// Usage: gpu_study ceilings|harness|fusion|inline [ARGUMENTS] > results.json
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "warplens/base/text.h"
#include "warplens/base/timing.h"
#include "warplens/bench/ceilings/ceilings.h"
#include "warplens/bench/gpu/gpu_buffer.h"
#include "warplens/bench/harness/measure.h"
#include "warplens/bench/stats/quantiles.h"
#include "warplens/build/inline/kernels.h"
#include "warplens/fuse/report.h"

namespace warplens::bench {
namespace {

using namespace warplens::cuda;
using namespace warplens::fuse;

/// y = a x + y over `n` elements, written so that the time is in proportion to n.
constexpr const char* kSaxpy = R"(
extern "C" __global__ void saxpy(const float4* x, float4* y, float a, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 u = x[i], v = y[i];
  y[i] = make_float4(a * u.x + v.x, a * u.y + v.y, a * u.z + v.z, a * u.w + v.w);
})";

struct Saxpy {
  GpuBuffer x, y;
  InlineKernels kernels;
  InlineFunction function;

  static Result<Saxpy> make(const GpuTimer& timer, uint64_t floats) {
    WL_ASSIGN(GpuBuffer x, GpuBuffer::allocate(timer, launch::DType::kF32, floats));
    WL_ASSIGN(GpuBuffer y, GpuBuffer::allocate(timer, launch::DType::kF32, floats));
    WL_TRY(x.fill(timer, 1));
    WL_TRY(y.fill(timer, 2));
    WL_ASSIGN(InlineKernels kernels, InlineKernels::load(timer.device(), kSaxpy));
    WL_ASSIGN(InlineFunction function, kernels.function("saxpy"));
    return Saxpy{std::move(x), std::move(y), std::move(kernels), std::move(function)};
  }

  Work work(uint64_t floats) const {
    Work out;
    out.bytes = 12.0 * static_cast<double>(floats);
    out.run = [this, floats](void* stream) {
      const auto vectors = static_cast<uint32_t>(floats / 4);
      return function.launch({.grid = {(vectors + 255) / 256, 1, 1},
                              .block = {256, 1, 1},
                              .stream = static_cast<cuda::StreamHandle>(stream)},
                             x.pointer(), y.pointer(), 0.5f, vectors);
    };
    return out;
  }
};

/// 200 races of two works: how often each verdict, how long one takes.
Status race_many(GpuTimer& timer, const Work& a, const Work& b, const std::string& name, json::Writer& out) {
  std::map<std::string_view, int64_t> verdicts;
  std::vector<double> seconds, ratios;
  for (int trial = 0; trial < 200; ++trial) {
    const int64_t begin = monotonic_ns();
    RaceOptions options;
    options.warm_up_seconds = 0.005, options.limit_seconds = 0.2;
    WL_ASSIGN(const Comparison c, race(a, b, timer, options));
    seconds.push_back(static_cast<double>(monotonic_ns() - begin) / 1e9);
    ratios.push_back(c.ratio);
    ++verdicts[name_of(c.verdict)];
  }
  std::vector<double> sorted = ratios;
  std::sort(sorted.begin(), sorted.end());
  out.begin_object().member("name", name).member("trials", 200).member("median_seconds", median(seconds));
  out.member("ratio_p05", sorted_quantile(sorted, 0.05))
      .member("ratio_median", median(ratios))
      .member("ratio_p95", sorted_quantile(sorted, 0.95));
  out.key("verdicts").begin_object();
  for (const auto& [verdict, n] : verdicts) out.member(verdict, n);
  out.end_object().end_object();
  return {};
}

/// The way of nvbench: L2 written over by a memset of its size, the stream held until all is enqueued, the mean of
/// many.
Result<double> nvbench_way(GpuTimer& timer, const Work& work, int64_t l2_bytes) {
  WL_ASSIGN(const cuda::Memory scratch, cuda::Memory::allocate(timer.device(), static_cast<size_t>(l2_bytes)));
  WL_ASSIGN(const cuda::Event begin, cuda::Event::make(timer.device()));
  WL_ASSIGN(const cuda::Event end, cuda::Event::make(timer.device()));
  double total = 0;
  constexpr int kRuns = 200;
  for (int i = 0; i < kRuns; ++i) {
    WL_TRY(timer.device().driver().check(timer.device().driver().set_bytes(scratch.pointer(), 0, scratch.size_bytes()),
                                         "memset"));
    WL_TRY(timer.device().synchronize());
    WL_TRY(timer.helpers().spin(timer.handle(), 40000));
    WL_TRY(begin.record(timer.handle()));
    WL_TRY(work.run(timer.handle()));
    WL_TRY(end.record(timer.handle()));
    WL_TRY(timer.finish());
    WL_ASSIGN(const double ns, cuda::Event::elapsed_ns(begin, end));
    total += ns;
  }
  return total / kRuns;
}

Status study_harness(GpuTimer& timer, json::Writer& out) {
  WL_ASSIGN(const Environment environment, timer.environment());
  out.member("device", environment.device).member("driver", environment.driver).member("date", environment.date);
  out.member("launch_overhead_ns", environment.launch_overhead_ns).member("event_step_ns", timer.resolution_ns());
  const uint64_t n = uint64_t{100} << 18;  // 60 to 80 us
  WL_ASSIGN(const Saxpy saxpy, Saxpy::make(timer, n * 101 / 100));
  const Work one = saxpy.work(n), more = saxpy.work(n * 101 / 100);
  out.key("races").begin_array();
  WL_TRY(race_many(timer, one, one, "A against A", out));
  WL_TRY(race_many(timer, one, more, "A against 1 % more work", out));
  WL_TRY(race_many(timer, more, one, "A against 1 % less work", out));
  out.end_array().key("agreement").begin_array();
  for (const uint64_t floats :
       {uint64_t{1} << 14, uint64_t{1} << 18, uint64_t{1} << 20, uint64_t{1} << 22, uint64_t{1} << 24, n}) {
    const Work work = saxpy.work(floats);
    out.begin_object().member("floats", floats);
    for (const Regime regime : {Regime::kCold, Regime::kWarm, Regime::kThroughput}) {
      MeasureOptions options;
      options.regime = regime, options.limit_seconds = 0.5;
      WL_ASSIGN(const Measurement m, measure(work, timer, options));
      out.key(std::string(name_of(regime)) + "_ns").value(m.median_ns);
      if (regime == Regime::kCold) {
        out.member("cold_low_ns", m.low_ns)
            .member("cold_high_ns", m.high_ns)
            .member("samples", static_cast<int64_t>(m.samples_ns.size()));
        out.member("sm_clock_mhz", m.sm_clock_mhz).member("valid", m.valid);
        double mean = 0;
        for (const double ns : m.samples_ns) mean += ns;
        out.member("cold_mean_ns", mean / static_cast<double>(m.samples_ns.size()));
      }
    }
    WL_ASSIGN(const double nvbench, nvbench_way(timer, work, environment.l2_bytes));
    out.member("nvbench_way_mean_ns", nvbench).end_object();
  }
  out.end_array();
  return {};
}

/// Ways to fool a benchmark that need a GPU: each must be found.
Status study_cheats(GpuTimer& timer, json::Writer& out) {
  const uint64_t n = uint64_t{1} << 22;
  WL_ASSIGN(const Saxpy saxpy, Saxpy::make(timer, n));
  WL_ASSIGN(const cuda::Stream other, cuda::Stream::make(timer.device()));
  const Work honest = saxpy.work(n);
  Work elsewhere = honest, twice = honest;
  elsewhere.run = [&](void*) { return honest.run(other.handle()); };
  out.key("cheats").begin_array();
  const auto report = [&](const char* name, const Work& work) -> Status {
    MeasureOptions options;
    options.limit_seconds = 0.2;
    WL_ASSIGN(const Measurement m, measure(work, timer, options));
    out.begin_object()
        .member("name", name)
        .member("valid", m.valid)
        .member("error", m.errors.empty() ? "" : m.errors[0])
        .end_object();
    return {};
  };
  WL_TRY(report("honest", honest));
  WL_TRY(report("on another stream", elsewhere));
  twice.bytes *= 4;
  MeasureOptions options;
  options.ceilings.bytes_per_second = 4.4e12, options.limit_seconds = 0.2;
  WL_ASSIGN(const Measurement m, measure(twice, timer, options));
  out.begin_object()
      .member("name", "four times the bytes stated")
      .member("valid", m.valid)
      .member("error", m.errors.empty() ? "" : m.errors[0])
      .end_object();
  out.end_array();
  return {};
}

Status study_fusion(GpuTimer& timer, const std::string& list, json::Writer& out) {
  std::ifstream lines(list);
  out.key("formulas").begin_array();
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string_view> fields = split(line, '|');
    if (line.starts_with("#") || fields.size() != 4) continue;
    FusionRequest request;
    WL_ASSIGN(request.shape, formula::parse_shape(trim(fields[1])));
    request.dtype = launch::find_dtype(trim(fields[2])).value();
    request.formula = trim(fields[3]);
    FusionReport report;
    WL_ASSIGN(report.plan, plan_fusion(request));
    FusionTimingOptions options;
    options.limit_seconds = 0.3;
    WL_ASSIGN(FusionTiming timing, run_fusion_on_gpu(report.plan, timer, options));
    report.plan.fused = timing.tuned;
    report.measurements = {timing.fused, timing.chain, timing.copy};
    report.comparison = timing.comparison;
    fmt::print(stderr, "{}: fused {:.1f} us, chain {:.1f} us, copy {:.1f} us, {} {}\n", trim(fields[0]),
               timing.fused.median_ns / 1e3, timing.chain.median_ns / 1e3, timing.copy.median_ns / 1e3,
               timing.fused.valid ? "right" : "WRONG", timing.fused.errors.empty() ? "" : timing.fused.errors[0]);
    out.begin_object()
        .member("name", trim(fields[0]))
        .member("shape", trim(fields[1]))
        .member("dtype", trim(fields[2]))
        .member("formula", trim(fields[3]));
    out.key("report").raw(to_json(report)).end_object();
  }
  out.end_array();
  return {};
}

/// One kernel compiled, loaded and launched: from nothing, and from the cache.
Status study_inline(GpuTimer& timer, json::Writer& out) {
  const GpuBuffer x = GpuBuffer::allocate(timer, launch::DType::kF32, 1 << 20).value();
  std::vector<double> fresh, cached;
  for (int i = 0; i < 20; ++i) {
    const std::string source = fmt::format("{}\n// {} {}\n", kSaxpy, i, monotonic_ns());
    for (std::vector<double>* times : {&fresh, &cached}) {
      const int64_t begin = monotonic_ns();
      WL_ASSIGN(const InlineKernels kernels, InlineKernels::load(timer.device(), source));
      WL_ASSIGN(const InlineFunction saxpy, kernels.function("saxpy"));
      WL_TRY(saxpy.launch({.grid = {64}, .block = {256}}, x.pointer(), x.pointer(), 0.5f, 1u << 14));
      WL_TRY(timer.device().synchronize());
      times->push_back(static_cast<double>(monotonic_ns() - begin));
    }
  }
  std::sort(fresh.begin(), fresh.end()), std::sort(cached.begin(), cached.end());
  out.member("first_ns", fresh.back())
      .member("fresh_median_ns", median(fresh))
      .member("cached_median_ns", median(cached));
  return {};
}

Status run(const std::string& what, const std::string& argument) {
  WL_ASSIGN(const std::unique_ptr<GpuTimer> timer, GpuTimer::open());
  if (what == "ceilings") {
    WL_ASSIGN(const MeasuredCeilings measured, measure_ceilings(*timer));
    fmt::print("{}", to_json(measured));
    fmt::print(stderr, "{}", to_terminal(ceilings_table(measured), 0));
    return {};
  }
  json::Writer out(true);
  out.begin_object();
  if (what == "harness") WL_TRY(study_harness(*timer, out));
  if (what == "harness") WL_TRY(study_cheats(*timer, out));
  if (what == "fusion") WL_TRY(study_fusion(*timer, argument, out));
  if (what == "inline") WL_TRY(study_inline(*timer, out));
  out.end_object();
  fmt::print("{}\n", out.text());
  return {};
}

}  // namespace
}  // namespace warplens::bench

int main(int argc, char** argv) {
  const warplens::Status status = warplens::bench::run(argc > 1 ? argv[1] : "", argc > 2 ? argv[2] : "");
  if (!status.ok()) fmt::print(stderr, "gpu_study: {}\n", status.message());
  return status.ok() ? 0 : 1;
}
