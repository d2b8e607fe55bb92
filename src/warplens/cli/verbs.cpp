// The list of verbs; each stands in a file of its own, verb_NAME.cpp.
#include "warplens/cli/verb.h"

namespace warplens::cli {

extern const Verb kCompletions;
extern const Verb kConvert;
extern const Verb kBench;
extern const Verb kDevice;
extern const Verb kDiff;
extern const Verb kDoctor;
extern const Verb kFuse;
extern const Verb kExport;
extern const Verb kRanks;
extern const Verb kKernel;
extern const Verb kInspect;
extern const Verb kFindings;
extern const Verb kOccupancy;
extern const Verb kOps;
extern const Verb kSummary;
extern const Verb kTimeline;

const std::vector<const Verb*>& all_verbs() {
  static const std::vector<const Verb*> verbs = {
      &kSummary,
      &kOps,
      &kFindings,
      &kTimeline,
      &kExport,
      &kKernel,
      &kConvert,
      &kInspect,
      &kBench,
      &kFuse,
      &kOccupancy,
      &kDevice,
      &kDiff,
      &kRanks,
      &kDoctor,
      &kCompletions,
  };
  return verbs;
}

const std::vector<Flag>& common_flags() {
  static const std::vector<Flag> flags = {
      {"--format", "FORMAT", "how to print", "table", {"table", "json", "csv", "md"}},
      {"--json", "", "the same as --format json"},
      {"-o,--output", "FILE", "write there; - is standard output; %p, %h and %q{VAR} are filled in"},
      {"-f,--force", "", "overwrite an existing output file"},
      {"--color", "WHEN", "colours", "auto", {"auto", "always", "never"}},
      {"--timing", "", "say on standard error where the program's own time went"},
  };
  return flags;
}

}  // namespace warplens::cli
