// The meaning of every finding: one table, the source of --explain, the documentation and SARIF's rules.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "warplens/base/status.h"
#include "warplens/output/table.h"

namespace warplens::explain {

/// The scope of a finding. A recorded program, one kernel's counters, an emulated launch that failed, a memory
/// snapshot, or the dumps of a job that hangs.
enum class Scope : uint8_t { kProgram, kKernel, kCheck, kMemory, kHang };
std::string_view name(Scope scope);

struct Explanation {
  Scope scope;
  std::string_view id;     // "bank-conflict"; unique within its scope
  std::string_view title;  // one line
  std::string_view meaning;
  std::string_view evidence;  // the meaning of its numbers
  std::string_view advice;
  std::string_view saving;  // how it is computed, or why there is none
};

/// The best public explanation of the cause; "" if only warplens reports it.
std::string_view link_of(std::string_view id);

/// In the order of the documentation.
const std::vector<Explanation>& all_explanations();

/// The one of `scope`, else that of another scope; nullptr for an unknown id.
const Explanation* find_explanation(std::string_view id, Scope scope);

/// The text of --explain for `id`, or for every finding if it is "all". The error names the nearest id.
Result<std::string> explain(std::string_view id, Scope scope, Format format, size_t width);

}  // namespace warplens::explain
