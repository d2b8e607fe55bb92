// Where warps of the chosen launches are, and why they wait. The hardware samples program counters, of one launch or
// many at a time; nothing is replayed.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "warplens/collect/counters/abi.h"
#include "warplens/collect/cupti/library.h"

namespace warplens::cupti {

#define WL_CUPTI_SAMPLING_FUNCTIONS(F)                           \
  F(cuptiPCSamplingEnable, SamplingContext)                      \
  F(cuptiPCSamplingDisable, SamplingContext)                     \
  F(cuptiPCSamplingStart, SamplingContext)                       \
  F(cuptiPCSamplingStop, SamplingContext)                        \
  F(cuptiPCSamplingSetConfigurationAttribute, SamplingConfigure) \
  F(cuptiPCSamplingGetData, SamplingGetData)                     \
  F(cuptiPCSamplingGetNumStallReasons, SamplingGetReasonCount)   \
  F(cuptiPCSamplingGetStallReasons, SamplingGetReasons)

struct SamplingLibrary {
  WL_CUPTI_PART(WL_CUPTI_SAMPLING_FUNCTIONS)
};

/// Samples of one place in the code, by the index of their stall reason.
struct PcSamples {
  uint64_t cubin_crc = 0, offset = 0;
  std::string function;
  std::vector<uint64_t> by_reason;
};

/// Room for records. CUPTI reads how many reasons each can take where it later writes how many it has.
class SampleBuffer {
 public:
  void allocate(size_t pcs, size_t reasons);
  /// Ready to be filled (again).
  void reset();
  SampledData data;
  std::vector<SampledPc> pcs;

 private:
  std::vector<SampledReason> reasons_;
  size_t reasons_per_pc_ = 0;
};

class Sampler {
 public:
  Sampler(const Library& cupti, const SamplingLibrary& sampling) : cupti_(&cupti), sampling_(&sampling) {}
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;
  ~Sampler();

  /// Prepares to sample in `context`. The text says why it cannot be; empty when all is well.
  std::string open(void* context);
  std::string start();
  /// Waits for running work, and collects the samples.
  std::string stop();
  bool started() const { return started_; }

  const std::vector<std::string>& reasons() const { return reasons_; }
  std::vector<PcSamples> take() const;
  uint64_t samples() const { return samples_; }
  uint64_t dropped() const { return dropped_; }
  static constexpr uint32_t kPeriodExponent = 9;  // a sample of each scheduler in 512 cycles

 private:
  std::string read_reasons();
  std::string configure();
  void add_samples();

  const Library* cupti_;
  const SamplingLibrary* sampling_;
  void* context_ = nullptr;
  bool started_ = false;
  std::vector<std::string> reasons_;
  std::vector<uint32_t> indices_;
  SampleBuffer collecting_, taken_;  // CUPTI fills the first, and hands it out through the second
  std::map<std::tuple<uint64_t, uint64_t, std::string>, std::vector<uint64_t>> sums_;  // by cubin, offset, function
  uint64_t samples_ = 0, dropped_ = 0;
};

}  // namespace warplens::cupti
