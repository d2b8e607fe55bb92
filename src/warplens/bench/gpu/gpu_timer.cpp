#include "warplens/bench/gpu/gpu_timer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "warplens/base/random.h"
#include "warplens/base/text.h"
#include "warplens/base/timing.h"
#include "warplens/bench/stats/quantiles.h"

namespace warplens::bench {
namespace {

constexpr size_t kSlots = 64;  // samples in flight
constexpr double kThroughputSampleNs = 300e3;
constexpr double kInFlightNs =
    2e6;  // of issuing: more fills the driver's queue, and the host then waits within a sample
constexpr double kLongestSpinNs = 2e6, kSpareNs = 10e3;
constexpr double kQuietNs = 8e3;  // that an idle device may take to answer

/// Samples to issue before waiting for them.
size_t slots_for(double issue_ns) {
  return std::clamp<size_t>(static_cast<size_t>(kInFlightNs / std::max(1.0, issue_ns)), 1, kSlots);
}

}  // namespace

Result<std::unique_ptr<GpuTimer>> GpuTimer::open(int ordinal, std::optional<cuda::StreamHandle> on) {
  WL_ASSIGN(cuda::Device device, cuda::Device::open(ordinal));
  WL_ASSIGN(const int l2_bytes, device.attribute(cuda::kDeviceL2Bytes));
  WL_ASSIGN(cuda::Stream stream,
            on ? Result<cuda::Stream>(cuda::Stream::borrow(device, *on)) : cuda::Stream::make(device));
  const uint64_t cache = std::max<uint64_t>(static_cast<uint64_t>(l2_bytes), 4 << 20) / 16 * 16;
  WL_ASSIGN(cuda::Memory flush_buffer, cuda::Memory::allocate(device, 3 * cache));
  WL_ASSIGN(cuda::Memory clocks, cuda::Memory::allocate(device, 2 * 16 * 1024));
  WL_TRY(clocks.write(std::vector<uint8_t>(clocks.size_bytes())));
  std::unique_ptr<GpuTimer> out(
      new GpuTimer(std::move(device), std::move(stream), std::move(flush_buffer), std::move(clocks)));
  out->l2_bytes_ = cache;
  WL_ASSIGN(HelperKernels helpers, HelperKernels::load(out->device_));
  out->helpers_.emplace(std::move(helpers));
  char bus[32] = {};
  if (out->device_.driver().device_pci_bus_id(bus, sizeof bus, ordinal) == 0) {
    if (Result<Nvml> nvml = Nvml::open(bus); nvml.ok()) out->nvml_ = *nvml;
  }
  for (size_t i = 0; i < 2 * kSlots; ++i) {
    WL_ASSIGN(cuda::Event event, cuda::Event::make(out->device_));
    out->events_.push_back(std::move(event));
  }
  WL_TRY(out->find_resolution());
  return out;
}

/// The smallest step between times of an empty kernel.
Status GpuTimer::find_resolution() {
  Work nothing;
  nothing.run = [this](void* stream) { return helpers_->empty(static_cast<cuda::StreamHandle>(stream)); };
  std::vector<Sample> samples;
  WL_TRY(take(nothing, Regime::kWarm, 4 * kSlots, samples));
  std::vector<double> ns;
  for (const Sample& s : samples) ns.push_back(s.ns);
  std::sort(ns.begin(), ns.end());
  double step = 500;
  for (size_t i = 1; i < ns.size(); ++i) {
    if (const double d = ns[i] - ns[i - 1]; d > 1) step = std::min(step, d);
  }
  resolution_ns_ = step;
  return {};
}

Result<Environment> GpuTimer::environment() {
  Environment out = this_machine();
  WL_ASSIGN(out.device, device_.name());
  WL_ASSIGN(out.arch, device_.arch());
  out.sms = helpers_->sms();
  out.l2_bytes = static_cast<int64_t>(l2_bytes_);
  if (nvml_) {
    out.driver = nvml_->driver_version();
    out.max_sm_clock_mhz = nvml_->max_sm_clock_mhz();
    out.max_memory_clock_mhz = nvml_->max_memory_clock_mhz();
  }
  Work nothing;
  nothing.run = [this](void* stream) { return helpers_->empty(static_cast<cuda::StreamHandle>(stream)); };
  std::vector<Sample> samples;
  calls_ = 1;
  WL_TRY(take(nothing, Regime::kCold, kSlots, samples));
  std::vector<double> ns;
  for (const Sample& s : samples) ns.push_back(s.ns);
  out.launch_overhead_ns = median(ns);
  return out;
}

Status GpuTimer::enqueue(const Work& work, Regime regime, size_t slot, double& host_ns) {
  const cuda::StreamHandle stream = stream_.handle();
  if (regime == Regime::kCold) WL_TRY(helpers_->flush(stream, flush_buffer_.pointer(), 2 * l2_bytes_, l2_bytes_));
  if (regime == Regime::kWarm) WL_TRY(work.run(stream));
  // The GPU waits until the host has issued all of the sample, or the host's pauses would be in it. A flush takes long
  // enough for one quick call.
  const double issue_ns = static_cast<double>(calls_) * host_ns + kSpareNs;
  if (regime != Regime::kCold || issue_ns > 4 * kSpareNs)
    WL_TRY(helpers_->spin(stream, static_cast<uint64_t>(std::min(issue_ns, kLongestSpinNs))));
  WL_TRY(events_[2 * slot].record(stream));
  const int64_t begin = monotonic_ns();
  for (size_t c = 0; c < calls_; ++c) WL_TRY(work.run(stream));
  host_ns = static_cast<double>(monotonic_ns() - begin) / static_cast<double>(calls_);
  return events_[2 * slot + 1].record(stream);
}

/// Cycles over nanoseconds of the SMs that both probes reached.
Result<double> GpuTimer::sm_clock_mhz() const {
  WL_ASSIGN(const std::vector<uint8_t> bytes, clocks_.read());
  std::vector<uint64_t> words(bytes.size() / 8);
  std::memcpy(words.data(), bytes.data(), bytes.size());
  std::vector<double> mhz;
  for (size_t sm = 0; sm < 1024; ++sm) {
    const uint64_t *first = &words[2 * sm], *last = &words[2 * 1024 + 2 * sm];
    if (first[1] != 0 && last[1] > first[1])
      mhz.push_back(1e3 * static_cast<double>(last[0] - first[0]) / static_cast<double>(last[1] - first[1]));
  }
  return mhz.empty() ? 0.0 : median(mhz);
}

Status GpuTimer::collect(const std::vector<double>& host_ns, std::vector<Sample>& samples) {
  WL_TRY(helpers_->probe(stream_.handle(), clocks_.pointer() + 16 * 1024));
  const uint64_t throttle = nvml_ ? nvml_->throttle_bits() : 0;  // while the device is at work
  WL_TRY(stream_.synchronize());
  WL_ASSIGN(const double mhz, sm_clock_mhz());
  for (size_t slot = 0; slot < host_ns.size(); ++slot) {
    WL_ASSIGN(const double ns, cuda::Event::elapsed_ns(events_[2 * slot], events_[2 * slot + 1]));
    samples.push_back({ns / static_cast<double>(calls_), host_ns[slot], mhz, throttle});
  }
  return {};
}

Status GpuTimer::take(const Work& work, Regime regime, size_t count, std::vector<Sample>& samples) {
  if (regime == Regime::kCold)
    WL_TRY(device_.driver().check(device_.driver().reset_persisting_l2(), "cannot reset the L2 cache"));
  while (count > 0) {
    std::vector<double> host_ns(std::min(count, slots_for(static_cast<double>(calls_) * host_ns_)), host_ns_);
    WL_TRY(helpers_->probe(stream_.handle(), clocks_.pointer()));
    for (size_t slot = 0; slot < host_ns.size(); ++slot) WL_TRY(enqueue(work, regime, slot, host_ns[slot]));
    WL_TRY(collect(host_ns, samples));
    host_ns_ = std::max(1000.0, median(host_ns));
    count -= host_ns.size();
  }
  return {};
}

Status GpuTimer::take_pairs(const Work& a, const Work& b, Regime regime, size_t count, uint64_t seed,
                            std::vector<Sample>& of_a, std::vector<Sample>& of_b) {
  if (regime == Regime::kCold)
    WL_TRY(device_.driver().check(device_.driver().reset_persisting_l2(), "cannot reset the L2 cache"));
  Random random(seed);
  // Each is held for as long as its own calls take the host: the quick one's time would leave the other's pauses in.
  double of_each[2] = {host_ns_, host_ns_};
  for (bool first = true; count > 0; first = false) {  // one pair shows what each takes
    const size_t pairs =
        first
            ? 1
            : std::min(count, std::min(kSlots / 2, slots_for(static_cast<double>(calls_) * (of_each[0] + of_each[1]))));
    std::vector<double> host_ns(2 * pairs), issued[2];
    std::vector<bool> a_first;
    WL_TRY(helpers_->probe(stream_.handle(), clocks_.pointer()));
    for (size_t p = 0; p < pairs; ++p) {
      a_first.push_back(random.below(2) == 0);
      for (const size_t turn : {0, 1}) {
        const size_t which = a_first[p] == (turn == 0) ? 0 : 1, slot = 2 * p + turn;
        host_ns[slot] = issued[which].empty() ? of_each[which] : issued[which].back();
        WL_TRY(enqueue(which == 0 ? a : b, regime, slot, host_ns[slot]));
        issued[which].push_back(host_ns[slot]);
      }
    }
    std::vector<Sample> both;
    WL_TRY(collect(host_ns, both));
    for (size_t p = 0; p < pairs; ++p) {
      of_a.push_back(both[2 * p + (a_first[p] ? 0 : 1)]);
      of_b.push_back(both[2 * p + (a_first[p] ? 1 : 0)]);
    }
    for (const size_t which : {0, 1}) of_each[which] = std::max(1000.0, median(issued[which]));
    count -= pairs;
  }
  return {};
}

Result<Sample> GpuTimer::take_one(const Work& work) {
  std::vector<Sample> samples;
  const size_t calls = std::exchange(calls_, 1);
  const Status status = take(work, Regime::kCold, 1, samples);
  calls_ = calls;
  if (!status.ok()) return status;
  return samples[0];
}

Status GpuTimer::warm_up(const Work& work, Regime regime, double seconds) {
  calls_ = 1;
  std::vector<Sample> samples;
  const int64_t end = monotonic_ns() + static_cast<int64_t>(seconds * 1e9);
  do WL_TRY(take(work, regime, 4, samples));
  while (monotonic_ns() < end);
  std::vector<double> ns;
  for (const Sample& s : samples) ns.push_back(s.ns);
  if (regime == Regime::kThroughput)
    calls_ = std::clamp<size_t>(static_cast<size_t>(kThroughputSampleNs / std::max(500.0, median(ns))), 1, 256);
  return {};
}

Result<double> GpuTimer::time_left_after(const std::function<Status()>& issue, double& took_ns) {
  WL_TRY(device_.synchronize());
  const int64_t begin = monotonic_ns();
  WL_TRY(issue());
  WL_TRY(stream_.synchronize());
  const int64_t done = monotonic_ns();
  took_ns = static_cast<double>(done - begin);
  WL_TRY(device_.synchronize());
  return static_cast<double>(monotonic_ns() - done);
}

Result<double> GpuTimer::time_left_running(const Work& work) {
  double took_ns = 0;
  WL_ASSIGN(const double left, time_left_after([&] { return work.run(stream_.handle()); }, took_ns));
  if (left <= kQuietNs) return 0.0;
  // The driver, too, takes its time to answer, longer after long work: as long as after a kernel that certainly was
  // alone.
  double answer = kQuietNs;
  for (int i = 0; i < 3; ++i) {
    double ignored = 0;
    WL_ASSIGN(
        const double alone,
        time_left_after(
            [&] { return helpers_->spin(stream_.handle(), static_cast<uint64_t>(std::min(took_ns, kLongestSpinNs))); },
            ignored));
    answer = std::max(answer, alone);
  }
  return left > 3 * answer ? left : 0.0;
}

}  // namespace warplens::bench
