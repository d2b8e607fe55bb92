// The latest accesses to each word of memory, as the check of races keeps them.
#pragma once
#include <memory>
#include <vector>

#include "warplens/run/ptx/checks/clock.h"

namespace warplens::simt::ptx_machine {

/// One access to a word: by the lanes of one instruction of a warp, or by what works for one of them.
struct AccessRecord {
  uint32_t number = 0;  // of the agent
  uint32_t clock = 0;   // the agent's count
  uint32_t warp = 0;    // of the grid: who ran the instruction
  uint32_t row = 0;
  uint32_t lanes = 0;
  Agent agent = Agent::kThread;
  uint8_t bytes = 0;  // of the word, a bit each
  uint8_t flags = 0;  // RecordFlags
};
enum RecordFlags : uint8_t { kStrong = 1, kWideScope = 2 };

/// Accesses to four bytes that later ones may conflict with.
class RecordList {
 public:
  /// Calls f(record) for each; drops those for which it answers true.
  template <typename F>
  void drop_if(const F& f) {
    if (first_.bytes && f(first_)) first_.bytes = 0;
    if (!more_) return;
    std::erase_if(more_->records, f);
    if (first_.bytes == 0 && !more_->records.empty()) {
      first_ = more_->records.back();
      more_->records.pop_back();
    }
  }
  /// Takes the place of what the same lanes did before, and of the oldest when there are too many.
  void add(const AccessRecord& r) {
    if (first_.bytes == 0) first_ = r;
    if (joined(first_, r)) return;
    if (!more_) more_ = std::make_unique<More>();
    for (AccessRecord& o : more_->records) {
      if (joined(o, r)) return;
    }
    if (more_->records.size() < kMost) return more_->records.push_back(r);
    more_->records[more_->oldest++ % kMost] = r;
  }

 private:
  static constexpr size_t kMost = 40;  // more than the warps of a block
  struct More {
    std::vector<AccessRecord> records;
    size_t oldest = 0;  // of a full list, modulo kMost
  };
  /// Whether `o` stands for `r` too: the same instruction's other lanes are added, what its lanes did before is
  /// forgotten.
  static bool joined(AccessRecord& o, const AccessRecord& r) {
    if (o.number != r.number || o.warp != r.warp || o.agent != r.agent || o.flags != r.flags) return false;
    if (o.clock == r.clock && o.row == r.row && o.bytes == r.bytes) {
      o.lanes |= r.lanes;
      return true;
    }
    if ((o.lanes & ~r.lanes) != 0 || (o.bytes & ~r.bytes) != 0) return false;
    o = r;
    return true;
  }
  AccessRecord first_;  // bytes 0: none
  std::unique_ptr<More> more_;
};

struct ShadowWord {
  RecordList writes, reads;
};

}  // namespace warplens::simt::ptx_machine
