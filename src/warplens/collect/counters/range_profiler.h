// Counting in one CUDA context: every launch between start() and stop() is replayed until all metrics are counted.
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
  /// Counts from the next launch on.
  std::string start();
  /// Ends counting; `values` gets those of each launch since start(), in their order.
  std::string stop(std::vector<std::vector<double>>* values);
  void close();

  bool started() const { return started_; }
  /// Launches that may be counted between start() and stop().
  size_t capacity() const { return capacity_; }
  const std::string& chip() const { return chip_; }
  const Host& host() const { return host_; }

 private:
  std::string said(const char* call, Result result) const;
  std::string open_host(void* context, uint32_t device, const std::vector<std::string>& metrics);
  std::string make_image();
  std::string configure();
  std::string decode(std::vector<std::vector<double>>* values);

  const Library* cupti_;
  const ProfilerLibrary* profiler_;
  Host host_;
  std::string chip_;
  void* object_ = nullptr;
  std::vector<uint8_t> image_;
  size_t capacity_ = 0;
  bool started_ = false;
};

}  // namespace warplens::cupti
