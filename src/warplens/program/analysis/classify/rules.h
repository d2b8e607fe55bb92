// Rules that put kernels into classes. The shipped rules are text in the same form as a user's file.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/base/status.h"

namespace warplens::analysis {

/// A class of kernels: its number among ClassRules::names.
using ClassId = uint8_t;

/// The first names of every rule set; user files may add more.
inline constexpr ClassId kUnrecognised = 0, kCommunication = 1, kCopy = 2;

enum class RuleField : uint8_t {
  kRange,     // a range anywhere around the launch
  kOperator,  // the operator that launched it; after the kernel's name, those around that one
  kKernel,    // the kernel's own name
  kTensor,    // the kernel's name again: whether it runs on tensor cores ("yes", "no")
};

struct Rule {
  RuleField field;
  std::string glob;  // in lower case; * any text, ? one character; "@communication": kernels that talk to other ranks
  ClassId value;     // class; for kTensor 1 yes, 0 no
};

struct ClassRules {
  std::vector<std::string> names;
  std::vector<Rule> rules;  // the first that fits wins

  /// The class of the first rule of `field` that fits `text`, or -1.
  int find(RuleField field, std::string_view text) const;
};

/// The shipped rules, `user_rules` before them: lines of FIELD GLOB CLASS, '#' starting a comment. FIELD is range,
/// operator, kernel or tensor. Errors name the line.
Result<ClassRules> class_rules(std::string_view user_rules);

std::string_view shipped_rules();

/// Whether the whole of `text` fits `glob`, without regard to case.
bool fits_glob(std::string_view glob, std::string_view text);

}  // namespace warplens::analysis
