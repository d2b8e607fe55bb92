#include "warplens/cli/explain_flag.h"

#include "warplens/output/terminal.h"

namespace warplens::cli {

Flag explain_flag() {
  return {"--explain", "FINDING",
          "explain a finding: its meaning, evidence, remedy, and the formula of its saving; all: every finding"};
}

Result<int> explain_finding(const Invocation& invocation, explain::Scope scope) {
  WL_ASSIGN(const std::string text,
            explain::explain(invocation.text("--explain"), scope, invocation.format(), terminal_width()));
  WL_TRY(invocation.emit_for_people(text));
  return kExitOk;
}

}  // namespace warplens::cli
