#include "warplens/bench/suite/time_case.h"

#include "warplens/base/text.h"

namespace warplens::bench {

Status time_case(const KernelCase& kernel_case, const Work& work, GpuTimer& timer, const Ceilings& ceilings,
                 const KernelBenchOptions& options, Results& out) {
  for (const Regime regime : options.regimes) {
    MeasureOptions measuring;
    measuring.regime = regime;
    measuring.stopping = options.stopping;
    measuring.limit_seconds = options.limit_seconds;
    measuring.ceilings = ceilings;
    Measurement label;
    label.name = kernel_case.name;
    label.axes = kernel_case.point;
    if (options.progress)
      measuring.progress = [&](size_t samples, double width) {
        options.progress(
            fmt::format("{} {}: {} samples, +-{:.2f} %", label.label(), name_of(regime), samples, width * 100));
      };
    WL_ASSIGN(Measurement m, measure(work, timer, measuring));
    m.name = kernel_case.name;
    m.axes = kernel_case.point;
    out.measurements.push_back(std::move(m));
  }
  return {};
}

}  // namespace warplens::bench
