// Executions of machine instructions by kind and by unit, under Nsight Compute's names.
#pragma once
#include <span>

#include "warplens/isa/sass/instructions.h"

namespace warplens::report {

struct ExecutedMetric {
  const char* name;
  bool (*holds)(const sass::Instruction& instruction);
  bool by_unit;  // the assignment to units was found on an H200, and differs between architectures
};

/// Which instructions each counts was found from 143 launches on an H200, instruction by instruction.
std::span<const ExecutedMetric> executed_metrics();

}  // namespace warplens::report
