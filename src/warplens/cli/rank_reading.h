// The ranks of a job read a file at a time, several at once: memory holds as many traces as there are threads, and a
// digest of each of the others.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "warplens/cli/verb.h"
#include "warplens/program/analysis/ranks/waiting.h"

namespace warplens::cli {

struct ReadRanks {
  Profile profile;  // the digests, one behind the other
  std::vector<analysis::RankFacts> facts;
  struct File {
    std::string path;
    uint32_t first_event = 0;  // row of profile.device_events
  };
  std::vector<File> files;                                    // that were read
  std::vector<std::pair<std::string, std::string>> left_out;  // files of folders that could not be: and why
};

/// A folder stands for the files in it. Error: a file that was named cannot be read, or none of a folder's can.
Result<ReadRanks> read_ranks(const std::vector<std::string>& paths);

/// Tells CollectiveCost::late_host of these collectives, from the traces themselves.
void tell_hosts(const ReadRanks& ranks, const std::vector<analysis::CollectiveCost*>& collectives);

}  // namespace warplens::cli
