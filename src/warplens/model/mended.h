// Launches with several things mended at once.
#pragma once
#include "warplens/model/work.h"

namespace warplens::model {

/// `now` with what `first` and `second` changed of it. A count that both lower, or both raise, is changed by the one
/// that changes it more: two remedies for the same sectors or instructions spare them once.
Work with_both(const Work& now, const Work& first, const Work& second);

}  // namespace warplens::model
