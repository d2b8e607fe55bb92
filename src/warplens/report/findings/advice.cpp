#include "warplens/report/findings/advice.h"

#include <string_view>
#include <utility>

namespace warplens::report {

void advise_in_triton(std::vector<Finding>* findings) {
  static constexpr std::pair<std::string_view, std::string_view> kAdvice[] = {
#define WL_TRITON_ADVICE(finding, advice) {finding, advice},
#include "warplens/report/findings/advice.def"
#undef WL_TRITON_ADVICE
  };
  for (Finding& finding : *findings) {
    for (const auto& [id, advice] : kAdvice) {
      if (finding.id == id) finding.advice = advice;
    }
  }
}

}  // namespace warplens::report
