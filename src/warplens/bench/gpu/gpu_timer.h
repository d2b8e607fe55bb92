// Times GPU work with events, on a stream of its own or on one that the work already uses.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "warplens/bench/gpu/helper_kernels.h"
#include "warplens/bench/gpu/nvml.h"
#include "warplens/bench/harness/timer.h"
#include "warplens/bench/results/results.h"

namespace warplens::bench {

class GpuTimer : public Timer {
 public:
  /// A GPU, with a stream of its own or on `stream` (nullptr: the default one). Makes the primary context current,
  /// which the CUDA runtime uses.
  static Result<std::unique_ptr<GpuTimer>> open(int ordinal = 0,
                                                std::optional<cuda::StreamHandle> stream = std::nullopt);

  const cuda::Device& device() const { return device_; }
  const HelperKernels& helpers() const { return *helpers_; }
  cuda::StreamHandle handle() const { return stream_.handle(); }
  /// Device, driver, clocks, and the time of an empty kernel.
  Result<Environment> environment();

  std::string_view source() const override { return kMeasured; }
  double resolution_ns() const override { return resolution_ns_ / static_cast<double>(calls_); }
  void* stream() const override { return stream_.handle(); }
  Status warm_up(const Work& work, Regime regime, double seconds) override;
  Status take(const Work& work, Regime regime, size_t count, std::vector<Sample>& samples) override;
  Result<Sample> take_one(const Work& work) override;
  Status take_pairs(const Work& a, const Work& b, Regime regime, size_t count, uint64_t seed, std::vector<Sample>& of_a,
                    std::vector<Sample>& of_b) override;
  double jitter_ns() const override { return 3000; }
  Status finish() override { return stream_.synchronize(); }
  Result<double> time_left_running(const Work& work) override;
  std::vector<std::string_view> throttle_names(uint64_t bits) const override { return bench::throttle_names(bits); }

 private:
  GpuTimer(cuda::Device device, cuda::Stream stream, cuda::Memory flush_buffer, cuda::Memory clocks)
      : device_(std::move(device)),
        stream_(std::move(stream)),
        flush_buffer_(std::move(flush_buffer)),
        clocks_(std::move(clocks)) {}
  Status find_resolution();
  /// Enqueues sample `slot`. `host_ns`: the expected host time of a call; afterwards, the actual one.
  Status enqueue(const Work& work, Regime regime, size_t slot, double& host_ns);
  /// The time that the device works after the stream finished the work of `issue`. `took_ns`: the time until then.
  Result<double> time_left_after(const std::function<Status()>& issue, double& took_ns);
  /// Waits for the first `count` slots and reads them.
  Status collect(const std::vector<double>& host_ns, std::vector<Sample>& samples);
  Result<double> sm_clock_mhz() const;

  cuda::Device device_;
  cuda::Stream stream_;
  cuda::Memory flush_buffer_, clocks_;
  std::optional<HelperKernels> helpers_;
  std::optional<Nvml> nvml_;
  std::vector<cuda::Event> events_;
  uint64_t l2_bytes_ = 0;
  double resolution_ns_ = 0, host_ns_ = 5000;
  size_t calls_ = 1;  // in a sample
};

}  // namespace warplens::bench
