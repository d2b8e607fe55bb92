// Counts in one CUDA context. Between start() and stop(), CUPTI replays every launch until all metrics are counted.
// Between begin_pass() and end_pass(), launches run once, and the caller repeats them in each pass.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "warplens/collect/counters/host.h"

namespace warplens::cupti {

class RangeProfiler {
 public:
  RangeProfiler(const Library& cupti, const ProfilerLibrary& profiler)
      : cupti_(&cupti), profiler_(&profiler), host_(profiler) {}

  /// Prepares to count `metrics` in `context` of device `device`. The text says why it cannot be, with the remedy, and
  /// is empty when all is well.
  std::string open(void* context, uint32_t device, const std::vector<std::string>& metrics);
  /// Counts from the next launch on, each as often as metrics need.
  std::string start();
  /// Ends counting; `values` gets those of each launch since start(), in their order.
  std::string stop(std::vector<std::vector<double>>* values);
  void close();

  /// Passes over at most capacity() launches are to come, the same in each.
  std::string begin_passes() { return prepare(kAutoRange, kUserReplay); }
  /// Announces passes over the work between push() and pop(), counted as one.
  std::string begin_range_passes() { return prepare(kUserRange, kUserReplay); }
  std::string push(const std::string& name);
  std::string pop();
  std::string begin_pass();
  /// `last`: all metrics are counted.
  std::string end_pass(bool* last);
  /// The values of each launch, after the last pass.
  std::string take(std::vector<std::vector<double>>* values);

  bool started() const { return started_; }
  /// Launches that may be counted between start() and stop().
  size_t capacity() const { return kMostRanges; }
  const std::string& chip() const { return chip_; }
  const Host& host() const { return host_; }

 private:
  static constexpr size_t kMostRanges = 64;  // thousands in one image fail
  std::string open_host(void* context, uint32_t device, const std::vector<std::string>& metrics);
  std::string prepare(uint32_t range, uint32_t replay);
  std::string make_image();

  const Library* cupti_;
  const ProfilerLibrary* profiler_;
  Host host_;
  std::string chip_;
  void* object_ = nullptr;
  std::vector<uint8_t> image_;
  bool started_ = false;
};

}  // namespace warplens::cupti
