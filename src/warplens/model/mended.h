// Launches with several defects fixed at once.
#pragma once
#include "warplens/model/work.h"

namespace warplens::model {

/// `now` with the changes of both `first` and `second`. A count that both lower, or both raise, takes the larger
/// change: two fixes for the same sectors or instructions save them once.
Work with_both(const Work& now, const Work& first, const Work& second);

}  // namespace warplens::model
