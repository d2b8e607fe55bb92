#include "warplens/cli/trace_checks.h"

#include <algorithm>

namespace warplens::cli {
namespace {

template <typename Values>
int64_t given(const Values& values) {
  return std::count_if(values.begin(), values.end(), [](StringId id) { return id != StringId::kEmpty; });
}

struct Data {
  const char* what;
  int64_t rows;
  const char* remedy;  // how to record it
};

}  // namespace

Table recorded_data(const Profile& p) {
  const auto rows = [](const auto& table) { return static_cast<int64_t>(table.size()); };
  const Data data[] = {
      {"operators and ranges", rows(p.operators), "profile(activities=[ProfilerActivity.CPU, ...])"},
      {"CUDA calls", rows(p.calls), "profile(activities=[..., ProfilerActivity.CUDA])"},
      {"kernels, copies and sets", rows(p.device_events), "profile(activities=[..., ProfilerActivity.CUDA])"},
      {"input shapes", given(p.operators.input_shapes), "profile(record_shapes=True)"},
      {"Python frames", rows(p.python_frames), "profile(with_stack=True)"},
      {"allocations", rows(p.allocations), "profile(profile_memory=True)"},
      {"synchronizations", rows(p.synchronizations),
       "profile(experimental_config=_ExperimentalConfig(enable_cuda_sync_events=True))"},
      {"collectives' sizes", rows(p.collectives), "recorded where NCCL kernels run"},
  };
  Table table{{{"what", "what"}, {"rows", "rows", Kind::kCount}, {"remedy", "how to record it"}}, {}};
  for (const Data& d : data)
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
