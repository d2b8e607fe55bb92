// The collective that hangs, the ranks missing from it, and where they are instead.
#pragma once
#include <string>
#include <vector>

#include "warplens/hangs/dump.h"
#include "warplens/output/finding.h"

namespace warplens::hangs {

/// The state of one rank at a collective that hangs.
struct Standing {
  int64_t rank = 0;
  bool has_dump = false, arrived = false;
  State state = State::kScheduled;  // of its entry, where it arrived
  std::string name, sizes, dtypes;  // likewise
  std::string last, last_place;     // of a rank that has not: the last operation that it gave to any group
  bool waits_elsewhere = false;     // and that operation has not completed
};

struct Hang {
  std::string group, description;
  int64_t sequence = 0;
  std::string name;   // of most ranks that arrived
  std::string place;  // where one of them called it
  int64_t created_ns = 0;
  std::vector<Standing> ranks;
  bool names_differ = false, sizes_differ = false, dtypes_differ = false;
  std::vector<int64_t> missing() const;
};

struct HangReport {
  std::vector<int64_t> ranks;     // ranks with dumps
  std::vector<Hang> hangs;        // the first of each group, the one that explains most first
  std::vector<int64_t> culprits;  // missing, and waiting for no other rank
  int64_t entries = 0, left_out = 0;
};

/// Why a collective hangs: missing-ranks, collective-mismatch, else stalled-collective.
std::vector<Finding> findings_of(const Hang& hang);
std::string numbers_text(const std::vector<int64_t>& numbers);

HangReport analyse(const std::vector<Dump>& dumps);

}  // namespace warplens::hangs
