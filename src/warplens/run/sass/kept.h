// True if the results of a run may stay in memory: only if every instruction is executed to the last bit.
#pragma once
#include <string>

#include "warplens/run/sass/run.h"

namespace warplens::simt::sass_machine {

/// The part of the launch that is not executed to the last bit; empty if all of it is.
std::string why_not_kept(const Run& run, const MachineLaunch& launch);

}  // namespace warplens::simt::sass_machine
