#include "warplens/cuda_api/sample/kept_results.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace warplens::cuda_api {
namespace {

constexpr size_t kMostPending = 4096;

/// A quarter of this computer's free memory, when it is first asked.
uint64_t most_kept_bytes() {
  static const uint64_t bytes =
      static_cast<uint64_t>(::sysconf(_SC_AVPHYS_PAGES)) * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE)) / 4;
  return bytes;
}

}  // namespace

KeptResults::KeptResults(std::span<const WrittenRun> runs) : runs_(runs.begin(), runs.end()) {
  for (const WrittenRun& run : runs_) {
    const auto* const first = reinterpret_cast<const std::byte*>(run.begin);
    bytes_.insert(bytes_.end(), first, first + run.size_bytes);
  }
}

void KeptResults::put(const simt::Memory& memory) const {
  const std::byte* from = bytes_.data();
  for (const WrittenRun& run : runs_) {
    simt::Range range;
    if (memory.range(run.begin, range) && run.size_bytes <= range.end - run.begin)
      std::memcpy(reinterpret_cast<void*>(run.begin), from, run.size_bytes);
    from += run.size_bytes;
  }
}

bool KeptResults::meets(uint64_t begin, uint64_t size_bytes) const {
  return std::ranges::any_of(runs_, [&](const WrittenRun& run) {
    return run.begin < begin + size_bytes && begin < run.begin + run.size_bytes;
  });
}

SharedResults PendingResults::keep(std::span<const WrittenRun> runs, const SharedResults& before) {
  uint64_t size_bytes = 0;
  for (const WrittenRun& run : runs) size_bytes += run.size_bytes;
  if (before) kept_bytes_ -= before->size_bytes();
  if (kept_bytes_ + size_bytes > most_kept_bytes()) return nullptr;
  kept_bytes_ += size_bytes;
  return std::make_shared<const KeptResults>(runs);
}

void PendingResults::add(SharedResults results) {
  pending_.push_back(std::move(results));
  if (pending_.size() > kMostPending) settle_all();
}

void PendingResults::settle(uint64_t begin, uint64_t size_bytes) {
  size_t count = pending_.size();
  while (count > 0 && !pending_[count - 1]->meets(begin, size_bytes)) --count;
  put(count);
}

void PendingResults::put(size_t count) {
  for (size_t i = 0; i < count; ++i) pending_[i]->put(memory_);
  pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(count));
}

}  // namespace warplens::cuda_api
