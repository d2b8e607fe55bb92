// The latest accesses to each word of memory, as the check of races keeps them.
#pragma once
#include <memory>
#include <vector>

#include "warplens/run/ptx/checks/clock.h"

namespace warplens::simt::ptx_machine {

/// One access to a word: by the lanes of one instruction of a warp, or by what works for one of them.
struct AccessRecord {
  uint32_t number = 0;             // of the agent
  uint32_t clock = 0;              // the agent's count
  uint32_t warp = 0;               // of the grid: who ran the instruction
  uint32_t row = 0;
  uint32_t lanes = 0;
  Agent agent = Agent::kThread;
  uint8_t bytes = 0;               // of the word, a bit each
  uint8_t flags = 0;               // RecordFlags
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
    std::erase_if(*more_, f);
    if (first_.bytes == 0 && !more_->empty()) {
      first_ = more_->back();
      more_->pop_back();
    }
  }
  void add(const AccessRecord& r) {
    const auto same = [&](const AccessRecord& o) {
      return o.number == r.number && o.clock == r.clock && o.row == r.row && o.agent == r.agent && o.bytes == r.bytes &&
             o.flags == r.flags && o.warp == r.warp;
    };
    if (first_.bytes == 0) return void(first_ = r);
    if (same(first_)) return void(first_.lanes |= r.lanes);
    if (!more_) more_ = std::make_unique<std::vector<AccessRecord>>();
    for (AccessRecord& o : *more_) {
      if (same(o)) return void(o.lanes |= r.lanes);
    }
    if (more_->size() >= kMost) more_->erase(more_->begin());
    more_->push_back(r);
  }

 private:
  static constexpr size_t kMost = 40;  // more than the warps of a block
  AccessRecord first_;                 // bytes 0: none
  std::unique_ptr<std::vector<AccessRecord>> more_;
};

struct ShadowWord {
  RecordList writes, reads;
};

}  // namespace warplens::simt::ptx_machine
