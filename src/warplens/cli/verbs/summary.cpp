// warplens summary: one screen that says where the time goes.
#include "warplens/cli/class_flags.h"
#include "warplens/cli/counters_flag.h"
#include "warplens/cli/cut_flags.h"
#include "warplens/cli/profile_report.h"
#include "warplens/cli/summary_screen.h"
#include "warplens/cli/verb.h"

namespace warplens::cli {
namespace {

Result<int> run_summary(const Invocation& invocation) {
  WL_ASSIGN(const size_t limit, invocation.count("--limit"));
  WL_ASSIGN(const analysis::ClassRules rules, chosen_rules(invocation));
  WL_ASSIGN(const Profile profile, read_cut(invocation, invocation.operands));
  const Headlines headlines = invocation.has("--no-findings")                                ? Headlines::kNever
                              : invocation.has("--findings") || invocation.has("--counters") ? Headlines::kAlways
                                                                                             : Headlines::kUnlessMany;
  WL_ASSIGN(findings::CountedKernels counted, joined_counters(invocation, profile));
  const Screen screen(profile, rules, limit, headlines, std::move(counted));
  const analysis::SummaryPage page = screen.page();
  const ProfileReport report(invocation, profile);
  if (invocation.format() == Format::kJson)
    WL_TRY(report.json([&](json::Writer& writer) { analysis::write_members(writer, page); }));
  else WL_TRY(report.table(analysis::share_table(page), analysis::to_terminal(page)));
  return kExitOk;
}

}  // namespace

extern const Verb kSummary;
const Verb kSummary = {
    "summary",
    "show busy time, top kernels and top operators",
    "PROFILE...",
    "Begins with the data that the trace has and lacks. Busy time is the union of all kernels, copies and sets. "
    "Classes, kernels and operators each add up to all GPU time. Several files, one per rank, are shown side by side.",
    with_cut_flags({{"--limit", "N", "kernels and operators shown", "5"},
                    {"--no-findings", "", "leave out the headlines of `warplens findings`"},
                    {"--findings", "",
                     "show findings also for profiles of more than 250 k device events, where they take most of the "
                     "time"},
                    counters_flag(),
                    classes_flag()}),
    {{"warplens trace.json.gz", "the same as warplens summary trace.json.gz"},
     {"warplens summary rank0.json.gz rank1.json.gz", "a line per rank, and all ranks together"},
     {"warplens summary trace.json.gz --json", "for scripts"}},
    run_summary,
    {{"profiles", [](const Invocation&) { return true; }, "*", {{"--findings --counters", "", "--no-findings"}}}}};

}  // namespace warplens::cli
