#include "warplens/cli/trace_checks.h"

#include <algorithm>
#include <vector>

#include "warplens/base/text.h"

namespace warplens::cli {
namespace {

template <typename Values>
int64_t given(const Values& values) {
  return std::count_if(values.begin(), values.end(), [](StringId id) { return id != StringId::kEmpty; });
}

struct Data {
  const char* what;
  int64_t rows;
  const char* remedy;       // how to record it
  bool rules_need = false;  // rules of `warplens findings` look at it
};

std::vector<Data> data_of(const Profile& p) {
  const auto rows = [](const auto& table) { return static_cast<int64_t>(table.size()); };
  return {
      {"operators and ranges", rows(p.operators), "profile(activities=[ProfilerActivity.CPU, ...])", true},
      {"CUDA calls", rows(p.calls), "profile(activities=[..., ProfilerActivity.CUDA])", true},
      {"kernels, copies and sets", rows(p.device_events), "profile(activities=[..., ProfilerActivity.CUDA])", true},
      {"input shapes", given(p.operators.input_shapes), "profile(record_shapes=True)", true},
      {"Python frames", rows(p.python_frames), "profile(with_stack=True)"},
      {"allocations", rows(p.allocations), "profile(profile_memory=True)", true},
      {"synchronizations", rows(p.synchronizations),
       "profile(experimental_config=_ExperimentalConfig(enable_cuda_sync_events=True))"},
      {"collectives' sizes", rows(p.collectives), "recorded where NCCL kernels run"},
  };
}

/// "input shapes, allocations": what no event of this profile tells.
std::string not_seen(const Profile& p) {
  std::vector<std::string> lacking;
  for (const Data& d : data_of(p)) {
    if (d.rows == 0 && d.rules_need) lacking.emplace_back(d.what);
  }
  return join(lacking, " and no ");
}

}  // namespace

std::string nothing_found(const Profile& p, bool judged, size_t left_out) {
  std::string out;
  if (!judged) {
    out = "No rule ran: no kernel or copy in this profile has a recorded launch.\n";
  } else {
    out = fmt::format("No {}findings in {} kernels, copies and sets, {} CUDA calls, {} operators and ranges.\n",
                      left_out > 0 ? "other " : "", p.device_events.size(), p.calls.size(), p.operators.size());
  }
  if (const std::string lacking = not_seen(p); !lacking.empty())
    out += fmt::format("The trace has no {}, and no rule judged these (`warplens doctor` shows how to record them).\n",
                       lacking);
  return out;
}

Table recorded_data(const Profile& p) {
  Table table{{{"what", "what"}, {"rows", "rows", Kind::kCount}, {"remedy", "how to record it"}}, {}};
  for (const Data& d : data_of(p))
    table.rows.push_back({std::string(d.what), d.rows, std::string(d.rows == 0 ? d.remedy : "")});
  return table;
}

Table integrity_issues(const Profile& profile) {
  static constexpr const char* kSeverities[] = {"info", "warning", "error"};
  std::vector<IntegrityIssue> issues = profile.integrity.issues();
  std::stable_sort(issues.begin(), issues.end(), [](const auto& a, const auto& b) { return a.severity > b.severity; });
  Table table{{{"id", "issue"},
               {"severity", "severity"},
               {"count", "count", Kind::kCount},
               {"detail", "detail"},
               {"advice", "advice"}},
              {}};
  for (const IntegrityIssue& issue : issues)
    table.rows.push_back({issue.id, std::string(kSeverities[static_cast<size_t>(issue.severity)]), issue.count,
                          issue.detail, issue.advice});
  return table;
}

}  // namespace warplens::cli
