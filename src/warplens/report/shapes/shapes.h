// Shapes of algorithms that another algorithm computes with less, told from the data flow of machine code.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "warplens/isa/cubin/cubin.h"
#include "warplens/run/sass/machine.h"

namespace warplens::report {

enum class ShapeKind : uint8_t {
  kSquaredDifferences,  // sums of (a - b)^2, where both a and b change from term to term
  kWindow,              // sums over rows of rows, whose weights are products of one of the row and one of the column
  kSerialScan           // results that each depend on the one before: running sums, recurrences
};

struct Shape {
  ShapeKind kind = ShapeKind::kSquaredDifferences;
  std::string file;
  uint32_t line = 0;
  uint64_t terms = 0;              // of all threads
  double length = 0;               // terms of one sum; of a scan, results that a thread stores one after another
  double row = 0;                  // of a window: terms of one row
  uint64_t warp_instructions = 0;  // that ran in the loops about it, with all else that they do
};

/// Costliest first. Only what ran; what cannot be followed is left out.
std::vector<Shape> find_shapes(const simt::sass_machine::Program& program,
                               const simt::sass_machine::MachineCounts& counts,
                               const std::vector<cubin::SourceLine>& source);

}  // namespace warplens::report
