#include "warplens/isa/ptx/names.h"

#include <string>

namespace warplens::ptx {
namespace {

/// Splits "%r12" into "%r" and 12; no number when there are no digits, a leading zero, or too many.
bool split_number(std::string_view name, std::string_view& prefix, uint32_t& number) {
  size_t digits = 0;
  while (digits < name.size() && name[name.size() - 1 - digits] >= '0' && name[name.size() - 1 - digits] <= '9') {
    ++digits;
  }
  if (digits == 0 || digits > 8) return false;
  prefix = name.substr(0, name.size() - digits);
  if (digits > 1 && name[prefix.size()] == '0') return false;
  number = 0;
  for (char c : name.substr(prefix.size())) number = number * 10 + (c - '0');
  return true;
}

}  // namespace

const Meaning* Names::find(std::string_view name) {
  std::string_view prefix;
  uint32_t number = 0;
  const bool numbered = split_number(name, prefix, number);
  for (size_t i = scopes_.size(); i-- > 0;) {
    const Scope& scope = scopes_[i];
    if (numbered && !scope.ranges.empty()) {
      const auto range = scope.ranges.find(prefix);
      if (range != scope.ranges.end() && number < range->second.count) {
        in_range_ = {Meaning::kRegister, SymbolKind::kGlobal, range->second.id + number, 1};
        return &in_range_;
      }
    }
    if (scope.names.empty()) continue;
    const auto found = scope.names.find(name);
    if (found != scope.names.end()) return &found->second;
  }
  return nullptr;
}

const Meaning* Names::find_innermost(std::string_view name) const {
  const auto found = scopes_.back().names.find(name);
  return found == scopes_.back().names.end() ? nullptr : &found->second;
}

std::vector<std::string> Names::all() const {
  std::vector<std::string> names;
  for (const auto& scope : scopes_) {
    for (const auto& [name, meaning] : scope.names) names.emplace_back(name);
  }
  return names;
}

}  // namespace warplens::ptx
