// The summary as people and scripts read it.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "warplens/output/table.h"
#include "warplens/program/analysis/summary/summary.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::analysis {

struct SummaryPage {
  const Profile& profile;
  const Summary& summary;
  std::vector<std::string> headlines;  // of the findings, a line each
  std::string findings_note;           // why there are none, if they were not searched
  size_t limit = 5;                    // kernels and operators shown
  size_t width = 100;                  // columns of the terminal
};

/// True if the profile is a part of a recording, such as one step.
bool is_cut(const Profile& profile);
/// The time in which a GPU could be busy, ns. For a cut, it begins with the first event. A step's host part may begin
/// long before, while the GPU still runs work that the cut left out.
int64_t busy_span_ns(const SummaryPage& page, const RankSummary& rank, const DeviceSummary& device);

std::string to_terminal(const SummaryPage& page);
/// As members of an object that the writer is in.
void write_members(json::Writer& writer, const SummaryPage& page);
/// The lines that open the screen, a label and a text each: "device", "NVIDIA H200, 132 SMs, 140 GiB".
std::vector<std::pair<std::string, std::string>> summary_facts(const SummaryPage& page);
/// One line a rank and device.
Table rank_table(const SummaryPage& page);
/// One line a phase of serving.
Table phase_table(const SummaryPage& page);
/// One line a class, kernel or operator: the output of --format csv and md.
Table share_table(const SummaryPage& page);

}  // namespace warplens::analysis
