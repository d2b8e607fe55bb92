#include "warplens/cli/counters_flag.h"

#include "warplens/base/files.h"
#include "warplens/cli/counters_program.h"
#include "warplens/counters/program_report.h"

namespace warplens::cli {
namespace {

/// Files of Nsight Compute may not say which GPU it was: then it is the timeline's. --device cuts the timeline here.
Invocation on_device_of(const Profile& profile) {
  Invocation out;
  if (profile.devices.size() == 0) return out;
  std::string name(profile.text(profile.devices.name[0]));
  if (name.starts_with("NVIDIA ")) name = name.substr(7);
  if (!name.empty()) out.values["--device"] = {name};
  return out;
}

/// As the JSON of --save, in which files of every kind agree.
Result<json::Value> counters_json(const std::string& path, const Profile& profile) {
  if (!is_counts_file(path)) {
    WL_ASSIGN(const std::string text, read_file(path));
    Result<json::Value> parsed = json::parse(text);
    if (parsed.ok()) return parsed;
    return invalid_input(parsed.status().message() +
                         "; this reads results of `warplens counters` (--keep, --save), and reports of Nsight Compute "
                         "(.ncu-rep, `ncu --csv`)");
  }
  WL_ASSIGN(const counters::ProgramReport report, read_kept_counts(on_device_of(profile), {path}));
  return json::parse(counters::to_json(report));
}

}  // namespace

Flag counters_flag() {
  return {
      "--counters",
      "FILE",
      "join counters to these kernels, for causes and source lines: a file of `warplens counters` (--keep, --save) or "
      "of Nsight Compute (.ncu-rep, `ncu --csv`); may be repeated",
      "",
      {},
      true};
}

Result<findings::CountedKernels> joined_counters(const Invocation& invocation, const Profile& profile) {
  if (!invocation.has("--counters")) return findings::CountedKernels();
  std::vector<findings::CountedLaunch> launches;
  std::vector<std::string> notes;
  for (const std::string& path : invocation.list("--counters")) {
    const Result<json::Value> counters = counters_json(path, profile);
    if (!counters.ok()) return counters.status().in("--counters " + path);
    auto more = findings::counted_launches(*counters, &notes);
    if (!more.ok()) return more.status().in("--counters " + path);
    std::move(more->begin(), more->end(), std::back_inserter(launches));
  }
  return findings::join_counters(profile, std::move(launches), std::move(notes));
}

}  // namespace warplens::cli
