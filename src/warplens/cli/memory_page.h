// PyTorch's memory snapshots: their words and tables, and as pages for a browser.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "warplens/memory/analysis.h"
#include "warplens/output/table.h"
#include "warplens/page/page.h"

namespace warplens::cli {

inline constexpr const char* kNoMemoryFindings =
    "no leak that steps show, no segments made again, no out-of-memory, little fragmentation";

inline constexpr const char* kNoGpuMemory =
    "the snapshot has no GPU memory. Nothing was allocated, or the process did not use CUDA";

/// The memory that was reserved, allocated and free when the snapshot was taken.
std::string memory_state_text(const memory::DeviceMemory& device);
std::string memory_peak_text(const memory::DeviceMemory& device);
/// Holders at the peak, the largest `limit` of them.
Table memory_owners_table(const memory::DeviceMemory& device, size_t limit);
/// A row each of `slices`, numbered as `unit` from 1 on.
Table memory_slices_table(const std::vector<memory::Slice>& slices, const char* unit);
/// Growth by step; by equal parts of the events where no steps are known.
Table memory_growth_table(const memory::DeviceMemory& device);
std::string memory_growth_title(const memory::DeviceMemory& device);
/// The parts of the snapshot that could not be read; empty if all could.
std::vector<std::string> memory_left_out(const memory::Snapshot& snapshot);

/// Whether the file at `path` begins as a pickle does.
bool is_memory_snapshot(const std::string& path);

/// Errors: cannot be read; no snapshot; one without GPU memory.
Result<page::Page> memory_page(const std::string& path, const std::string& title);

}  // namespace warplens::cli
