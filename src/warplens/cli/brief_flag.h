// --brief: a verb's report in at most 2 KB, for scripts and agents.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "warplens/cli/verb.h"

namespace warplens::cli {

Flag brief_flag();
/// Whether the verb has the flag: verbs that serve, or hand all arguments on, do not.
bool has_brief(const Verb& verb);
/// Whether `arguments` ask for it, also where they cannot be parsed.
bool asks_for_brief(const Verb& verb, const std::vector<std::string>& arguments);

/// Runs the verb with its report in the file of -o, or in a temporary one, and prints the brief of the report. run: the
/// verb's exit code, after it reported its errors. The brief's exit code is the same.
int run_brief(const Verb& verb, const Invocation& invocation, const std::function<int(const Invocation&)>& run);
/// The brief of a run that failed before it began.
int brief_of_failure(const Verb& verb, int exit_code);

}  // namespace warplens::cli
