// Copies within the device and fills, which the driver does by kernels of its own.
#pragma once
#include "warplens/model/work.h"

namespace warplens::model {

/// A kernel that reads sectors, `warm` of them from L2, and writes others.
Work transfer_work(double read_sectors, double warm_sectors, double written_sectors);

}  // namespace warplens::model
