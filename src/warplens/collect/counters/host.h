// CUPTI's host side for one chip: its metrics, the number of passes for a choice of them, and the values in a counter
// data image. Needs no GPU.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/collect/counters/profiler_library.h"

namespace warplens::cupti {

struct MetricInfo {
  std::string name;  // "smsp__inst_executed"
  MetricType type = MetricType::kCounter;
  std::string unit;  // as CUPTI names it: "instruction", "byte", "percent"
  std::string description;
};

class Host {
 public:
  explicit Host(const ProfilerLibrary& cupti) : cupti_(&cupti) {}
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;
  ~Host();

  /// `availability`: the device's counter availability image; empty for a chip that is not here. `profiler`: the
  /// profiler that collects.
  Result open(const std::string& chip, std::vector<uint8_t> availability, uint32_t profiler = kRangeProfilerType);

  /// Every base metric of the chip, by type and name.
  std::vector<MetricInfo> list() const;
  /// Whether the chip has `metric`, given in full ("smsp__inst_executed.sum"); its unit.
  bool knows(const std::string& metric, std::string* unit) const;

  /// Chooses the metrics to count, all at once: added one by one, each would take passes of its own. Metrics that the
  /// chip lacks go to missing(). Returns kSuccess with empty metrics() if it lacks all.
  Result choose(const std::vector<std::string>& metrics);
  const std::vector<std::string>& metrics() const { return metrics_; }
  const std::vector<std::string>& units() const { return units_; }
  const std::vector<std::string>& missing() const { return missing_; }
  const std::vector<uint8_t>& config() const { return config_; }
  size_t passes() const { return passes_; }
  std::vector<const char*> names() const;

  /// The values of metrics() in range `range` of a counter data image.
  Result evaluate(std::span<const uint8_t> image, size_t range, std::vector<double>* values) const;

 private:
  Result make_config();

  const ProfilerLibrary* cupti_;
  void* host_ = nullptr;
  std::vector<uint8_t> availability_;  // CUPTI may continue reading it
  std::vector<std::string> metrics_, units_, missing_;
  std::vector<uint8_t> config_;
  size_t passes_ = 0;
};

/// The chips that `cupti` knows: "GH100", ...
std::vector<std::string> supported_chips(const ProfilerLibrary& cupti);

}  // namespace warplens::cupti
