// What an export could not carry, or a profile cannot hold: counted and told.
#include <algorithm>

#include "warplens/base/printable.h"
#include "warplens/base/text.h"
#include "warplens/trace/readers/nsys/recording.h"

namespace warplens::nsys {
namespace {

constexpr int64_t kWarning = 2, kError = 3;  // ENUM_DIAGNOSTIC_SEVERITY_LEVEL
constexpr size_t kNamed = 4;

/// Tables that say how the others are to be read, or what the machine was.
bool describes(const std::string& table) {
  for (const char* start : {"ENUM_", "TARGET_INFO_", "META_DATA_", "EXPORT_META_DATA", "ANALYSIS_",
                            "NVTX_PAYLOAD_SCHEMA", "PROCESSES", "ProcessStreams", "UnwindMethodType", "sqlite_"}) {
    if (table.starts_with(start)) return true;
  }
  return table.ends_with("_CALLCHAINS") || table.ends_with("_DESCRIPTORS");
}

std::string first_of(const std::vector<std::string>& all) {
  std::vector<std::string> named(all.begin(), all.begin() + static_cast<ptrdiff_t>(std::min(all.size(), kNamed)));
  if (all.size() > kNamed) named.push_back(fmt::format("{} more", all.size() - kNamed));
  return join(named, ", ");
}

}  // namespace

void Recording::tell_diagnostics(Profile& profile) {
  sqlite::Rows row = rows("DIAGNOSTIC_EVENT", {"severity", "text"});
  std::map<int64_t, std::vector<std::string>> texts;  // by severity
  while (row.next()) {
    if (row.integer(0) == kWarning || row.integer(0) == kError)
      texts[row.integer(0)].push_back(printable(replace_all(std::string(row.text(1)), "\n", " ")));
  }
  end("DIAGNOSTIC_EVENT", row);
  for (const auto& [severity, said] : texts)
    profile.integrity.add(severity == kError ? "recorder-errors" : "recorder-warnings",
                          severity == kError ? Severity::kWarning : Severity::kInfo, static_cast<int64_t>(said.size()),
                          fmt::format("{}: nsys said: {}", file_, said.front()),
                          said.size() == 1 ? "see what it says" : fmt::format("see also: {}", said[1]));
  if (whole_graphs_ > 0)
    profile.integrity.add(
        "graphs-as-wholes", Severity::kInfo, whole_graphs_,
        fmt::format("{}: {} launches of CUDA graphs are one piece of work each, without their kernels", file_,
                    whole_graphs_),
        "record with --cuda-graph-trace=node to see the kernels");
  if (nested_calls_ > 0)
    profile.integrity.add("nested-calls", Severity::kInfo, nested_calls_,
                          fmt::format("{}: {} API calls are inside another with the same correlation: both are one "
                                      "call, recorded twice",
                                      file_, nested_calls_),
                          "nothing to do: the outer one is counted");
  if (processes_.size() > 1)
    profile.integrity.add(
        "split-ranks", Severity::kInfo, static_cast<int64_t>(processes_.size()),
        fmt::format("{}: recordings of {} processes in one file, taken as ranks", file_, processes_.size()),
        "nothing to do: each process is a rank");
}

void Recording::tell_left_out(Profile& profile) {
  std::vector<std::string> tables;
  int64_t all = 0;
  for (const auto& [table, columns] : database_.tables()) {
    if (describes(table) || std::find(read_tables_.begin(), read_tables_.end(), table) != read_tables_.end()) continue;
    sqlite::Rows row = database_.rows(table, {});
    int64_t count = 0;
    while (row.next()) ++count;
    end(table, row);
    if (count > 0) tables.push_back(fmt::format("{} ({})", table, count));
    all += count;
  }
  if (all > 0)
    profile.integrity.add(
        "rows-not-read", Severity::kInfo, all,
        fmt::format("{}: {} rows are in tables that profiles do not have: {}", file_, all, first_of(tables)),
        "nothing to do: they do not concern kernels, calls or ranges");
  if (other_nvtx_ > 0)
    profile.integrity.add("rows-not-read", Severity::kInfo, other_nvtx_,
                          fmt::format("{}: {} NVTX events are neither ranges, marks nor names", file_, other_nvtx_),
                          "nothing to do: they name streams and devices, or end domains");
  if (database_.left_out() > 0)
    profile.integrity.add(
        "views-not-used", Severity::kInfo, database_.left_out(),
        fmt::format("{}: {} views and triggers, which nsys does not write, were not used", file_, database_.left_out()),
        "nothing to do if you added them yourself");
}

void Recording::tell_damage(Profile& profile) {
  const auto tell = [&](const char* id, Severity severity, int64_t count, const std::string& what, const char* advice) {
    if (count > 0) profile.integrity.add(id, severity, count, fmt::format("{}: {}", file_, what), advice);
  };
  for (const auto& [table, damage] : damage_)
    tell("damaged-file", Severity::kError, 1, fmt::format("{}: {}", table, damage.message()),
         "rows after that place are missing: export or copy the file again");
  tell("columns-missing", Severity::kError, static_cast<int64_t>(missing_columns_.size()),
       "tables lack the columns " + join(missing_columns_, ", "),
       "export with a version of nsys that writes them; their values are taken as 0");
  tell("unusable-events", Severity::kWarning, absurd_,
       fmt::format("{} rows without a time, or with an absurd one", absurd_), "they were left out");
  tell("negative-durations", Severity::kWarning, negative_, fmt::format("{} rows end before they begin", negative_),
       "they count as 0 ns");
  tell("names-missing", Severity::kWarning, unnamed_, fmt::format("{} names are not in StringIds", unnamed_),
       "export the file again; the rows are there without their names");
  tell("invalid-utf8", Severity::kInfo, wrong_texts_, fmt::format("{} texts are not UTF-8", wrong_texts_),
       "wrong bytes are shown as U+FFFD");
  tell("unmatched-spans", Severity::kInfo, open_ranges_,
       fmt::format("{} ranges were open when the recording ended (they end with the last)", open_ranges_),
       "nothing to do if the program was stopped inside these ranges");
  if (profile.device_events.size() == 0 && profile.calls.size() == 0)
    tell("no-device-activity", Severity::kError, 1,
         "it has neither kernels, copies nor CUDA calls: nsys did not trace CUDA, or the program did not use it",
         "record with nsys profile --trace=cuda,nvtx");
}

}  // namespace warplens::nsys
