#include "warplens/bench/suite/suite_bench.h"

#include <algorithm>
#include <map>

#include "warplens/base/text.h"
#include "warplens/bench/ceilings/ceilings.h"
#include "warplens/bench/suite/emulated_case.h"
#include "warplens/bench/suite/gpu_case.h"
#include "warplens/bench/suite/time_case.h"
#include "warplens/build/driver/device.h"

namespace warplens::bench {
namespace {

std::string* axis_of(Point& point, const std::string& name) {
  for (auto& [axis, value] : point) {
    if (axis == name) return &value;
  }
  return nullptr;
}

/// Every point with every value of the axis; points that this makes equal are kept once.
Result<std::vector<Point>> spread(const Family& family, const std::vector<Point>& points, const Axis& axis) {
  std::vector<Point> out;
  for (Point point : points) {
    std::string* value = axis_of(point, axis.name);
    if (value == nullptr) return usage_error(fmt::format("{} has no axis '{}'", family.name, axis.name));
    for (const std::string& each : axis.values) {
      *value = each;
      if (std::find(out.begin(), out.end(), point) == out.end()) out.push_back(point);
    }
  }
  return out;
}

std::string axes_text(const Point& point) {
  std::vector<std::string> axes;
  for (const auto& [axis, value] : point) axes.push_back(axis + "=" + value);
  return join(axes, " ");
}

/// What one core emulates in a minute or two, of one step.
constexpr int64_t kMostFlops = 10'000'000'000, kMostBytes = int64_t{1} << 31;

/// Without the points that are too large to emulate unasked; each is told of.
Result<std::vector<Point>> within_reach(const Family& family, const std::vector<Point>& points,
                                        const KernelBenchOptions& options) {
  std::vector<Point> out;
  for (const Point& point : points) {
    WL_ASSIGN(const int64_t bytes, whole_number(family.bytes, point));
    WL_ASSIGN(const int64_t flops, whole_number(family.flops.empty() ? "0" : family.flops, point));
    if (bytes <= kMostBytes && flops <= kMostFlops) {
      out.push_back(point);
      continue;
    }
    if (options.note)
      options.note(
          fmt::format("left out: {}, because {:.1e} FLOP and {:.1e} bytes a call would take the emulator minutes; "
                      "--emulate emulates it anyway",
                      axes_text(point), static_cast<double>(flops), static_cast<double>(bytes)));
  }
  if (out.empty()) return usage_error("nothing is left to emulate at these sizes; there is no GPU here");
  return out;
}

/// How long a step took for a FLOP (or byte) at the last size, as a guess at the next one.
class Pace {
 public:
  /// Whether the step is expected to take so long at this size that a run is not worth it unasked.
  bool too_slow(const KernelCase& next, double limit_seconds) const {
    const auto found = ns_.find(next.name);
    return found != ns_.end() && kCalls * found->second * work_of(next) > 1e9 * std::max(kPatience, 2 * limit_seconds);
  }
  void learn(const KernelCase& done, double ns) { ns_[done.name] = ns / work_of(done); }

 private:
  static constexpr double kCalls = 12;    // of the slowest benchmark: checks, warming up, few samples
  static constexpr double kPatience = 2;  // seconds, of one benchmark
  static double work_of(const KernelCase& c) { return std::max({1.0, c.flops, c.bytes}); }
  std::map<std::string, double> ns_;
};

/// Every step at every point, timed; a step that grew too slow is left out of the larger points, unless it was named.
Status time_all(const Family& family, const std::vector<const Step*>& steps, const std::vector<Point>& points,
                bool named, GpuTimer& timer, const KernelBenchOptions& options, Results& out) {
  const Ceilings ceilings = stored_limits(out.environment.device);
  Pace pace;
  for (const Point& point : points) {
    for (const Step* step : steps) {
      WL_ASSIGN(const KernelCase each, case_of(family, *step, point));
      if (!named && pace.too_slow(each, options.limit_seconds)) {
        if (options.note)
          options.note(fmt::format("left out: {} at {}, because it would take too long; --impl {} times it anyway",
                                   each.name, axes_text(point), step->name));
        continue;
      }
      WL_ASSIGN(const std::unique_ptr<GpuCase> loaded, GpuCase::load(each, timer));
      WL_TRY(time_case(each, loaded->work(), timer, ceilings, options, out));
      pace.learn(each, out.measurements.back().median_ns);
    }
  }
  return {};
}

}  // namespace

bool gpu_is_here() { return cuda::Device::open().ok(); }

Result<std::vector<Point>> suite_points(const Family& family, const SuiteRequest& request, bool small) {
  std::vector<Point> points = small ? family.small : family.full;
  std::vector<Axis> axes = request.axes;
  if (!request.sizes.empty()) axes.push_back({family.size_axis, request.sizes});
  for (const Axis& axis : axes) {
    WL_ASSIGN(points, spread(family, points, axis));
  }
  return points;
}

Result<Results> bench_suite(const Family& family, const SuiteRequest& request, const KernelBenchOptions& options) {
  WL_ASSIGN(const std::vector<const Step*> steps, chosen_steps(family, request.steps));
  Results out;
  out.title = family.title;
  std::unique_ptr<GpuTimer> timer;
  if (!options.emulate) {
    Result<std::unique_ptr<GpuTimer>> opened = GpuTimer::open();
    if (!opened.ok() && options.gpu) return opened.status();
    if (opened.ok()) timer = std::move(*opened);
  }
  WL_ASSIGN(std::vector<Point> points, suite_points(family, request, timer == nullptr));
  if (!timer && !options.emulate) {
    WL_ASSIGN(points, within_reach(family, points, options));
  }
  if (timer) {
    WL_ASSIGN(out.environment, timer->environment());
    WL_TRY(time_all(family, steps, points, !request.steps.empty(), *timer, options, out));
    return out;
  }
  out.environment = this_machine();
  for (const Point& point : points) {
    for (const Step* step : steps) {
      WL_ASSIGN(const KernelCase each, case_of(family, *step, point));
      if (options.progress)
        options.progress(fmt::format("emulating {} ({} of {})", each.name, out.measurements.size() + 1,
                                     points.size() * steps.size()));
      WL_ASSIGN(Measurement m, run_emulated(each, options.emulated));
      m.name = each.name;
      m.axes = point;
      out.measurements.push_back(std::move(m));
    }
  }
  return out;
}

}  // namespace warplens::bench
