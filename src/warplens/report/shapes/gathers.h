// Requests at addresses that loaded data give: tables, graphs, sparse matrices, hash tables.
#pragma once
#include <vector>

#include "warplens/run/sass/machine.h"

namespace warplens::report {

/// Marks loads and stores of device memory at indices that the same turn of their loop has loaded. They move more
/// sectors than their bytes need, and each index brings less than a sector. So no other order of threads brings the
/// lanes together.
std::vector<bool> find_gathers(const simt::sass_machine::Program& program,
                               const simt::sass_machine::MachineCounts& counts);

}  // namespace warplens::report
