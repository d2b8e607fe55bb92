#include "warplens/bench/plot/charts_of_results.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "warplens/base/text.h"
#include "warplens/bench/ceilings/ceilings.h"
#include "warplens/bench/suite/axes.h"
#include "warplens/gpu/device.h"

namespace warplens::bench {
namespace {

std::optional<double> number_of(const std::string& value) {
  if (const Result<int64_t> whole = whole_number(value, {}); whole.ok()) return static_cast<double>(*whole);
  return parse_double(value);
}

/// The GPU, or the one that was modelled where there is none, else the CPU.
std::string place_of(const Results& results) {
  if (!results.environment.device.empty()) return results.environment.device;
  for (const Measurement& m : results.measurements) {
    if (!m.modelled_device.empty()) return m.modelled_device + ", modelled";
  }
  return results.environment.cpu;
}

class ChartMaker {
 public:
  explicit ChartMaker(const Results& results) : results_(results) {
    for (const Measurement& m : results.measurements) {
      if (m.valid) good_.push_back(&m);
    }
    choose_axis();
    subtitle_ = place_of(results);
    if (!results.environment.driver.empty()) subtitle_ += ", driver " + results.environment.driver;
    if (results.environment.date.size() >= 10) subtitle_ += "  ·  " + results.environment.date.substr(0, 10);
  }

  std::vector<Chart> all() {
    const bool timed = std::any_of(good_.begin(), good_.end(), [](const Measurement* m) { return m->median_ns > 0; });
    if (timed)
      add({"latency", "Time of a call", {}, axis_}, Unit::kTimeNs, true,
          [](const Measurement& m) { return ChartPoint{0, m.median_ns, m.low_ns, m.high_ns}; });
    else
      add({"bound", "Bound: the least time of a call", {}, axis_}, Unit::kTimeNs, true,
          [](const Measurement& m) { return ChartPoint{0, m.bound_ns, m.bound_ns, m.bound_ns}; });
    const auto rate = [](double amount, const Measurement& m) {
      return m.median_ns > 0
                 ? ChartPoint{0, amount / m.median_ns * 1e9, amount / m.high_ns * 1e9, amount / m.low_ns * 1e9}
                 : ChartPoint{};
    };
    add({"throughput", "Bytes a second", {}, axis_}, Unit::kBytesPerSecond, false,
        [&](const Measurement& m) { return rate(m.bytes, m); });
    add({"flops", "Operations a second", {}, axis_}, Unit::kFlopsPerSecond, false,
        [&](const Measurement& m) { return rate(m.flops, m); });
    add({"memory", "Device memory of the buffers", {}, axis_}, Unit::kBytes, true, [](const Measurement& m) {
      const auto bytes = static_cast<double>(m.memory_bytes);
      return ChartPoint{0, bytes, bytes, bytes};
    });
    speedup();
    scaling();
    roofline();
    return std::move(charts_);
  }

 private:
  using PointOf = std::function<ChartPoint(const Measurement&)>;

  void choose_axis() {
    std::map<std::string, std::set<std::string>> values;
    std::vector<std::string> order;
    for (const Measurement* m : good_) {
      for (const auto& [name, value] : m->axes) {
        if (!values.contains(name)) order.push_back(name);
        if (number_of(value)) values[name].insert(value);
      }
    }
    for (const std::string& name : order) {
      if (axis_.empty() && values[name].size() > 1) axis_ = name;
    }
  }

  std::optional<double> x_of(const Measurement& m) const {
    for (const auto& [name, value] : m.axes) {
      if (name == axis_) return number_of(value);
    }
    return std::nullopt;
  }

  /// A measurement's name, and what else sets it apart from others in this file.
  std::string series_of(const Measurement& m) const {
    std::string name = m.name;
    for (const auto& [axis, value] : m.axes) {
      if (axis != axis_) name += fmt::format(" {}={}", axis, value);
    }
    const bool regimes = std::any_of(good_.begin(), good_.end(),
                                     [&](const Measurement* other) { return other->regime != good_[0]->regime; });
    return regimes ? fmt::format("{}, {}", name, m.regime) : name;
  }

  std::vector<Series> series(const PointOf& point_of) const {
    std::vector<Series> out;
    for (const Measurement* m : good_) {
      ChartPoint p = point_of(*m);
      if (!(p.y > 0)) continue;
      p.x = x_of(*m).value_or(0);
      if (!axis_.empty() && !x_of(*m)) continue;
      const std::string name = series_of(*m);
      auto found = std::find_if(out.begin(), out.end(), [&](const Series& s) { return s.name == name; });
      if (found == out.end()) {
        out.push_back({name, {}});
        found = out.end() - 1;
      }
      found->points.push_back(p);
    }
    for (Series& s : out)
      std::sort(s.points.begin(), s.points.end(), [](const ChartPoint& a, const ChartPoint& b) { return a.x < b.x; });
    return out;
  }

  void add(Chart chart, Unit unit, bool log_y, const PointOf& point_of) {
    chart.series = series(point_of);
    if (chart.series.empty()) return;
    chart.subtitle = subtitle_;
    chart.y_unit = unit;
    chart.log_y = log_y;
    chart.bars = axis_.empty();
    chart.log_x =
        std::all_of(chart.series.begin(), chart.series.end(), [](const Series& s) { return s.points[0].x > 0; });
    charts_.push_back(std::move(chart));
  }

  /// Each benchmark against the first of the file, at the same place on the axis.
  void speedup() {
    const std::vector<Series> times =
        series([](const Measurement& m) { return ChartPoint{0, m.median_ns, m.low_ns, m.high_ns}; });
    if (times.size() < 2) return;
    Chart chart{"speedup", "Speed against " + times[0].name, subtitle_, axis_, Unit::kNumber, Unit::kRatio};
    chart.log_y = false;
    chart.bars = axis_.empty();
    for (const Series& s : times) {
      Series ratio{s.name, {}, &s == &times[0]};
      for (const ChartPoint& p : s.points) {
        for (const ChartPoint& base : times[0].points) {
          if (base.x == p.x) ratio.points.push_back({p.x, base.y / p.y, base.low / p.high, base.high / p.low});
        }
      }
      if (ratio.guide) {
        for (ChartPoint& p : ratio.points) p.low = p.high = p.y;
      }
      if (!ratio.points.empty()) chart.series.push_back(std::move(ratio));
    }
    charts_.push_back(std::move(chart));
  }

  /// Time against the problem's size, both as multiples of the smallest, beside proportion.
  void scaling() {
    if (axis_.empty()) return;
    Chart chart{"scaling",   "Growth of the time with " + axis_, subtitle_, axis_ + " over its smallest", Unit::kRatio,
                Unit::kRatio};
    double most = 1;
    for (const Series& s :
         series([](const Measurement& m) { return ChartPoint{0, m.median_ns, m.low_ns, m.high_ns}; })) {
      if (s.points.size() < 2 || s.points[0].x <= 0) continue;
      Series grown{s.name, {}};
      const ChartPoint first = s.points[0];
      for (const ChartPoint& p : s.points) {
        grown.points.push_back({p.x / first.x, p.y / first.y, p.low / first.y, p.high / first.y});
        most = std::max(most, p.x / first.x);
      }
      chart.series.push_back(std::move(grown));
    }
    if (chart.series.empty()) return;
    chart.series.push_back({"in proportion", {{1, 1, 1, 1}, {most, most, most, most}}, true});
    charts_.push_back(std::move(chart));
  }

  void roofline() {
    double memory = 0, compute = 0;
    if (const Result<MeasuredCeilings> stored = stored_ceilings(results_.environment.device); stored.ok()) {
      if (const Ceiling* c = stored->find("dram_read")) memory = c->value;
      if (const Ceiling* c = stored->find("fp32")) compute = c->value;
    } else if (const Result<const gpu::Device*> known = gpu::find_device(results_.environment.device); known.ok()) {
      memory = (*known)->dram_gbs * 1e9;
      compute = (*known)->fp32_tflops * 1e12;
    }
    if (memory <= 0 || compute <= 0) return;
    Chart chart{"roofline", "Roofline", subtitle_, "FLOP per byte", Unit::kNumber, Unit::kFlopsPerSecond};
    double least = compute / memory, most = compute / memory;
    for (const Measurement* m : good_) {
      if (m->median_ns <= 0 || m->bytes <= 0 || m->flops <= 0) continue;
      const std::string name = series_of(*m);
      auto found =
          std::find_if(chart.series.begin(), chart.series.end(), [&](const Series& s) { return s.name == name; });
      if (found == chart.series.end()) {
        chart.series.push_back({name, {}, false, true});
        found = chart.series.end() - 1;
      }
      const double intensity = m->flops / m->bytes, rate = m->flops / m->median_ns * 1e9;
      found->points.push_back({intensity, rate, rate, rate});
      least = std::min(least, intensity);
      most = std::max(most, intensity);
    }
    if (chart.series.empty()) return;
    Series roof{"FP32 and memory", {}, true};
    for (const double x : {least / 4, compute / memory, most * 4})
      roof.points.push_back(
          {x, std::min(compute, memory * x), std::min(compute, memory * x), std::min(compute, memory * x)});
    chart.series.push_back(std::move(roof));
    charts_.push_back(std::move(chart));
  }

  const Results& results_;
  std::vector<const Measurement*> good_;
  std::string axis_, subtitle_;
  std::vector<Chart> charts_;
};

}  // namespace

std::vector<Chart> charts_of(const Results& results) { return ChartMaker(results).all(); }

}  // namespace warplens::bench
