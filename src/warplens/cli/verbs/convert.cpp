// warplens convert: any profile into warplens' own format.
#include "warplens/base/output_name.h"
#include "warplens/base/text.h"
#include "warplens/cli/cut_flags.h"
#include "warplens/cli/verb.h"
#include "warplens/output/terminal.h"
#include "warplens/trace/profile/native/write.h"
#include "warplens/trace/profile/verdict.h"

namespace warplens::cli {
namespace {

Result<int> run_convert(const Invocation& invocation) {
  if (invocation.operands.empty()) return usage_error("give at least one profile");
  if (!invocation.has("--output")) return usage_error("say where to write with -o FILE.wlens");
  for (const char* other : {".json", ".json.gz", ".csv", ".svg"}) {
    if (invocation.text("--output").ends_with(other))
      return usage_error(
          fmt::format("-o {}: convert writes warplens' own format: name it .wlens (`warplens export` writes "
                      "Chrome JSON, flame graphs and stacks)",
                      invocation.text("--output")));
  }
  WL_ASSIGN(const Profile profile, read_cut(invocation, invocation.operands));
  WL_TRY(native::write(profile, expand_output_name(invocation.text("--output")), invocation.has("--force")));
  tell("{}\n{}", integrity_verdict(profile), integrity_details(profile));
  return kExitOk;
}

}  // namespace

extern const Verb kConvert;
const Verb kConvert = {
    "convert",
    "write a profile in warplens' own format, which loads fast",
    "PROFILE...",
    "Reads traces of any format (several are ranks of one profile) and writes one .wlens file: columns that are "
    "mapped, not parsed, each with a checksum.",
    with_cut_flags({}),
    {{"warplens convert trace.json.gz -o trace.wlens", "convert once, then ask as often as you like"},
     {"warplens convert rank*.json.gz -o job.wlens", "all ranks of a job in one file"}},
    run_convert,
    {},
    Prints::kFile};

}  // namespace warplens::cli
