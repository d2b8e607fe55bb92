// The verbs, and the flags that they share.
#include <algorithm>

#include "warplens/cli/brief_flag.h"
#include "warplens/cli/gate.h"
#include "warplens/cli/verb.h"

namespace warplens::cli {

#define WL_VERB(name, group) extern const Verb k##name;
#include "warplens/cli/verbs.def"
#undef WL_VERB

const std::vector<const Verb*>& all_verbs() {
  static const std::vector<const Verb*> verbs = {
#define WL_VERB(name, group) &k##name,
#include "warplens/cli/verbs.def"
#undef WL_VERB
  };
  return verbs;
}

std::vector<VerbGroup> verb_groups() {
  static constexpr const char* kGroups[] = {
#define WL_VERB(name, group) group,
#include "warplens/cli/verbs.def"
#undef WL_VERB
  };
  std::vector<VerbGroup> out;
  for (size_t i = 0; i < all_verbs().size(); ++i) {
    if (out.empty() || out.back().title != kGroups[i]) out.push_back({kGroups[i], {}});
    out.back().verbs.push_back(all_verbs()[i]);
  }
  return out;
}

std::vector<Flag> in_groups(const std::vector<FlagGroup>& groups) {
  std::vector<Flag> out;
  for (const FlagGroup& group : groups) {
    for (const Flag& flag : group.flags) {
      out.push_back(flag);
      if (&flag == group.flags.data()) out.back().group = group.title;
    }
  }
  return out;
}

std::vector<Flag> common_flags(const Verb& verb) {
  std::vector<Flag> flags;
  if (verb.hands_on) return flags;
  if (verb.prints == Prints::kData) {
    std::vector<std::string> formats = {"table", "json", "csv", "md"};
    formats.insert(formats.end(), verb.more_formats.begin(), verb.more_formats.end());
    flags.push_back({"--format", "FORMAT", "how to print", "table", formats});
    flags.push_back({"--json", "", "the same as --format json"});
  }
  if (has_brief(verb)) flags.push_back(brief_flag());
  if (verb.prints != Prints::kNothing) {
    const std::string ending = verb.prints == Prints::kData ? "FILE.json, .csv and .md choose the format; " : "";
    flags.push_back(
        {"-o,--output", "FILE", "write there; " + ending + "- is standard output; %p, %h and %q{VAR} are filled in"});
    flags.push_back({"-f,--force", "", "overwrite an existing output file"});
  }
  const bool judges = std::ranges::any_of(verb.flags, [](const Flag& flag) { return flag.names == "--fail-on"; });
  if (judges) flags.push_back(junit_flag());
  flags.push_back({"--color", "WHEN", "colours", "auto", {"auto", "always", "never"}});
  if (verb.prints == Prints::kData)
    flags.push_back({"--full-names", "", "show whole names and full lines; so does -o FILE"});
  flags.push_back({"--timing", "", "print warplens' own times on standard error"});
  flags.push_back(
      {"--config", "FILE", "settings; default: the nearest warplens.toml from here upwards; none: read none"});
  return flags;
}

std::vector<Flag> flags_of(const Verb& verb) {
  std::vector<Flag> flags = verb.flags;
  for (Flag& flag : common_flags(verb)) flags.push_back(std::move(flag));
  return flags;
}

}  // namespace warplens::cli
