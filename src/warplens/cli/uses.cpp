// Refuses flags that would be without effect, by each verb's table of uses.
#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/cli/verb.h"

namespace warplens::cli {
namespace {

bool lists(const std::string& flags, std::string_view flag) {
  const auto all = split(flags, ' ');
  return flags == "*" || std::ranges::find(all, flag) != all.end();
}

/// The first of `flags` that was given; "" without one.
std::string first_given(const std::string& flags, const Invocation& invocation) {
  for (const std::string_view flag : split(flags, ' ')) {
    if (!flag.empty() && invocation.has(flag)) return std::string(flag);
  }
  return "";
}

bool is_common(const Verb& verb, const std::string& flag) {
  return std::ranges::none_of(verb.flags, [&](const Flag& own) { return split(own.names, ',').back() == flag; });
}

const std::string kWriting = "--output --save --trace --keep --roofline-svg --line-svg --page --png --profile --junit";
const std::string kAlsoWriting = "--force --copy";  // they need no file of their own for --force

/// "it is for a launch file, a kernel in a file": the first three uses that take a flag.
template <typename Takes>
std::string uses_that(const Verb& verb, const Takes& takes) {
  std::vector<std::string> uses;
  for (const Use& use : verb.uses) {
    if (takes(use) && uses.size() < 3) uses.push_back(use.what);
  }
  return uses.empty() ? "leave it out" : "it is for " + join(uses, ", ");
}

/// What to do about a flag that the use does not take. A use that a flag chose is named by it.
std::string instead_of(const Verb& verb, const Use& use, const std::string& flag) {
  if (use.what.starts_with("--")) return "leave one of them out";
  return uses_that(verb, [&](const Use& other) { return lists(other.flags, flag); });
}

/// Where the emulator counts, which knows no other metrics than its own.
std::string about_metrics(const std::string& flag) {
  return flag == "--metric" || flag == "--set"
             ? ". An emulated launch always has the same metrics: --metrics prints them; others need a GPU"
             : "";
}

/// "--against FILE or --against-kernel NAME"
std::string with_values(const Verb& verb, const std::string& flags) {
  std::vector<std::string> out;
  for (const std::string_view name : split(flags, ' ')) {
    const auto flag =
        std::ranges::find_if(verb.flags, [&](const Flag& f) { return split(f.names, ',').back() == name; });
    const bool takes_value = flag != verb.flags.end() && !flag->value.empty();
    out.push_back(takes_value ? fmt::format("{} {}", name, flag->value) : std::string(name));
  }
  return join(out, " or ");
}

Status check_tie(const Verb& verb, const Tie& tie, const std::string& flag, const Invocation& invocation) {
  if (const std::string other = first_given(tie.without, invocation); !other.empty())
    return usage_error(fmt::format("{} has no effect with {}: leave one of them out", flag, other));
  if (!tie.needs.empty() && first_given(tie.needs, invocation).empty())
    return usage_error(fmt::format("{} has no effect alone: give {} as well{}", flag, with_values(verb, tie.needs),
                                   about_metrics(flag)));
  return {};
}

}  // namespace

bool writes_files(const std::string& flag) { return lists(kWriting, flag) || lists(kAlsoWriting, flag); }

Status check_use(const Verb& verb, const Invocation& invocation) {
  if (invocation.given.contains("--json") && invocation.given.contains("--format") &&
      invocation.text("--format") != "json")
    return usage_error("--json is --format json: leave one of them out");
  if (invocation.given.contains("--brief") && invocation.given.contains("--format") &&
      invocation.text("--format") != "json")
    return usage_error("--brief is JSON: leave --format out");
  if (invocation.given.contains("--junit") && !invocation.has("--fail-on"))
    return usage_error("--junit writes what --fail-on judges: give --fail-on as well");
  const auto use = std::ranges::find_if(verb.uses, [&](const Use& each) { return each.fits(invocation); });
  const bool writes = !first_given(kWriting, invocation).empty() || (use != verb.uses.end() && use->saves);
  if (invocation.given.contains("--force") && verb.prints == Prints::kData && !writes)
    return usage_error("--force overwrites the file of -o: give -o FILE as well");
  if (use == verb.uses.end()) return {};
  for (const std::string& flag : invocation.given) {
    if (use->plain && lists("--format --json --full-names", flag))
      return usage_error(fmt::format("{} has no effect with {}, which prints no table: {}", flag, use->what,
                                     uses_that(verb, [](const Use& other) { return !other.plain; })));
    if (!is_common(verb, flag) && !lists(use->flags, flag))
      return usage_error(fmt::format("{} has no effect with {}: {}{}", flag, use->what, instead_of(verb, *use, flag),
                                     contains(use->what, "emulated") ? about_metrics(flag) : ""));
    for (const Tie& tie : use->ties) {
      if (lists(tie.flags, flag)) WL_TRY(check_tie(verb, tie, flag, invocation));
    }
  }
  return {};
}

}  // namespace warplens::cli
