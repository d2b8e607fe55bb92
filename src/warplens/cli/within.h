// WARPLENS_WITHIN: the program opens only files in this folder, and its own.
#pragma once
#include "warplens/base/status.h"

namespace warplens::cli {

/// Confines this process to the folder that WARPLENS_WITHIN names; does nothing if it is not set.
Status stay_within();

}  // namespace warplens::cli
