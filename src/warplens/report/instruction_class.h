// What a machine instruction is to the counters.
#pragma once
#include "warplens/report/metric_list.h"
#include "warplens/run/sass/word.h"

namespace warplens::report {

enum class Class {
  kOther,
  kGlobalLoad,
  kGlobalStore,
  kLocalLoad,
  kLocalStore,
  kSharedLoad,
  kSharedStore,
  kSharedAtomic,
  kAtomic,
  kReduction,
  kGenericLoad,
  kGenericStore,
  kBulkLoad,
  kBulkStore,
  kBulkReduction
};

Class class_of(const simt::sass_machine::Word& word);
bool is_compare_and_swap(const simt::sass_machine::Word& word);

/// FLOPs of one warp's matrix instruction: products and sums of 16 rows.
double matrix_flops(const simt::sass_machine::Word& word);

void add_by_class(const simt::sass_machine::Word& word, const simt::InstructionCounts& counts, ClassCounts* out);

/// A generic access, by where its lanes went.
struct GenericCounts {
  simt::InstructionCounts global, shared;
};
GenericCounts split_generic(const simt::InstructionCounts& counts);

}  // namespace warplens::report
