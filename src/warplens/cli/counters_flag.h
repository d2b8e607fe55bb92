// --counters of the verbs that show findings of profiles.
#pragma once
#include "warplens/cli/verb.h"
#include "warplens/program/findings/counted/counted_kernels.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::cli {

Flag counters_flag();
/// The flag's files, joined to the kernels of the profile; empty without the flag. Errors: a file that holds no
/// counters.
Result<findings::CountedKernels> joined_counters(const Invocation& invocation, const Profile& profile);

}  // namespace warplens::cli
