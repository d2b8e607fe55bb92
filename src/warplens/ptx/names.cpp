#include "warplens/ptx/names.h"

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
    if (scopes_[i].empty()) continue;
    if (numbered) {
      const auto range = scopes_[i].find(prefix);
      if (range != scopes_[i].end() && range->second.kind == Meaning::kRange && number < range->second.count) {
        in_range_ = {Meaning::kRegister, SymbolKind::kGlobal, range->second.id + number, 1};
        return &in_range_;
      }
    }
    const auto found = scopes_[i].find(name);
    if (found != scopes_[i].end() && found->second.kind != Meaning::kRange) return &found->second;
  }
  return nullptr;
}

const Meaning* Names::find_innermost(std::string_view name) const {
  const auto found = scopes_.back().find(name);
  return found == scopes_.back().end() ? nullptr : &found->second;
}

std::vector<std::string> Names::all() const {
  std::vector<std::string> names;
  for (const auto& scope : scopes_) {
    for (const auto& [name, meaning] : scope) names.emplace_back(name);
  }
  return names;
}

}  // namespace warplens::ptx
