// Results of launches that ran. Launches that repeat them do not run, and leave the same results.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "warplens/run/sass/counting/written.h"
#include "warplens/simt/memory/memory.h"

namespace warplens::cuda_api {

using simt::sass_machine::WrittenRun;

/// The bytes of some memory, as they were once.
class KeptResults {
 public:
  explicit KeptResults(std::span<const WrittenRun> runs);
  /// Puts them back where memory still is.
  void put(const simt::Memory& memory) const;
  bool meets(uint64_t begin, uint64_t size_bytes) const;
  uint64_t size_bytes() const { return bytes_.size(); }

 private:
  std::vector<WrittenRun> runs_;
  std::vector<std::byte> bytes_;
};
using SharedResults = std::shared_ptr<const KeptResults>;  // nullptr: nothing is known

/// Results of launches that did not run, in their order. They reach memory when something needs or overwrites them, so
/// that most of them never move. Results that fall behind are in memory.
class PendingResults {
 public:
  explicit PendingResults(const simt::Memory& memory) : memory_(memory) {}
  /// The results of a launch that ran; `before`: those of one that it repeats. nullptr: they would need too much
  /// memory.
  SharedResults keep(std::span<const WrittenRun> runs, const SharedResults& before);
  void add(SharedResults results);
  /// Something reads or writes these bytes.
  void settle(uint64_t begin, uint64_t size_bytes);
  /// A launch may read all memory.
  void settle_all() { put(pending_.size()); }

 private:
  void put(size_t count);

  const simt::Memory& memory_;
  std::deque<SharedResults> pending_;
  uint64_t kept_bytes_ = 0;
};

}  // namespace warplens::cuda_api
