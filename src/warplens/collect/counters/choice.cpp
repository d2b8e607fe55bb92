#include "warplens/collect/counters/choice.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>

namespace warplens::collect {

std::optional<std::regex> kernel_regex(const std::string& kernel) {
  constexpr std::string_view kPrefix = "regex:";
  if (!kernel.starts_with(kPrefix)) return {};
  return std::regex(kernel.substr(kPrefix.size()), std::regex::ECMAScript | std::regex::nosubs);
}

Choice::Choice(const ChoiceRules& rules) : rules_(rules), regex_(kernel_regex(rules.kernel)) {}

std::vector<std::string> names_to_match(const std::string& mangled) {
  std::vector<std::string> out = {mangled};
  int status = 0;
  char* text = abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status);
  if (status != 0 || text == nullptr) return out;
  std::string full = text;
  std::free(text);
  out.push_back(full);
  constexpr std::string_view kAnonymous = "(anonymous namespace)";
  for (size_t at; (at = full.find(kAnonymous)) != std::string::npos;) full.replace(at, kAnonymous.size(), "anonymous");
  std::string qualified = full.substr(0, full.find_first_of("<("));
  if (const size_t space = qualified.rfind(' '); space != std::string::npos) qualified.erase(0, space + 1);
  out.push_back(qualified);
  if (const size_t colon = qualified.rfind(':'); colon != std::string::npos) out.push_back(qualified.substr(colon + 1));
  return out;
}

bool Choice::matches(const std::string& mangled) {
  if (rules_.kernel.empty()) return true;
  const auto [known, is_new] = known_.try_emplace(mangled, false);
  if (!is_new) return known->second;
  const std::vector<std::string> names = names_to_match(mangled);
  return known->second = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
           return regex_ ? std::regex_search(name, *regex_) : matches_glob(rules_.kernel, name);
         });
}

bool Choice::take(const std::string& mangled, bool in_range) {
  if (done() || (wants_ranges() && !in_range) || !matches(mangled)) return false;
  if (matched_++ < rules_.skip) return false;
  ++taken_;
  return true;
}

}  // namespace warplens::collect
