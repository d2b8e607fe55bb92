// Which launches are counted: by kernel name, by NVTX range, by number.
#pragma once
#include <cstdint>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "warplens/base/glob.h"

namespace warplens::collect {

/// All names of a kernel: mangled, demangled in full, qualified ("at::native::copy"), alone ("copy").
std::vector<std::string> names_to_match(const std::string& mangled);

struct ChoiceRules {
  std::string kernel;  // a glob over one of names_to_match(); "regex:..." a regular expression in any of them; "": all
  std::string range;   // a glob over the names of open NVTX ranges; "": anywhere
  uint64_t skip = 0;   // of those that match
  uint64_t count = 0;  // at most; 0: all
};

/// ChoiceRules::kernel as a regular expression. Throws std::regex_error if it is not one.
std::optional<std::regex> kernel_regex(const std::string& kernel);

class Choice {
 public:
  explicit Choice(const ChoiceRules& rules);

  /// Takes the next launch of a kernel; `in_range`: the thread is in the NVTX range.
  bool take(const std::string& mangled, bool in_range);
  /// No further launch will be chosen.
  bool done() const { return rules_.count > 0 && taken_ >= rules_.count; }
  bool wants_ranges() const { return !rules_.range.empty(); }
  bool is_range(std::string_view name) const { return matches_glob(rules_.range, name); }

 private:
  bool matches(const std::string& mangled);

  ChoiceRules rules_;
  std::optional<std::regex> regex_;
  uint64_t matched_ = 0, taken_ = 0;
  std::unordered_map<std::string, bool> known_;  // by mangled name
};

}  // namespace warplens::collect
