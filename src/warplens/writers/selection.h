// Which part of a profile is written: by step, time, rank, stream, annotation, shortest duration.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "warplens/base/status.h"
#include "warplens/program/analysis/intervals.h"
#include "warplens/program/analysis/links.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::writers {

struct Cut {
  std::optional<std::pair<int64_t, int64_t>> steps;  // numbers of ProfilerStep#N, first and last
  std::optional<int64_t> from_ns, to_ns;             // since the start of the first rank's window
  std::optional<int32_t> rank;
  std::optional<int64_t> stream;
  std::string annotation;       // glob over ranges' names; empty: all
  int64_t shortest_ns = 0;      // events shorter than this are left out; instants stay
};

/// Says of each row whether it is written. Device work belongs to the step or annotation that launched it.
class Selection {
 public:
  /// An error where the cut names a step, annotation, rank or stream that the profile does not have.
  static Result<Selection> make(const Profile& profile, const Cut& cut);

  bool host(uint32_t thread, int64_t start_ns, int64_t duration_ns) const;
  bool instant(uint32_t thread, int64_t time_ns) const;
  bool device(uint32_t row) const;  // row of device_events
  bool on_device(uint32_t device, int64_t stream, int64_t start_ns,
                 int64_t duration_ns) const;  // other rows with a stream
  bool rank(uint32_t rank) const { return rank_[rank]; }
  const analysis::Links& links() const { return links_; }

 private:
  Selection(const Profile& profile, const Cut& cut);
  Status check() const;
  bool in_windows(uint32_t rank, int64_t start_ns, int64_t end_ns) const;
  bool in_time(int64_t start_ns, int64_t end_ns) const;

  const Profile* p_;
  Cut cut_;
  int64_t zero_ns_ = 0;
  bool has_windows_ = false;
  std::vector<bool> rank_;
  std::vector<analysis::TimeSet> windows_;  // of each rank: host time of the chosen steps and annotations
  analysis::Links links_;
};

}  // namespace warplens::writers
