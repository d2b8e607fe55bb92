// The defects that checks found: one report for all of one kind between the same lines.
#pragma once
#include <functional>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "warplens/simt/launch.h"

namespace warplens::simt {

class ReportList {
 public:
  static constexpr uint32_t kNoRow = 0xffffffff;
  /// `most`: distinct reports that are kept. `same_line`: true if two rows come from one source line.
  ReportList(uint32_t most, std::function<bool(uint32_t, uint32_t)> same_line)
      : most_(most), same_line_(std::move(same_line)) {}

  /// Counts one of kind `id` at instruction `row`, with `other` (kNoRow: none) on the other side; `make()` returns the
  /// first one's report. Returns its number, or reports.size() if it was dropped.
  template <typename Make>
  size_t add(std::string_view id, uint32_t row, uint32_t other, const Make& make) {
    const auto [found, added] = seen_.try_emplace({id, row, other}, reports.size());
    if (added) found->second = like(id, row, other);
    if (!added || found->second < reports.size()) {
      if (found->second == kDropped) return reports.size();
      ++reports[found->second].count;
      return found->second;
    }
    if (reports.size() >= most_) {
      found->second = kDropped;
      ++dropped;
      return reports.size();
    }
    reports.push_back(make());
    return reports.size() - 1;
  }

  bool one_line(uint32_t row, uint32_t other) const { return same_line_(row, other); }

  std::vector<Report> reports;
  uint64_t dropped = 0;

 private:
  static constexpr size_t kDropped = ~size_t{0};
  size_t like(std::string_view id, uint32_t row, uint32_t other) const;

  uint32_t most_;
  std::function<bool(uint32_t, uint32_t)> same_line_;
  std::map<std::tuple<std::string_view, uint32_t, uint32_t>, size_t> seen_;  // id, row, other row
};

}  // namespace warplens::simt
