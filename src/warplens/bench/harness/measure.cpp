#include "warplens/bench/harness/measure.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "warplens/base/random.h"
#include "warplens/base/text.h"
#include "warplens/base/timing.h"
#include "warplens/base/units.h"
#include "warplens/bench/harness/check_output.h"
#include "warplens/bench/stats/quantiles.h"

namespace warplens::bench {
namespace {

constexpr size_t kFreshRounds = 7, kElsewhereRounds = 3;
constexpr size_t kFewestSamples = 3;   // of calls so long that the limit leaves room for no more
constexpr double kSlowOutputs = 0.3;   // seconds; such outputs are compared before and after the samples alone
constexpr double kFreshRatio = 1.5;    // a call that much slower on new inputs keeps results
constexpr double kImplausible = 1.02;  // over a measured ceiling
constexpr size_t kSamplesAtOnce = 32;

/// The steps of measure(), which share the result that they fill.
class Run {
 public:
  Run(const Work& work, Timer& timer, const MeasureOptions& options)
      : work_(work), timer_(timer), options_(options), random_(options.seed ? options.seed : fresh_seed()) {
    out_.source = timer.source();
    out_.regime = name_of(options.regime);
    out_.confidence = options.stopping.confidence;
    out_.target = options.stopping.target;
    out_.bytes = work.bytes;
    out_.flops = work.flops;
    out_.memory_bytes = work.memory_bytes;
  }

  Result<Measurement> all() {
    const int64_t begin = monotonic_ns();
    WL_TRY(check("first call"));
    const double first_seconds = static_cast<double>(monotonic_ns() - begin) * 1e-9;
    WL_TRY(count_calls(first_seconds));
    // The timed call whose outputs are compared at last has other inputs too.
    if (first_seconds < kSlowOutputs) WL_TRY(check("call with other inputs"));
    WL_TRY(look_elsewhere());
    if (work_.prepare) WL_TRY(work_.prepare(random_.next()));
    WL_TRY(timer_.warm_up(work_, options_.regime, options_.warm_up_seconds));
    out_.resolution_ns = timer_.resolution_ns();
    WL_TRY(sample());
    WL_TRY(try_fresh_inputs());
    drop_throttled();
    summarise();
    judge_plausibility();
    out_.valid = out_.errors.empty();
    return std::move(out_);
  }

 private:
  /// How many calls the limit leaves room for; asked only where the first took long enough to matter.
  Status count_calls(double first_seconds) {
    if (first_seconds < options_.limit_seconds / 1000) return {};
    WL_ASSIGN(const Sample call, timer_.take_one(work_));
    calls_ = std::max(1.0, options_.limit_seconds / std::max(call.ns * 1e-9, 1e-9));
    return {};
  }

  /// `most`, or as many as an eighth of the limit leaves room for, two at least.
  size_t rounds(size_t most) const {
    return std::clamp<size_t>(static_cast<size_t>(std::min(calls_, 1e6) / 8), 2, most);
  }

  /// New inputs, poisoned outputs, one call; then the outputs as they are when its stream is done.
  Status check(const std::string& when) {
    if (work_.prepare) WL_TRY(work_.prepare(random_.next()));
    if (work_.poison) WL_TRY(work_.poison(random_.next()));
    WL_TRY(work_.run(timer_.stream()));
    return compare_outputs(when);
  }

  Status compare_outputs(const std::string& when) {
    WL_TRY(timer_.finish());
    if (!work_.outputs) return {};
    WL_ASSIGN(const std::vector<Output> outputs, work_.outputs(timer_.stream()));
    out_.checks = check_outputs(outputs);
    tell_of_samples(outputs);
    for (std::string& line : failures(out_.checks, when)) out_.errors.push_back(std::move(line));
    return {};
  }

  void tell_of_samples(const std::vector<Output>& outputs) {
    for (const Output& output : outputs) {
      if (output.of == 0) continue;
      std::string note = fmt::format("'{}': each check compared a new sample: {} of {} elements", output.name,
                                     output.values.size(), output.of);
      if (std::find(out_.notes.begin(), out_.notes.end(), note) == out_.notes.end())
        out_.notes.push_back(std::move(note));
    }
  }

  Status look_elsewhere() {
    std::vector<double> left;
    for (size_t i = 0; i < rounds(kElsewhereRounds); ++i) {
      WL_ASSIGN(const double ns, timer_.time_left_running(work_));
      left.push_back(ns);
    }
    if (median(left) > 0)
      out_.errors.push_back(
          fmt::format("work continued for {} after the timed {} ended, and the time does not include it",
                      format_ns(median(left)), timer_.stream() ? "stream" : "call"));
    return {};
  }

  Status sample() {
    LookSchedule schedule(options_.stopping);
    const int64_t end = monotonic_ns() + static_cast<int64_t>(options_.limit_seconds * 1e9);
    const size_t at_once =
        std::clamp<size_t>(static_cast<size_t>(std::min(calls_, 1e6)), kFewestSamples, kSamplesAtOnce);
    for (bool over = false; !over && !out_.target_reached;) {
      while (samples_.size() < schedule.next() && !over) {
        WL_TRY(timer_.take(work_, options_.regime, std::min(at_once, schedule.next() - samples_.size()), samples_));
        over = monotonic_ns() >= end;
      }
      const Estimate now = estimate_now(schedule.alpha_per_look());
      if (options_.progress) options_.progress(samples_.size(), now.relative_half_width());
      out_.target_reached = now.relative_half_width() <= options_.stopping.target;
      over = over || schedule.last();
      schedule.advance();
      if (over || out_.target_reached) keep(now);
    }
    if (!out_.target_reached)
      out_.notes.push_back(fmt::format("the interval is +-{:.2g} %, not the requested {:.2g} %, after {} samples",
                                       50 * (out_.high_ns - out_.low_ns) / out_.median_ns, 100 * out_.target,
                                       samples_.size()));
    return {};
  }

  Estimate estimate_now(double alpha) const {
    std::vector<double> ns;
    for (const Sample& s : samples_) ns.push_back(s.ns);
    BootstrapOptions bootstrap;
    bootstrap.alpha = alpha;
    bootstrap.resolution = timer_.resolution_ns();
    return estimate(ns, bootstrap);
  }

  void keep(const Estimate& e) {
    out_.median_ns = e.value;
    out_.low_ns = std::max(0.0, e.low);
    out_.high_ns = e.high;
  }

  /// Single calls on inputs never seen before, each followed by one on the same inputs again: a cache of results, and
  /// work skipped when nothing changed, show in the second; and the outputs of a timed call are checked at last.
  Status try_fresh_inputs() {
    if (!work_.prepare && !work_.poison) {
      out_.notes.push_back(
          "every call gets the same inputs, so a kernel that keeps results between calls would not be noticed");
      return compare_outputs("last call");
    }
    std::vector<double> fresh, again;
    const size_t wanted = rounds(kFreshRounds);
    for (size_t i = 0; i < wanted; ++i) {
      if (work_.prepare) WL_TRY(work_.prepare(random_.next()));
      if (work_.poison) WL_TRY(work_.poison(random_.next()));
      WL_ASSIGN(const Sample first, timer_.take_one(work_));
      if (i + 1 == wanted) WL_TRY(compare_outputs("timed call"));
      WL_ASSIGN(const Sample second, timer_.take_one(work_));
      fresh.push_back(first.ns);
      again.push_back(second.ns);
    }
    const double slow = median(fresh), fast = median(again);
    // Apart beyond the noise of a busy machine, in which medians of a few calls may differ by any factor.
    std::sort(fresh.begin(), fresh.end());
    std::sort(again.begin(), again.end());
    const double quickest = sorted_quantile(fresh, 0.25), slowest = sorted_quantile(again, 0.75);
    if (quickest > kFreshRatio * slowest && slow - fast > timer_.jitter_ns())
      out_.errors.push_back(
          fmt::format("a call takes {} on new inputs and {} on repeated ones: results are kept between calls, or "
                      "work is skipped",
                      format_ns(slow), format_ns(fast)));
    return {};
  }

  void drop_throttled() {
    std::vector<Sample> kept;
    uint64_t bits = 0;
    for (const Sample& s : samples_) {
      if (timer_.throttle_names(s.throttle).empty()) kept.push_back(s);
      else bits |= s.throttle;
    }
    const size_t throttled = samples_.size() - kept.size();
    out_.throttled_share = static_cast<double>(throttled) / static_cast<double>(samples_.size());
    for (const std::string_view name : timer_.throttle_names(bits)) out_.throttle_reasons.emplace_back(name);
    if (throttled == 0) return;
    if (2 * throttled > samples_.size()) {
      out_.errors.push_back(fmt::format("{} of {} samples were throttled: {}", throttled, samples_.size(),
                                        join(out_.throttle_reasons, ", ")));
      return;
    }
    out_.dropped["throttled: " + join(out_.throttle_reasons, ", ")] = static_cast<int64_t>(throttled);
    samples_ = std::move(kept);
    keep(estimate_now(1 - options_.stopping.confidence));
  }

  void summarise() {
    std::vector<double> clocks, host;
    for (const Sample& s : samples_) {
      out_.samples_ns.push_back(s.ns);
      host.push_back(s.host_ns);
      if (s.sm_clock_mhz > 0) clocks.push_back(s.sm_clock_mhz);
    }
    out_.host_ns = median(host);
    if (!clocks.empty()) out_.sm_clock_mhz = median(clocks);
    if (out_.median_ns <= 0) return;
    out_.bytes_per_second = work_.bytes / out_.median_ns * 1e9;
    out_.flops_per_second = work_.flops / out_.median_ns * 1e9;
  }

  void judge_plausibility() {
    const auto share = [&](double rate, double ceiling, const char* what, const char* unit, bool binding) {
      if (rate <= 0 || ceiling <= 0) return;
      out_.share_of_ceiling = std::max(out_.share_of_ceiling, rate / ceiling);
      if (binding && rate > kImplausible * ceiling)
        out_.errors.push_back(
            fmt::format("{:.4g} {} is above the ceiling of {:.4g}: too many {} were stated, or the kernel skips work",
                        rate / 1e9, unit, ceiling / 1e9, what));
    };
    // Only flushed caches make sure that every byte comes from memory.
    share(out_.bytes_per_second, options_.ceilings.bytes_per_second, "bytes", "GB/s", options_.regime == Regime::kCold);
    share(out_.flops_per_second, options_.ceilings.flops_per_second, "FLOPs", "GFLOP/s", true);
  }

  const Work& work_;
  Timer& timer_;
  const MeasureOptions& options_;
  Random random_;
  double calls_ = 1e9;  // that the limit leaves room for
  Measurement out_;
  std::vector<Sample> samples_;
};

}  // namespace

uint64_t fresh_seed() {
  std::random_device entropy;
  return (static_cast<uint64_t>(entropy()) << 32 | entropy()) | 1;
}

Result<Measurement> measure(const Work& work, Timer& timer, const MeasureOptions& options) {
  if (!work.run) return usage_error("a benchmark needs a run function");
  return Run(work, timer, options).all();
}

}  // namespace warplens::bench
