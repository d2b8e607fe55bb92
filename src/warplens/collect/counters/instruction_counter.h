// The work of each instruction of a kernel, counted by code that CUPTI patches in. It counts executions, threads,
// sectors, and passes of shared memory beside the fewest possible. CUPTI reports only the first kernel that runs
// patched in a process, summed over its launches.
#pragma once
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "warplens/collect/counters/abi.h"
#include "warplens/collect/counters/profiler_library.h"
#include "warplens/collect/counters/watcher.h"
#include "warplens/collect/cupti/library.h"

namespace warplens::cupti {

#define WL_CUPTI_SASS_FUNCTIONS(F)                            \
  F(cuptiSassMetricsGetProperties, SassGetProperties)         \
  F(cuptiSassMetricsSetConfig, SassSetConfig)                 \
  F(cuptiSassMetricsUnsetConfig, SassUnsetConfig)             \
  F(cuptiSassMetricsEnable, SassEnable)                       \
  F(cuptiSassMetricsDisable, SassDisable)                     \
  F(cuptiSassMetricsGetDataProperties, SassGetDataProperties) \
  F(cuptiSassMetricsFlushData, SassFlushData)

struct SassLibrary {
  WL_CUPTI_PART(WL_CUPTI_SASS_FUNCTIONS)
};

/// Counts of one place in the code, by metric.
struct PcCounts {
  uint64_t cubin_crc = 0, offset = 0;
  std::string function;
  std::vector<uint64_t> counts;
};

class InstructionCounter : public Watcher {
 public:
  InstructionCounter(const Library& cupti, const ProfilerLibrary& profiler, const SassLibrary& sass)
      : cupti_(&cupti), profiler_(&profiler), sass_(&sass) {}
  ~InstructionCounter() override;

  std::string open(void* context, uint32_t device) override;
  std::string begin(const Launch& launch) override;
  std::string why_not(const Launch& launch) const override;
  std::string end(const Launch& launch, bool made) override;
  void write(Cubins* cubins, collect::CountsFile* file) override;

 private:
  std::string take();

  const Library* cupti_;
  const ProfilerLibrary* profiler_;
  const SassLibrary* sass_;
  void* context_ = nullptr;
  uint32_t device_ = 0;
  bool configured_ = false, enabled_ = false;
  std::string kernel_;                                                                 // the one that is counted
  std::vector<std::string> metrics_;                                                   // those that the chip has
  std::map<uint64_t, size_t> by_id_;                                                   // index of a metric
  std::map<std::string, uint64_t> launches_;                                           // by kernel
  std::map<std::tuple<uint64_t, uint64_t, std::string>, std::vector<uint64_t>> sums_;  // by cubin, offset, function
};

}  // namespace warplens::cupti
