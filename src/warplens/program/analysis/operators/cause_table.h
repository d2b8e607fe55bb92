// Device time by the code that caused it: module, source line, annotation, kernel or class. Work of the backward pass
// is charged to its forward operator.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "warplens/program/analysis/causes.h"
#include "warplens/program/analysis/classify/classify.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::analysis {

enum class CauseBy : uint8_t { kModule, kLine, kAnnotation, kKernel, kClass };

struct CauseRow {
  std::string name;
  std::string class_name;  // of kernels
  TensorUse tensor_use = TensorUse::kUnknown;
  int64_t count = 0;                                       // kernels, copies and sets
  int64_t device_ns = 0, forward_ns = 0, backward_ns = 0;  // forward: all that is not backward
  int64_t longest_ns = 0;
};

struct CauseTable {
  std::vector<CauseRow> rows;  // largest device time first
  int64_t device_ns = 0;       // sum over the rows: all kernels, copies and sets
  std::string missing;         // the data that a better answer needs, and how to record it; may be empty
};

/// `depth` cuts module paths to that many levels; 0 keeps them whole.
CauseTable cause_table(const Profile& profile, const Causes& causes, const Classes& classes, const ClassRules& rules,
                       CauseBy by, size_t depth);

}  // namespace warplens::analysis
