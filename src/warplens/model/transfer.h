// Copies between host and device; copies within the device and fills, which the driver does by kernels of its own.
#pragma once
#include "warplens/model/work.h"

namespace warplens::model {

/// Bytes a ns of pinned copies between host and device: PCIe 5 from Hopper on, 4 for Ampere and Ada, 3 before.
double link_rate(int compute_major);
/// Such a copy. From or to pageable memory, the driver copies by pinned memory of its own.
double host_copy_ns(double bytes, int compute_major, bool pageable);

/// A kernel that reads sectors, `warm` of them from L2, and writes others.
Work transfer_work(double read_sectors, double warm_sectors, double written_sectors);

}  // namespace warplens::model
