#include "warplens/bench/suite/kernel_bench.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "warplens/base/files.h"
#include "warplens/base/text.h"
#include "warplens/bench/ceilings/ceilings.h"
#include "warplens/bench/results/compare_results.h"
#include "warplens/bench/stats/quantiles.h"
#include "warplens/bench/suite/emulated_case.h"
#include "warplens/bench/suite/gpu_case.h"
#include "warplens/bench/suite/time_case.h"

namespace warplens::bench {
namespace {

/// "scale against copy"; "scale (a.cu) against scale (b.cu)" where the names do not tell the two apart.
std::string versus(const std::string& label, const KernelRequest& own, const std::string& other_name,
                   const KernelRequest& other) {
  const auto file = [](const KernelRequest& request) {
    return std::filesystem::path(request.flags.source).filename().string();
  };
  const bool alike = label == other_name || label.starts_with(other_name + " ") || label.starts_with(other_name + "(");
  if (!alike || file(own).empty() || file(own) == file(other)) return fmt::format("{} against {}", label, other_name);
  return fmt::format("{} ({}) against {} ({})", label, file(own), other_name, file(other));
}

/// The case to race `own` against: the launch of the same kernel, or the only one.
Result<KernelCase> counterpart(const std::vector<KernelCase>& others, const KernelCase& own) {
  for (const KernelCase& other : others) {
    if (other.name == own.name || others.size() == 1) return other;
  }
  std::vector<std::string> names;
  for (const KernelCase& other : others) names.push_back(other.name);
  return not_found(fmt::format("--against has no launch of '{}'; name one of its kernels with --against-kernel: {}",
                               own.name, join(names, ", ")));
}

/// A kernel that the other file lacks is named with another flag.
Status with_remedy(const Status& status, const KernelBenchOptions& options) {
  if (status.code() != ErrorCode::kNotFound || !options.against_kernel.empty()) return status;
  return Status(status.code(), status.message() + "; give --against-kernel NAME for a kernel of another name");
}

/// The request with another file or kernel in its place.
Result<KernelRequest> other_request(const KernelRequest& request, const KernelBenchOptions& options) {
  KernelRequest other = request;
  if (!options.against_kernel.empty()) other.flags.kernel = options.against_kernel;
  if (options.against.ends_with(".json")) {
    WL_ASSIGN(other.launch_file, read_file(options.against));
    other.folder = std::filesystem::path(options.against).parent_path().string();
    other.flags.source = options.against;
  } else if (!options.against.empty()) {
    other.flags.source = options.against;
    other.launch_file.clear();
  }
  return other;
}

class GpuRun {
 public:
  GpuRun(const KernelRequest& request, const KernelBenchOptions& options, GpuTimer& timer, KernelBench& out)
      : request_(request), options_(options), timer_(timer), out_(out) {}

  Status all(const std::vector<Point>& points) {
    WL_ASSIGN(out_.results.environment, timer_.environment());
    ceilings_ = stored_limits(out_.results.environment.device);
    for (const Point& point : points) WL_TRY(one(point));
    if (!floors_.empty()) out_.results.environment.noise_floor = *std::max_element(floors_.begin(), floors_.end());
    return {};
  }

 private:
  Status one(const Point& point) {
    WL_ASSIGN(const std::vector<KernelCase> cases, cases_at(request_, point));
    for (const KernelCase& kernel_case : cases) WL_TRY(one(point, kernel_case));
    return {};
  }

  Status one(const Point& point, const KernelCase& kernel_case) {
    WL_ASSIGN(const std::unique_ptr<GpuCase> loaded, GpuCase::load(kernel_case, timer_));
    const Work work = loaded->work();
    WL_TRY(time_case(kernel_case, work, timer_, ceilings_, options_, out_.results));
    WL_TRY(noise_floor(work));
    return race_other(point, kernel_case, work, out_.results.measurements.back().label());
  }

  RaceOptions racing() const {
    RaceOptions race;
    race.regime = options_.regimes.front();
    race.limit_seconds = options_.limit_seconds;
    race.paired.margin = options_.margin;
    race.paired.confidence = options_.stopping.confidence;
    return race;
  }

  /// What A/A races differ by, 95 % of them.
  Status noise_floor(const Work& work) {
    std::vector<double> differences;
    for (int64_t trial = 0; trial < options_.noise_trials; ++trial) {
      WL_ASSIGN(const Comparison c, race(work, work, timer_, racing()));
      differences.push_back(std::fabs(c.ratio - 1));
    }
    std::sort(differences.begin(), differences.end());
    if (!differences.empty()) floors_.push_back(sorted_quantile(differences, 0.95));
    return {};
  }

  Status race_other(const Point& point, const KernelCase& own, const Work& work, const std::string& label) {
    if (options_.against.empty() && options_.against_kernel.empty()) return {};
    WL_ASSIGN(const KernelRequest request, other_request(request_, options_));
    WL_ASSIGN(const std::vector<KernelCase> others, cases_at(request, point));
    WL_ASSIGN(const KernelCase kernel_case, counterpart(others, own));
    const Result<std::unique_ptr<GpuCase>> loaded = GpuCase::load(kernel_case, timer_);
    if (!loaded.ok()) return with_remedy(loaded.status(), options_);
    const Work other = (*loaded)->work();
    for (const Work* w : {&work, &other}) {
      if (w->prepare) WL_TRY(w->prepare(fresh_seed()));
    }
    WL_ASSIGN(const Comparison c, race(other, work, timer_, racing()));
    out_.against.emplace_back(versus(label, request_, kernel_case.name, request), c);
    return {};
  }

  const KernelRequest& request_;
  const KernelBenchOptions& options_;
  GpuTimer& timer_;
  KernelBench& out_;
  Ceilings ceilings_;
  std::vector<double> floors_;
};

/// Do no threads of a warp take different branches, as far as was counted?
bool never_diverges(const Measurement& measured) {
  const auto counted = measured.metrics.find("smsp__sass_branch_targets_threads_divergent.sum");
  return counted != measured.metrics.end() && counted->second == 0;
}

/// Without a GPU two kernels are compared by what a model expects them to take and by their counters.
Status compare_emulated_with(const KernelCase& own, const Measurement& measured, const KernelRequest& request,
                             const KernelBenchOptions& options, KernelBench& out) {
  WL_ASSIGN(const KernelRequest other_kernel, other_request(request, options));
  WL_ASSIGN(const std::vector<KernelCase> others, cases_at(other_kernel, own.point));
  WL_ASSIGN(const KernelCase other, counterpart(others, own));
  const Result<Measurement> ran = run_emulated(other, options.emulated);
  if (!ran.ok()) return with_remedy(ran.status(), options);
  const Measurement& base = *ran;
  if (!base.valid) return invalid_input(fmt::format("{}: {}", other.name, base.errors.empty() ? "" : base.errors[0]));
  const Comparison compared = compare_emulated(base, measured, options.margin);
  out.against.emplace_back(versus(measured.label(), request, other.name, other_kernel), compared);
  out.times.push_back(time_compared(base, measured));
  const bool same = !measured.machine_code.empty() && base.machine_code == measured.machine_code;
  std::string why = same ? "the machine code is the same, instruction by instruction"
                         : explain_counters(base.metrics, measured.metrics, compared.verdict);
  // Where branches were the lesson and nothing changed: they may have been compiled to none.
  constexpr double kAsLong = 0.02;
  if (!same && std::fabs(compared.ratio - 1) < kAsLong && never_diverges(base) && never_diverges(measured))
    why += std::string(why.empty() ? "" : "; ") + "neither version has divergent branches";
  out.why.push_back(std::move(why));
  return {};
}

Status emulate(const KernelRequest& request, const KernelBenchOptions& options, const std::vector<Point>& points,
               KernelBench& out) {
  if (options.noise_trials > 0) return usage_error("--noise-floor races kernels on a GPU, and there is none");
  out.results.environment = this_machine();
  for (const Point& point : points) {
    WL_ASSIGN(const std::vector<KernelCase> cases, cases_at(request, point));
    for (const KernelCase& kernel_case : cases) {
      if (options.progress) options.progress(fmt::format("emulating {}", kernel_case.name));
      WL_ASSIGN(Measurement m, run_emulated(kernel_case, options.emulated));
      m.name = kernel_case.name;
      m.axes = point;
      if (!options.against.empty() || !options.against_kernel.empty())
        WL_TRY(compare_emulated_with(kernel_case, m, request, options, out));
      out.results.measurements.push_back(std::move(m));
    }
  }
  return {};
}

}  // namespace

Result<KernelBench> bench_kernels(const KernelRequest& request, const KernelBenchOptions& options) {
  WL_ASSIGN(const std::vector<Point> points, points_of(request.axes));
  KernelBench out;
  out.results.title = request.launch_file.empty() ? request.flags.source : "launch file";
  std::string source = request.launch_file;
  if (request.launch_file.empty()) {
    WL_ASSIGN(source, read_file(request.flags.source));
  }
  out.results.source_hash = content_hash(source);
  if (!options.emulate) {
    Result<std::unique_ptr<GpuTimer>> timer = GpuTimer::open();
    if (!timer.ok() && options.gpu) return timer.status();
    if (timer.ok()) {
      WL_TRY(GpuRun(request, options, **timer, out).all(points));
      return out;
    }
  }
  WL_TRY(emulate(request, options, points, out));
  return out;
}

}  // namespace warplens::bench
