#include "warplens/cli/program_checks.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "warplens/base/demangle.h"
#include "warplens/base/json.h"
#include "warplens/base/schema.h"
#include "warplens/base/text.h"
#include "warplens/cli/emulated_runtime.h"
#include "warplens/cli/kernel_annotations.h"
#include "warplens/collect/emulation_settings.h"
#include "warplens/launch/report.h"
#include "warplens/output/fit.h"
#include "warplens/output/terminal.h"
#include "warplens/simt/check_names.h"

namespace warplens::cli {
namespace {

/// Launches of one kernel that were followed in one way.
struct Followed {
  uint64_t launches = 0, stopped = 0;
};

/// Calls that a library's stand-in computed.
struct LibraryCalls {
  std::map<std::string, uint64_t> by_name;
  uint64_t calls = 0;
};

struct Checked {
  simt::ProgramChecks asked;
  int exit_code = 0;  // the program's
  std::vector<simt::Report> defects;
  std::vector<std::string> notes;
  std::map<std::pair<std::string, bool>, Followed> followed;  // by kernel, and whether thread by thread
  LibraryCalls library;
  std::vector<std::string> missed;  // what the program did, or would have done, that nothing checked, and why

  uint64_t launches() const {
    uint64_t out = 0;
    for (const auto& [kernel, of_kernel] : followed) out += of_kernel.launches;
    return out;
  }
  uint64_t launches_by_warp() const {
    uint64_t out = 0;
    for (const auto& [kernel, of_kernel] : followed) out += kernel.second ? 0 : of_kernel.launches;
    return out;
  }
  uint64_t kernels() const {
    std::set<std::string> names;
    for (const auto& [kernel, of_kernel] : followed) names.insert(kernel.first);
    return names.size();
  }
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

/// The checks that hold for the memory of a library's call, of those that were asked for.
uint8_t checks_of_libraries(const Checked& checked) {
  return checked.asked.of_launches & (simt::kCheckMemory | simt::kCheckInit);
}

std::string names_of(const simt::ProgramChecks& checks) {
  std::string out = simt::check_names(checks.of_launches);
  if (checks.leaks) out += out.empty() ? "leaks" : ", leaks";
  return out;
}

std::string calls_text(uint64_t calls) { return fmt::format("{} call{} of libraries", calls, calls == 1 ? "" : "s"); }

/// "memory, race in 12 launches of 3 kernels, 2 of them warp by warp from machine code; memory in 3 calls of libraries"
std::string scope_of(const Checked& checked) {
  const uint64_t launches = checked.launches(), by_warp = checked.launches_by_warp(), kernels = checked.kernels();
  const std::string of_libraries = simt::check_names(checks_of_libraries(checked));
  const bool has_libraries = checked.library.calls > 0 && !of_libraries.empty();
  std::string out;
  if (checked.asked.of_launches == 0) {
    return "leaks";
  } else if (launches > 0 || !has_libraries) {
    out = fmt::format("{} in {} launch{} of {} kernel{}", names_of(checked.asked), launches, launches == 1 ? "" : "es",
                      kernels, kernels == 1 ? "" : "s");
    if (by_warp == launches && launches > 0) out += ", warp by warp from machine code";
    else if (by_warp > 0) out += fmt::format(", {} of them warp by warp from machine code", by_warp);
  } else if (checked.asked.leaks) {
    out = "leaks";
  }
  if (has_libraries)
    out += fmt::format("{}{} in {}", out.empty() ? "" : "; ", of_libraries, calls_text(checked.library.calls));
  return out;
}

/// How to see source lines, where defects lack them.
std::string note_on_lines(const Checked& checked) {
  const auto is_in_kernel = [](const simt::Report& d) { return !d.place.kernel.empty(); };
  const auto lacks = [&](const simt::Report& d) { return is_in_kernel(d) && d.place.line == 0; };
  const auto without = std::ranges::count_if(checked.defects, lacks);
  if (without == 0) return "";
  return fmt::format("note: no source line for {} of {} defects in kernels: add -lineinfo to nvcc's flags\n", without,
                     std::ranges::count_if(checked.defects, is_in_kernel));
}

/// All but the defects: notes, what was not checked, and the line that sums up.
std::string closing_text(const Checked& checked) {
  std::string out = note_on_lines(checked);
  for (const std::string& note : checked.notes) out += "note: " + note + "\n";
  for (const std::string& missed : checked.missed) out += "not checked: " + missed + "\n";
  const std::string exit = checked.exit_code == 0 && checked.defects.empty() ? " (exit code 1)" : "";
  const size_t defects = checked.defects.size();
  const std::string found =
      defects == 0 ? "nothing found" : fmt::format("{} defect{}", defects, defects == 1 ? "" : "s");
  return out + fmt::format("checked {}: {}{}\n", scope_of(checked), found,
                           checked.missed.empty() ? "" : ", and not all was checked" + exit);
}

std::string to_text(const Checked& checked) {
  std::string out;
  for (const simt::Report& defect : checked.defects) out += launch::defect_text(defect);
  return out + closing_text(checked);
}

std::string to_json(const Checked& checked) {
  json::Writer w(true);
  w.begin_object().member("schema_version", kSchemaVersion).member("checks", names_of(checked.asked));
  w.member("exit_code", int64_t{checked.exit_code}).key("defects").begin_array();
  for (const simt::Report& defect : checked.defects) launch::write_defect(w, defect);
  w.end_array().key("checked").begin_array();
  for (const auto& [kernel, of_kernel] : checked.followed) {
    w.begin_object().member("kernel", kernel.first).member("precision", kernel.second ? "thread" : "warp");
    w.member("launches", of_kernel.launches).member("stopped", of_kernel.stopped).end_object();
  }
  w.end_array().key("library_calls").begin_array();
  for (const auto& [name, calls] : checked.library.by_name)
    w.begin_object().member("call", name).member("calls", calls).end_object();
  w.end_array().member("checks_of_library_calls", simt::check_names(checks_of_libraries(checked)));
  return w.list("not_checked", checked.missed).list("notes", checked.notes).end_object().take() + "\n";
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

std::string kernel_text(const std::string& kernel) { return kernel.empty() ? "a kernel" : short_name(kernel); }

void add_checked(const report::ProgramLog& process, Checked* checked) {
  for (const report::CheckedLaunch& launch : process.checked) {
    Followed& followed = checked->followed[{launch.kernel, launch.by_thread}];
    ++followed.launches;
    if (launch.stopped.empty()) continue;
    if (++followed.stopped == 1)
      checked->missed.push_back(
          fmt::format("the rest of {} after it was stopped: {}", kernel_text(launch.kernel), launch.stopped));
  }
}

/// A refused launch is a defect where nobody hears of it.
void add_refused(const report::ProgramLog& process, std::vector<simt::Report>* defects, Checked* checked) {
  std::set<std::string> told;
  for (const report::RefusedLaunch& launch : process.refused) {
    const std::string what =
        fmt::format("{}, a launch of which was refused: {}", kernel_text(launch.kernel), launch.why);
    if (told.insert(what).second) checked->missed.push_back(what);
    if (launch.read) continue;
    simt::Report failed;
    failed.id = "launch-failed";
    failed.message = "the launch was refused, and the program never checked the error: " + launch.why;
    failed.place.kernel = launch.kernel;
    defects->push_back(failed);
  }
}

void add_process(const report::ProgramLog& process, std::vector<simt::Report>* defects, Checked* checked) {
  defects->insert(defects->end(), process.defects.begin(), process.defects.end());
  checked->notes.insert(checked->notes.end(), process.notes.begin(), process.notes.end());
  add_checked(process, checked);
  add_refused(process, defects, checked);
  for (const std::string& call : process.library_calls) {
    ++checked->library.by_name[call];
    ++checked->library.calls;
  }
}

/// The CPU computes a library's calls, so nothing follows the threads that a GPU would run.
void add_libraries(Checked* checked) {
  const LibraryCalls& library = checked->library;
  if (library.calls == 0) return;
  std::string which = library.by_name.begin()->first;
  if (library.by_name.size() > 1) which += fmt::format(" and {} others", library.by_name.size() - 1);
  const std::string of_libraries = simt::check_names(checks_of_libraries(*checked));
  checked->notes.push_back(fmt::format(
      "{} ({}): a stand-in computes them on the CPU, so {}", calls_text(library.calls), which,
      of_libraries.empty() ? "nothing of them was checked"
                           : "only the memory that they read and write was checked (" + of_libraries + ")"));
}

/// What the checks never got to see.
void add_unseen(const EmulatedRun& run, const simt::ProgramChecks& checks, Checked* checked) {
  if (run.processes.empty()) checked->missed.emplace_back("anything: the program did not use CUDA");
  else if (checks.of_launches != 0 && checked->followed.empty() && checked->library.calls == 0)
    checked->missed.emplace_back("any kernel: none was run");
  else if (checks.of_launches != 0 && checked->followed.empty() && checks_of_libraries(*checked) == 0)
    checked->missed.push_back(fmt::format("any kernel: only library calls ran, and these are not checked for {}",
                                          simt::check_names(checks.of_launches)));
  const bool all_ended = std::ranges::all_of(run.processes, &report::ProgramLog::ended);
  if (run.signal != 0)
    checked->missed.push_back(fmt::format("the code after signal {} ({}), which ended the program{}", run.signal,
                                          ::strsignal(run.signal), checks.leaks ? ", and its leaks" : ""));
  else if (!all_ended && checks.leaks)
    checked->missed.emplace_back("leaks of a process that ended without its exit handlers, by a signal or by _exit");
  else if (!all_ended)
    checked->notes.emplace_back("a process ended without its exit handlers, by a signal or by _exit");
}

Status emit_report(const Invocation& invocation, const Checked& checked) {
  const std::string format = invocation.text("--format");
  const bool is_foreign = format == "github" || format == "sarif";
  const bool is_whole = !is_foreign && (invocation.format() == Format::kTable || invocation.format() == Format::kJson);
  if (!is_whole) std::fputs(closing_text(checked).c_str(), stderr);
  if (format == "github") return invocation.emit(explain::to_github(annotations(checked.defects)));
  if (format == "sarif")
    return invocation.emit(explain::to_sarif(annotations(checked.defects), invocation.command[0], WARPLENS_VERSION));
  if (invocation.format() == Format::kJson) return invocation.emit(to_json(checked));
  if (invocation.format() != Format::kTable) return invocation.emit(to_table(checked));
  if (invocation.has("--output")) return invocation.emit_for_people(to_text(checked));
  std::fputs(fitted(to_text(checked), terminal_width()).c_str(), stderr);  // standard output is the program's
  return {};
}

}  // namespace

Result<int> check_program(const Invocation& invocation) {
  const std::string asked = invocation.text("--check").empty() ? "all" : invocation.text("--check");
  WL_ASSIGN(const simt::ProgramChecks checks, simt::parse_program_checks(asked));
  WL_ASSIGN(const EmulatedRun run, run_emulated(invocation, {{collect::kChecksVariable, asked}}));
  Checked checked{.asked = checks, .exit_code = run.exit_code};
  std::vector<simt::Report> all;
  for (const report::ProgramLog& process : run.processes) add_process(process, &all, &checked);
  add_libraries(&checked);
  add_unseen(run, checks, &checked);
  checked.defects = joined(all);
  WL_TRY(emit_report(invocation, checked));
  if (run.exit_code != 0) return run.exit_code;
  return !checked.defects.empty() ? kExitDefect : !checked.missed.empty() ? kExitFailed : kExitOk;
}

}  // namespace warplens::cli
