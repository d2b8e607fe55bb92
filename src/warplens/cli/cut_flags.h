// The flags that choose a part of a trace, the same for every verb that reads one.
#pragma once
#include <string>
#include <vector>

#include "warplens/cli/verb.h"
#include "warplens/program/analysis/cut/cut.h"

namespace warplens::cli {

/// A verb's own flags, followed by those that cut.
std::vector<Flag> with_cut_flags(std::vector<Flag> own);

/// Their names, as a verb's uses list flags.
std::string cut_flag_names();

/// The values of those flags. Errors: no such number, time or range.
Result<analysis::Cut> chosen_cut(const Invocation& invocation);

/// The part of a profile that they leave.
Result<Profile> cut_as_asked(const Invocation& invocation, Profile profile);

/// Reads the traces and cuts them.
Result<Profile> read_cut(const Invocation& invocation, const std::vector<std::string>& paths);

}  // namespace warplens::cli
