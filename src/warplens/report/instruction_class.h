// The class of a machine instruction for the counters.
#pragma once
#include "warplens/isa/sass/instructions.h"
#include "warplens/report/metric_list.h"

namespace warplens::report {

/// Bytes of a lane's load or store, by the code of its width in the instruction's word.
inline constexpr uint32_t kLaneBytes[] = {1, 1, 2, 2, 4, 8, 16, 0};

/// FLOPs of one warp's matrix instruction: products and sums of 16 rows.
double matrix_flops(sass::Opcode opcode, const sass::Word& word);
/// FLOPs of products of halves that tensor cores do in the time at their full rate: bytes go twice as fast, TF32 half.
double matrix_time_flops(sass::Opcode opcode, const sass::Word& word);
/// Unused capacity on Hopper: only warp groups reach its full rate. Measured on an H200.
double lost_matrix_flops(sass::Opcode opcode, const sass::Word& word);

void add_by_class(const sass::Instruction& instruction, const sass::Word& word, const simt::InstructionCounts& counts,
                  ClassCounts* out);

/// A generic access, by where its lanes went.
struct GenericCounts {
  simt::InstructionCounts global, shared, local;
};
GenericCounts split_generic(const simt::InstructionCounts& counts);

}  // namespace warplens::report
