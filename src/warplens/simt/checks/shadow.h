// The latest accesses to each word of memory, as the check of races keeps them.
#pragma once
#include <array>
#include <memory>
#include <unordered_map>
#include <vector>

#include "warplens/simt/checks/clock.h"

namespace warplens::simt {

/// One access to a word: by the lanes of one instruction of a warp, or by an asynchronous unit for one of them.
struct AccessRecord {
  uint32_t number = 0;  // of the agent
  uint32_t clock = 0;   // the agent's count
  uint32_t warp = 0;    // of the grid: the warp that ran the instruction; the first of `warps` alike
  uint32_t row = 0;
  uint32_t lanes = 0;
  Agent agent = Agent::kThread;
  uint8_t bytes = 0;  // of the word, a bit each
  uint8_t flags = 0;  // RecordFlags
  uint8_t warps = 1;
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
  /// Replaces the same lanes' earlier access, and the oldest if there are too many.
  void add(const AccessRecord& r) {
    if (first_.bytes == 0) first_ = r;
    if (joined(first_, r) || followed(first_, r)) return;
    if (!more_) more_ = std::make_unique<More>();
    More& more = *more_;
    if (more.may_hold(r.warp)) {
      for (AccessRecord& o : more.records) {
        if (joined(o, r)) return;
      }
    }
    more.warps |= More::bit(r.warp);
    if (more.latest < more.records.size() && followed(more.records[more.latest], r)) return more.drop_older();
    if (more.records.size() < kMost) {
      more.latest = more.records.size();
      return more.records.push_back(r);
    }
    more.latest = more.oldest++ % kMost;
    more.records[more.latest] = r;
    if (more.oldest % (kMost / 2) == 0) more.find_warps();
  }
  bool empty() const { return first_.bytes == 0; }

 private:
  static constexpr size_t kMost = 40;  // more than the warps of a block
  struct More {
    std::vector<AccessRecord> records;
    size_t oldest = 0;   // of a full list, modulo kMost
    size_t latest = 0;   // where the last one was put
    uint64_t warps = 0;  // whose records may be here, modulo 64: lists of others are not searched
    static uint64_t bit(uint32_t warp) { return uint64_t{1} << warp % 64; }
    bool may_hold(uint32_t warp) const { return warps & bit(warp); }
    void find_warps() {
      warps = 0;
      for (const AccessRecord& r : records) {
        for (uint32_t k = 0; k < r.warps; ++k) warps |= bit(r.warp + k);
      }
    }
    /// In long lists, earlier records of the latest record's warps are dropped once all of them have come again.
    void drop_older() {
      constexpr size_t kLong = 16;
      if (records.size() < kLong) return;
      const AccessRecord now = records[latest];
      for (size_t k = 0; k < records.size(); ++k) {
        const AccessRecord& o = records[k];
        if (k == latest || o.warp != now.warp || o.warps != now.warps || !covers(o, now)) continue;
        records[k] = now;
        records.erase(records.begin() + static_cast<std::ptrdiff_t>(latest));
        latest = k - (latest < k);
        return;
      }
    }
  };
  /// True if every conflict with `o` is a conflict with `r` of the same warps.
  static bool covers(const AccessRecord& o, const AccessRecord& r) {
    return o.agent == r.agent && o.flags == r.flags && (o.lanes & ~r.lanes) == 0 && (o.bytes & ~r.bytes) == 0;
  }
  /// True if `o` covers `r` too: adds the same instruction's other lanes, and drops its lanes' earlier
  /// records.
  static bool joined(AccessRecord& o, const AccessRecord& r) {
    if (o.agent != r.agent || o.flags != r.flags || r.warp - o.warp >= o.warps) return false;
    const bool same = o.clock == r.clock && o.row == r.row && o.bytes == r.bytes;
    if (o.warps > 1) return same && (r.lanes & ~o.lanes) == 0;
    if (o.number != r.number) return false;
    if (same) {
      o.lanes |= r.lanes;
      return true;
    }
    if (!covers(o, r)) return false;
    o = r;
    return true;
  }
  /// True if `r` is the next warp's part of `o`'s record, which now covers it too.
  static bool followed(AccessRecord& o, const AccessRecord& r) {
    if (r.agent != Agent::kThread || o.agent != r.agent || o.flags != r.flags || r.warp != o.warp + o.warps)
      return false;
    if (o.clock != r.clock || o.row != r.row || o.bytes != r.bytes || o.lanes != r.lanes || o.warps == 255)
      return false;
    ++o.warps;
    return true;
  }
  AccessRecord first_;  // bytes 0: none
  std::unique_ptr<More> more_;
};

struct ShadowWord {
  RecordList writes, reads;
};

/// The order of an earlier access against a later one.
struct HappensBefore {
  bool known = false;          // it happens before
  bool fence_missing = false;  // ordered, but not for accesses past ordinary memory order
};

/// Compares `mine` with earlier accesses to a word and records it there. `order(record, wrote)` orders a record of one
/// warp against it, and calls `race(record, wrote, order)` for each race. `same_value`: it stores the present value.
template <typename OrderOf, typename Race>
void access_word(ShadowWord* word, const AccessRecord& mine, bool writes, bool same_value, uint64_t warps_per_block,
                 const OrderOf& order, const Race& race) {
  // Compares with one earlier access. True if every conflict with it is a conflict with `mine`.
  const auto look_at_one = [&](const AccessRecord& r, bool wrote) {
    const HappensBefore stands = order(r, wrote);
    const bool both_strong =
        (r.flags & mine.flags & kStrong) &&
        (r.warp / warps_per_block == mine.warp / warps_per_block || (r.flags & mine.flags & kWideScope));
    const bool races =
        (wrote || writes) && !both_strong && (!stands.known || stands.fence_missing) && !(wrote && same_value);
    if (races) race(r, wrote, stands);
    const bool weaker = !(mine.flags & kStrong) || (r.flags & kStrong);  // every conflict of `r` is one of `mine`
    return writes && weaker && (stands.known || races);
  };
  // The same for all warps that a record covers. True if it need not be kept.
  const auto look = [&](AccessRecord& r, bool wrote) {
    if (!(r.bytes & mine.bytes)) return false;
    bool covered = true;
    AccessRecord one = r;
    for (one.warps = 1; one.warp < r.warp + r.warps; ++one.warp, ++one.number) covered &= look_at_one(one, wrote);
    if (covered) r.bytes &= static_cast<uint8_t>(~mine.bytes);
    return r.bytes == 0;
  };
  word->writes.drop_if([&](AccessRecord& r) { return look(r, true); });
  if (writes) word->reads.drop_if([&](AccessRecord& r) { return look(r, false); });
  (writes ? word->writes : word->reads).add(mine);
}

/// Words of device memory by their addresses.
class GlobalShadow {
 public:
  ShadowWord& word_at(uint64_t address) {
    const uint64_t number = address >> 12;
    Near& near = near_[number % near_.size()];
    if (near.number != number) {
      std::unique_ptr<Page>& page = pages_[number];
      if (!page) page = std::make_unique<Page>();
      near = {number, page.get()};
    }
    return (*near.page)[address / 4 % 1024];
  }
  void forget(uint64_t begin, uint64_t end) {
    for (uint64_t at = begin / 4 * 4; at < end;) {
      if (pages_.contains(at >> 12)) {
        word_at(at) = {};
        at += 4;
      } else {
        at = ((at >> 12) + 1) << 12;
      }
    }
  }

 private:
  using Page = std::array<ShadowWord, 1024>;  // 4 KB
  struct Near {
    uint64_t number = ~uint64_t{0};
    Page* page = nullptr;
  };
  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
  std::array<Near, 16> near_;  // the latest ones, by number
};

}  // namespace warplens::simt
