// WARPLENS_WITHIN: the folder outside of which the program opens no files but those that it is made of.
#pragma once
#include "warplens/base/status.h"

namespace warplens::cli {

/// Confines this process to the folder that WARPLENS_WITHIN names; nothing where it is not set.
Status stay_within();

}  // namespace warplens::cli
