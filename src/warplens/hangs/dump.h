// Dumps of PyTorch's flight recorder: the last operations of each rank's process groups, one file a rank.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "warplens/base/status.h"

namespace warplens::hangs {

enum class State : uint8_t { kScheduled, kStarted, kCompleted };

/// One operation that a rank gave to a process group.
struct Entry {
  std::string group;  // name of the process group
  std::string name;   // for example nccl:all_reduce
  int64_t sequence = 0;
  bool point_to_point = false;
  State state = State::kScheduled;
  std::string sizes, dtypes;  // of inputs, as text that can be compared
  int64_t created_ns = 0, timeout_ms = 0;
  std::string place;  // "train.py:12 step": the innermost frame of the user's code; "" without stacks
};

struct Group {
  std::string description;
  std::vector<int64_t> ranks;  // empty when not given
};

struct Dump {
  int64_t rank = 0;
  std::string file, version;
  std::map<std::string, Group> groups;
  std::vector<Entry> entries;  // in order; the recorder keeps only the last ones
  int64_t left_out = 0;        // entries too incomplete to compare
};

/// Reads a dump, pickled (nothing in it is run) or JSON. The rank is in the dump, else at the end of
/// the file's name ("nccl_trace_rank_3"). Errors: neither format; no flight recorder's dump; no
/// rank.
Result<Dump> read_dump(const std::string& path, const std::string& bytes);

}  // namespace warplens::hangs
