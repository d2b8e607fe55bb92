// The checks' records of a launch, for both machines: who accessed which bytes when, the defects, and their remedies.
#pragma once
#include <bit>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/simt/checks/race_advice.h"
#include "warplens/simt/checks/report_list.h"
#include "warplens/simt/checks/shadow.h"

namespace warplens::simt {

/// Calls f(word, bytes) for each four bytes of memory that `size_bytes` bytes from `begin` touch. The arguments are the
/// word's address, and a bit for each of its bytes.
template <typename F>
void for_words(Address begin, uint64_t size_bytes, const F& f) {
  const Address end = begin + size_bytes;
  for (Address word = begin & ~Address{3}; word < end; word += 4) {
    uint8_t bytes = 0;
    for (uint32_t i = 0; i < 4; ++i) bytes |= static_cast<uint8_t>(word + i >= begin && word + i < end ? 1u << i : 0);
    f(word, bytes);
  }
}

class CheckLog {
 public:
  using SameLine = std::function<bool(uint32_t, uint32_t)>;
  /// The place of a lane of a warp, by its number in the grid, at the instruction of a row.
  using PlaceOf = std::function<Place(uint64_t warp, uint32_t lane, uint32_t row)>;

  /// `most`: distinct reports that are kept.
  CheckLog(uint32_t most, uint64_t warps_per_block, SameLine same_line, PlaceOf place_of)
      : found(most, std::move(same_line)), warps_per_block_(warps_per_block), place_of_(std::move(place_of)) {}

  /// One report for all defects of one kind between the same lines. Returns its number, found.reports.size() if it was
  /// dropped. `other`: the earlier side of a race.
  size_t report(std::string_view id, uint64_t warp, uint32_t lane, uint32_t row, std::string message, Address address,
                uint32_t size_bytes, const AccessRecord* other = nullptr);

  /// Records `mine` in a word of memory, after comparing it with earlier accesses. `order(record, wrote)` orders an
  /// earlier access against it, and `race(record, wrote, order)` is called for each race. `same_value`: it stores the
  /// present value.
  template <typename OrderOf, typename Race>
  void access(ShadowWord* word, const AccessRecord& mine, bool writes, bool same_value, const OrderOf& order,
              const Race& race) {
    if (!writes && word->writes.empty()) return word->reads.add(mine);
    access_word(
        word, mine, writes, same_value, warps_per_block_,
        [&](const AccessRecord& r, bool wrote) {
          const bool own = r.agent == Agent::kThread && r.warp == mine.warp && (r.lanes & mine.lanes) != 0;
          if (writes && !wrote && own) advice_.saw_update(r.row, mine.row, (mine.flags & kStrong) != 0);
          return order(r, wrote);
        },
        [&](const AccessRecord& r, bool wrote, const HappensBefore& stands) {
          if (writes && !wrote) early_reads_.insert(r.row);
          race(r, wrote, stands);
        });
  }
  /// The remedy that would order the two sides of a reported race, unless they are an update's.
  void advise(size_t report, uint32_t row, uint32_t earlier, std::string otherwise) {
    if (report < found.reports.size()) advice_.add(report, row, earlier, std::move(otherwise));
  }
  /// See RaceAdvice.
  template <typename F>
  bool is_of_swaps(size_t report, const F& swaps) const {
    return advice_.is_of_swaps(report, swaps);
  }
  bool same_block(const AccessRecord& r, uint64_t warp) const {
    return r.warp / warps_per_block_ == warp / warps_per_block_;
  }
  ShadowWord& global_word(Address at) { return global_.word_at(at); }
  void forget(Address begin, Address end) { global_.forget(begin, end); }
  Place place_of(uint64_t warp, uint32_t lane, uint32_t row) const { return place_of_(warp, lane, row); }

  /// Appends advice to messages. Withdraws the reports that `drop(number)` names, and reports of unwritten bytes that a
  /// race explains: the read runs before the write that it expects.
  template <typename Drop>
  void finish(const Drop& drop) {
    advice_.finish(&found.reports);
    size_t number = 0;
    std::erase_if(found.reports, [&](const Report& r) {
      return drop(number++) || (r.id == "uninitialised-read" && early_reads_.contains(r.place.index));
    });
  }

  ReportList found;

 private:
  uint64_t warps_per_block_;
  PlaceOf place_of_;
  GlobalShadow global_;
  RaceAdvice advice_;
  std::set<uint32_t> early_reads_;  // rows of reads that later writes race with
};

}  // namespace warplens::simt
