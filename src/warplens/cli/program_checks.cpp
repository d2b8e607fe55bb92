#include "warplens/cli/program_checks.h"

#include <map>
#include <tuple>

#include "warplens/base/json.h"
#include "warplens/base/text.h"
#include "warplens/cli/emulated_runtime.h"
#include "warplens/cli/kernel_annotations.h"
#include "warplens/collect/emulation_settings.h"
#include "warplens/launch/report.h"
#include "warplens/simt/check_names.h"

namespace warplens::cli {
namespace {

struct Checked {
  std::string checks;
  int exit_code = 0;
  std::vector<simt::Report> defects;
  std::vector<std::string> notes;
};

/// Defects of several launches that are one.
std::vector<simt::Report> joined(const std::vector<simt::Report>& all) {
  std::vector<simt::Report> out;
  using Side = std::tuple<std::string, std::string, uint32_t, uint32_t>;
  const auto side = [](const simt::Place& p) {
    return Side(p.kernel, p.file, p.line, p.is_machine_code && p.line == 0 ? p.index : p.ptx_line);
  };
  std::map<std::tuple<std::string, Side, Side, simt::Address>, size_t> known;
  for (const simt::Report& defect : all) {
    const simt::Address address = defect.place.kernel.empty() ? defect.address : 0;  // found at a call of the host
    const auto key = std::tuple(defect.id, side(defect.place), defect.other ? side(*defect.other) : Side(), address);
    const auto [at, is_new] = known.try_emplace(key, out.size());
    if (is_new) out.push_back(defect);
    else out[at->second].count += defect.count;
  }
  return out;
}

std::string to_text(const Checked& checked) {
  std::string out;
  for (const simt::Report& defect : checked.defects) out += launch::defect_text(defect);
  for (const std::string& note : checked.notes) out += "note: " + note + "\n";
  if (checked.defects.empty()) return out + "checked " + checked.checks + ": nothing found\n";
  return out + fmt::format("checked {}: {} defect{}\n", checked.checks, checked.defects.size(),
                           checked.defects.size() == 1 ? "" : "s");
}

std::string to_json(const Checked& checked) {
  json::Writer w(true);
  w.begin_object().member("schema_version", 1).member("checks", checked.checks);
  w.member("exit_code", int64_t{checked.exit_code}).key("defects").begin_array();
  for (const simt::Report& defect : checked.defects) launch::write_defect(w, defect);
  w.end_array().key("notes").begin_array();
  for (const std::string& note : checked.notes) w.value(note);
  return w.end_array().end_object().take() + "\n";
}

Table to_table(const Checked& checked) {
  Table table{{{"id", "defect"},
               {"kernel", "kernel"},
               {"file", "file"},
               {"line", "line", Kind::kCount},
               {"message", "what"},
               {"count", "seen", Kind::kCount}},
              {}};
  for (const simt::Report& defect : checked.defects) {
    table.rows.push_back({defect.id, defect.place.kernel, defect.place.file, int64_t{defect.place.line}, defect.message,
                          static_cast<int64_t>(defect.count)});
  }
  return table;
}

}  // namespace

Result<int> check_program(const Invocation& invocation) {
  const std::string asked = invocation.text("--check").empty() ? "all" : invocation.text("--check");
  WL_ASSIGN(const simt::ProgramChecks checks, simt::parse_program_checks(asked));
  WL_ASSIGN(const EmulatedRun run, run_emulated(invocation, {{collect::kChecksVariable, asked}}));
  std::string names = simt::check_names(checks.of_launches);
  if (checks.leaks) names += names.empty() ? "leaks" : ", leaks";
  Checked checked{names, run.exit_code, {}, {}};
  std::vector<simt::Report> all;
  for (const report::ProgramLog& process : run.processes) {
    all.insert(all.end(), process.defects.begin(), process.defects.end());
    checked.notes.insert(checked.notes.end(), process.notes.begin(), process.notes.end());
    if (!process.ended)
      checked.notes.emplace_back("a process ended without its exit handlers: leaks of it are not told");
  }
  if (run.processes.empty()) checked.notes.emplace_back("nothing was checked: the program did not use CUDA");
  checked.defects = joined(all);
  const std::string format = invocation.text("--format");
  if (format == "github") WL_TRY(invocation.emit(explain::to_github(annotations(checked.defects))));
  else if (format == "sarif")
    WL_TRY(invocation.emit(explain::to_sarif(annotations(checked.defects), invocation.command[0], WARPLENS_VERSION)));
  else if (invocation.format() == Format::kJson) WL_TRY(invocation.emit(to_json(checked)));
  else if (invocation.format() == Format::kTable) WL_TRY(invocation.emit_for_people(to_text(checked)));
  else WL_TRY(invocation.emit(to_table(checked)));
  return run.exit_code != 0 || checked.defects.empty() ? run.exit_code : kExitFailed;
}

}  // namespace warplens::cli
