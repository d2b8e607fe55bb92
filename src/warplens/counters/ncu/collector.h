// Counts that grow metric by metric, as tables and reports of ncu give them: each launch may have others.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/counters/counts.h"

namespace warplens::counters::ncu {

/// What a launch's metrics say of it and of its GPU beside what was counted.
class Collector {
 public:
  /// Adds a launch; `gpu` tells GPUs apart where the metrics do not.
  void begin(CountedLaunch launch, const std::string& gpu, int64_t compute);
  /// A value of that launch in base units, or none where ncu has none.
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
  int64_t twice_ = 0;  // values that another pass gave otherwise
};

}  // namespace warplens::counters::ncu
