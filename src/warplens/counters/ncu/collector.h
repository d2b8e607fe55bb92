// Counts that grow metric by metric, as ncu's tables and reports give them: each launch may have other metrics.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/counters/counts.h"

namespace warplens::counters::ncu {

/// Facts about a launch and its GPU in its metrics, beside the counts.
class Collector {
 public:
  /// Adds a launch; `gpu` distinguishes GPUs if the metrics do not.
  void begin(CountedLaunch launch, const std::string& gpu, int64_t compute);
  /// A value of that launch in base units, or none if ncu has none.
  void add(std::string_view metric, std::optional<double> value, std::string_view unit);
  void add_text(std::string_view metric, std::string_view text);
  CountedLaunch& launch() { return counts_.launches.back(); }
  bool empty() const { return counts_.launches.empty(); }
  /// All of them, with every launch's values in the order of its device's metrics.
  Counts take();

  std::vector<std::string>& notes() { return counts_.notes; }

 private:
  struct Gpu {
    CountedDevice device;
    std::map<std::string, size_t, std::less<>> columns;
  };
  Gpu& gpu() { return gpus_[counts_.launches.back().device]; }
  bool describes(std::string_view metric, std::optional<double> value);
  bool sizes(std::string_view metric, double value);

  Counts counts_;
  std::vector<Gpu> gpus_;
  std::map<std::string, size_t> gpu_numbers_;
  int64_t twice_ = 0;  // values that differ from another pass
};

}  // namespace warplens::counters::ncu
