// Finds rows by (rank, id): the join of calls, operators and device events.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace warplens::analysis {

/// Rows of a table by an id that is unique within a rank. Id 0 means "not given" and is never found. Ids of a rank that
/// are close together take four bytes each, others sixteen.
class IdIndex {
 public:
  /// `rank_of(row)` is the row of ranks of each id. If an id occurs twice in a rank, the first row is found.
  template <typename RankOf>
  IdIndex(std::span<const int64_t> ids, size_t ranks, RankOf rank_of) : parts_(ranks) {
    for (size_t row = 0; row < ids.size(); ++row) {
      if (ids[row] != 0) parts_[rank_of(row)].count(ids[row]);
    }
    for (Part& part : parts_) part.allocate();
    for (size_t row = 0; row < ids.size(); ++row) {
      if (ids[row] != 0) parts_[rank_of(row)].add(ids[row], static_cast<uint32_t>(row));
    }
    for (Part& part : parts_) part.finish();
  }

  /// The row with `id` in `rank`, or kNone.
  uint32_t find(uint32_t rank, int64_t id) const;

 private:
  struct Part {
    void count(int64_t id);
    void allocate();
    void add(int64_t id, uint32_t row);
    void finish();

    size_t size = 0;
    int64_t lowest = INT64_MAX, highest = INT64_MIN;
    std::vector<uint32_t> dense;                       // by id - lowest; used when ids lie close together
    std::vector<std::pair<int64_t, uint32_t>> sorted;  // otherwise
  };
  std::vector<Part> parts_;
};

}  // namespace warplens::analysis
