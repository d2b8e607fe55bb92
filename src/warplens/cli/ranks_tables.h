// Ranks of one job and their collectives as tables and words.
#pragma once
#include <string>
#include <vector>

#include "warplens/output/table.h"
#include "warplens/program/analysis/ranks/waiting.h"

namespace warplens::cli {

Table ranks_table(const analysis::RankAnalysis& analysis);
/// These collectives, a row each.
Table collective_table(const analysis::RankAnalysis& analysis, const std::vector<analysis::CollectiveCost*>& shown);

/// The rank that makes the others wait, and its activity meanwhile.
std::string ranks_headline(const analysis::RankAnalysis& analysis);
/// Collectives that were not compared, and why; "" where all were.
std::string ranks_left_out(const analysis::RankAnalysis& analysis);

}  // namespace warplens::cli
