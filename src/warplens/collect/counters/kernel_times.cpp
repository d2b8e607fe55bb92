#include "warplens/collect/counters/kernel_times.h"

#include <cstdlib>
#include <mutex>

namespace warplens::collect {
namespace {

constexpr size_t kBytes = size_t{1} << 20;
constexpr uint32_t kFlushForced = 1;

const cupti::Library* library = nullptr;
std::mutex mutex;
std::unordered_map<uint32_t, uint64_t> ns_by_correlation;

void request_buffer(uint8_t** buffer, size_t* size, size_t* max_records) {
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(8, kBytes));
  *size = *buffer != nullptr ? kBytes : 0;
  *max_records = 0;
}

void complete_buffer(void*, uint32_t, uint8_t* buffer, size_t, size_t valid_bytes) {
  const std::lock_guard lock(mutex);
  void* record = nullptr;
  while (buffer != nullptr && library->cuptiActivityGetNextRecord(buffer, valid_bytes, &record) == cupti::kSuccess) {
    const auto* kernel = static_cast<const cupti::KernelRecord*>(record);
    if (kernel->kind == cupti::kConcurrentKernel) ns_by_correlation[kernel->correlation] = kernel->end - kernel->start;
  }
  std::free(buffer);
}

}  // namespace

void KernelTimes::start(const cupti::Library& cupti) {
  if (started_) return;
  started_ = true;
  library = &cupti;
  cupti.cuptiActivityRegisterCallbacks(request_buffer, complete_buffer);
  cupti.cuptiActivityEnable(cupti::kConcurrentKernel);
}

void KernelTimes::finish(const cupti::Library& cupti, CountsFile* file) {
  if (!started_) return;
  cupti.cuptiActivityFlushAll(kFlushForced);
  const std::lock_guard lock(mutex);
  for (const cupti::Launch& launch : expected_) {
    const auto found = ns_by_correlation.find(launch.correlation);
    if (found != ns_by_correlation.end()) file->launch(launch, {{}, found->second, {}});
    else file->launch(launch, {{}, 0, "CUPTI recorded no time"});
  }
}

}  // namespace warplens::collect
