// The flag that extends the classes of kernels, shared by the verbs that show them.
#pragma once
#include "warplens/cli/verb.h"
#include "warplens/program/analysis/classify/rules.h"

namespace warplens::cli {

Flag classes_flag();
/// The shipped rules, those of --classes FILE before them.
Result<analysis::ClassRules> chosen_rules(const Invocation& invocation);

}  // namespace warplens::cli
