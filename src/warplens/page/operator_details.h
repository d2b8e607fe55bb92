// A page's details about the operator of a span: shapes, module, pass, stack.
#pragma once
#include <string>
#include <vector>

#include "warplens/program/analysis/causes.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::page {

class OperatorDetails {
 public:
  /// Both must outlive it.
  OperatorDetails(const Profile& profile, const analysis::Causes& causes);

  /// A line each: "shapes: ...", "module: ...", "pass: backward of aten::linear", "stack: ..."; fields that were not
  /// recorded are left out. `op` is a row of operators.
  const std::string& of(uint32_t op);

 private:
  std::string describe(uint32_t op) const;
  std::string stack(uint32_t cause) const;

  const Profile& p_;
  const analysis::Causes& causes_;
  analysis::Forest frames_;
  std::vector<uint32_t> frame_of_;  // empty without Python stacks
  std::vector<std::string> known_;
};

}  // namespace warplens::page
