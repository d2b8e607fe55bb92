// The screen that `summary` shows, and `record` at its end.
#pragma once
#include <string>
#include <vector>

#include "warplens/program/analysis/classify/rules.h"
#include "warplens/program/analysis/links.h"
#include "warplens/program/analysis/summary/summary_text.h"
#include "warplens/program/findings/counted/counted_kernels.h"

namespace warplens::cli {

/// True if the screen opens with the results of `findings`.
enum class Headlines : uint8_t { kNever, kUnlessMany, kAlways };

/// The data of the page; refers to `profile`, which must outlive it.
class Screen {
 public:
  /// `counted`: for the headlines; empty without counters.
  Screen(const Profile& profile, const analysis::ClassRules& rules, size_t limit, Headlines headlines,
         findings::CountedKernels counted = {});
  analysis::SummaryPage page() const;

 private:
  void judge(Headlines wanted, findings::CountedKernels counted);

  const Profile& profile_;
  size_t limit_;
  analysis::RowLinks operator_of_event_;
  std::vector<std::string> headlines_;
  std::string note_;
  analysis::Summary summary_;
};

}  // namespace warplens::cli
