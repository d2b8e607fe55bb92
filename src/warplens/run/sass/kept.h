// Whether the results of a run may stay in memory: only where every instruction is followed to the last bit.
#pragma once
#include <string>

#include "warplens/run/sass/machine.h"

namespace warplens::simt::sass_machine {

/// What of the launch is not followed to the last bit; empty when all of it is.
std::string why_not_kept(const Run& run, const MachineLaunch& launch);

}  // namespace warplens::simt::sass_machine
