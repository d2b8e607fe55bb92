// The rules, one a file under rules/. A rule looks at one rank's program and returns a finding, or nothing.
#pragma once
#include <optional>
#include <vector>

#include "warplens/program/findings/context.h"

namespace warplens::findings {

struct Rule {
  const char* id;
  std::optional<Finding> (*check)(const Context&);
};

/// All rules; their order only decides ties.
const std::vector<Rule>& all_rules();

#define WL_RULE(id, function) std::optional<Finding> function(const Context& context);
#include "warplens/program/findings/rules.def"
#undef WL_RULE

}  // namespace warplens::findings
