// Running a plan of cuFFT.
#pragma once
#include "warplens/libraries/cufft/plan.h"
#include "warplens/libraries/queue/queue.h"

namespace warplens::libraries {

/// `sign`: of the exponent. Errors: as queue()'s.
int queue_transform(const FftPlan& plan, const void* in, void* out, int sign);

}  // namespace warplens::libraries
