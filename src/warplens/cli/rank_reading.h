// Reads the ranks of a job a file at a time, several at once. Memory holds one trace for each thread, and a digest of
// every other one.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "warplens/cli/verb.h"
#include "warplens/program/analysis/ranks/waiting.h"

namespace warplens::cli {

struct ReadRanks {
  Profile profile;  // the digests, one after the other
  std::vector<analysis::RankFacts> facts;
  struct File {
    std::string path;
    uint32_t first_event = 0;  // row of profile.device_events
  };
  std::vector<File> files;                                    // that were read
  std::vector<std::pair<std::string, std::string>> left_out;  // files of folders that could not be: and why
};

/// A folder means the files in it. Error: a named file cannot be read, or no file of a folder can.
Result<ReadRanks> read_ranks(const std::vector<std::string>& paths);

/// Sets CollectiveCost::late_host of these collectives, from the traces themselves.
void tell_hosts(const ReadRanks& ranks, const std::vector<analysis::CollectiveCost*>& collectives);

}  // namespace warplens::cli
