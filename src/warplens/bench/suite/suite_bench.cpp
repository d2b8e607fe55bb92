#include "warplens/bench/suite/suite_bench.h"

#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/bench/ceilings/ceilings.h"
#include "warplens/bench/suite/emulated_case.h"
#include "warplens/bench/suite/gpu_case.h"
#include "warplens/bench/suite/time_case.h"

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

}  // namespace

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
  WL_ASSIGN(const std::vector<Point> points, suite_points(family, request, timer == nullptr));
  Ceilings ceilings;
  out.environment = this_machine();
  if (timer) {
    WL_ASSIGN(out.environment, timer->environment());
    ceilings = stored_limits(out.environment.device);
  }
  for (const Point& point : points) {
    for (const Step* step : steps) {
      WL_ASSIGN(const KernelCase each, case_of(family, *step, point));
      if (timer) {
        WL_ASSIGN(const std::unique_ptr<GpuCase> loaded, GpuCase::load(each, *timer));
        WL_TRY(time_case(each, loaded->work(), *timer, ceilings, options, out));
        continue;
      }
      if (options.progress) options.progress("emulating " + each.name);
      WL_ASSIGN(Measurement m, run_emulated(each, options.arch));
      m.name = each.name;
      m.axes = point;
      out.measurements.push_back(std::move(m));
    }
  }
  return out;
}

}  // namespace warplens::bench
