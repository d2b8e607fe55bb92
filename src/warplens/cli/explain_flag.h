// --explain, which the verbs that report findings share.
#pragma once
#include "warplens/cli/verb.h"
#include "warplens/explain/explanation.h"

namespace warplens::cli {

Flag explain_flag();
/// Prints the explanation of the finding that --explain names. A finding of `scope` precedes one of the same name.
Result<int> explain_finding(const Invocation& invocation, explain::Scope scope);

}  // namespace warplens::cli
