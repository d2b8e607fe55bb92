// Where operators spend their time: a row an operator name, every device nanosecond in exactly one row.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "warplens/base/status.h"
#include "warplens/program/analysis/causes.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::analysis {

enum class RowKind : uint8_t { kOperator, kRange, kKernel };

struct OperatorRow {
  std::string name;
  RowKind kind = RowKind::kOperator;
  std::string input_shapes, stack;  // empty unless grouped by them
  std::string dtype;                // element types of the calls' inputs, the first seen first: "c10::BFloat16, float"
  int64_t count = 0;
  int64_t cpu_ns = 0;                                 // in calls that are not inside a call of the same name
  int64_t self_cpu_ns = 0;                            // without operators and ranges inside
  int64_t device_ns = 0;                              // of all that was launched within, counted once
  int64_t self_device_ns = 0;                         // launched by the operator itself
  int64_t kernels = 0;                                // device events launched by the operator itself
  double flops = 0;                                   // of matrix products, convolutions and attention within
  int64_t flops_device_ns = 0;                        // device time of the calls that did them
  int64_t self_device_bytes = 0, self_cpu_bytes = 0;  // allocated minus freed by the operator itself
  int64_t device_bytes = 0, cpu_bytes = 0;            // and by all within
};

struct OperatorTableOptions {
  bool by_shape = false;
  size_t by_stack = 0;  // group by that many innermost Python frames that are not builtins
};

struct OperatorTable {
  std::vector<OperatorRow> rows;  // largest self device time first, then self CPU time
  int64_t device_ns = 0;          // sum of self_device_ns: all kernels, copies and sets
  int64_t root_cpu_ns = 0;        // sum of self_cpu_ns: all outermost operators and ranges
};

/// Kernels of CUDA graphs, of compiled regions, and those that no operator launched are rows of their own.
OperatorTable operator_table(const Profile& profile, const Causes& causes, const OperatorTableOptions& options);

/// Sorts by a column: torch's names and those of the JSON, "cuda" and "device" meaning the same.
Status sort_operator_rows(std::vector<OperatorRow>& rows, const std::string& key);

/// The sums below each operator of its own values and those of its children.
std::vector<double> inclusive_flops(const Profile& profile, const Forest& operators);

/// Kernels launched through this range or operator are the compiled region's own, each worth a row.
bool is_compiled_region(std::string_view operator_name);

}  // namespace warplens::analysis
