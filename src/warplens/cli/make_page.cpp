#include "warplens/cli/make_page.h"

#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/cli/bench_commands.h"
#include "warplens/cli/bench_page.h"
#include "warplens/cli/class_flags.h"
#include "warplens/cli/counters_flag.h"
#include "warplens/cli/counters_program.h"
#include "warplens/cli/cut_flags.h"
#include "warplens/cli/kernel_page.h"
#include "warplens/cli/memory_page.h"
#include "warplens/cli/profile_page.h"
#include "warplens/cli/profile_report.h"
#include "warplens/launch/read_input.h"
#include "warplens/trace/readers/read.h"

namespace warplens::cli {
namespace {

std::string name_of(const std::string& path) {
  const std::string whole = path.ends_with('/') ? path.substr(0, path.size() - 1) : path;
  return whole.substr(whole.rfind('/') + 1);
}

/// What launches and counters are read with: the verb `kernel`, which runs launches on the CPU here.
Result<Invocation> as_kernel(const Invocation& invocation, bool run) {
  std::vector<std::string> arguments = invocation.operands;
  if (run) arguments.emplace_back("--emulate");
  if (invocation.has("--kernel")) arguments.insert(arguments.end(), {"--kernel", invocation.text("--kernel")});
  if (invocation.has("--gpu-name")) arguments.insert(arguments.end(), {"--device", invocation.text("--gpu-name")});
  const auto kernel = std::ranges::find(all_verbs(), run ? "kernel" : "counters", &Verb::name);
  WL_ASSIGN(Invocation out, parse(**kernel, arguments));
  out.values["--page"] = {"-"};  // instructions and requests are kept for it
  out.given.insert("--page");
  return out;
}

/// A JSON object with launches, as `warplens kernel` takes it, and not what a profiler or a benchmark wrote.
bool is_launch_file(const std::string& path) {
  const std::string start = launch::read_start(path);
  return launch::is_launch_file(start) && contains(start, "\"launches\"") && !contains(start, "\"traceEvents\"") &&
         !contains(start, "\"schema_version\"");
}

bool is_source(const std::string& path) {
  return path.ends_with(".cu") || path.ends_with(".ptx") || path.ends_with(".cubin");
}

enum class Given { kProfiles, kResults, kCounts, kLaunches, kSource, kSnapshot };

/// Told by the first operand, in the order of what is read least.
Given kind_of(const Invocation& invocation) {
  if (invocation.operands.empty()) return Given::kProfiles;
  const std::string& first = invocation.operands[0];
  if (is_source(first)) return Given::kSource;
  if (is_counts_file(first)) return Given::kCounts;
  if (is_results_file(first)) return Given::kResults;
  if (is_memory_snapshot(first)) return Given::kSnapshot;
  if (is_launch_file(first)) return Given::kLaunches;
  if (invocation.operands.size() != 1) return Given::kProfiles;
  const auto step = suite_step(invocation, first);
  return step.ok() && *step ? Given::kLaunches : Given::kProfiles;
}

Result<page::Page> results_page(const Invocation& invocation, const std::string& base, const std::string& title) {
  WL_ASSIGN(const bench::Results fresh, bench::read_results(invocation.operands.back()));
  if (base.empty()) return page_of(fresh, title);
  WL_ASSIGN(const bench::Results before, bench::read_results(base));
  return page_of_change(before, fresh, title);
}

bool is_same_rank(const Profile& a, const Profile& b) {
  return a.ranks.size() == 1 && b.ranks.size() == 1 && a.ranks.rank[0] == b.ranks.rank[0];
}

Result<page::Page> change_page(const Invocation& invocation, const Profile& base, const Profile& fresh,
                               const std::string& title) {
  WL_ASSIGN(const analysis::ClassRules rules, chosen_rules(invocation));
  WL_ASSIGN(findings::CountedKernels counted, joined_counters(invocation, fresh));
  ProfileReport(invocation, base, fresh).warn();
  return page_of_change(base, fresh, rules, title, std::move(counted));
}

Result<page::Page> profile_page(const Invocation& invocation, const std::string& baseline, const std::string& title) {
  if (!baseline.empty()) {
    WL_ASSIGN(const Profile base, read_cut(invocation, {baseline}));
    WL_ASSIGN(const Profile fresh, read_cut(invocation, invocation.operands));
    return change_page(invocation, base, fresh, title);
  }
  std::vector<Profile> read;
  if (invocation.operands.size() == 2) {  // of one rank they are two runs, of two ranks one job
    for (const std::string& path : invocation.operands) {
      WL_ASSIGN(read.emplace_back(), read_profile({path}));
    }
    if (is_same_rank(read[0], read[1])) {
      WL_ASSIGN(const Profile base, cut_as_asked(invocation, std::move(read[0])));
      WL_ASSIGN(const Profile fresh, cut_as_asked(invocation, std::move(read[1])));
      return change_page(invocation, base, fresh, title);
    }
    join_profiles(&read[0], read[1]);
  } else {
    WL_ASSIGN(read.emplace_back(), read_profile(invocation.operands));
  }
  WL_ASSIGN(const Profile profile, cut_as_asked(invocation, std::move(read[0])));
  WL_ASSIGN(const analysis::ClassRules rules, chosen_rules(invocation));
  WL_ASSIGN(findings::CountedKernels counted, joined_counters(invocation, profile));
  ProfileReport(invocation, profile).warn();
  return page_of(profile, rules, title, std::move(counted));
}

}  // namespace

std::vector<Flag> page_flags(std::vector<Flag> own) {
  own.push_back({"--baseline", "FILE", "the base of a comparison: another run of the same program or benchmarks"});
  own.push_back({"-k,--kernel", "NAME", "in a launch file, only launches of this kernel"});
  own.push_back(
      {"--gpu-name", "GPU", "the GPU to model launches on; also the GPU of counters from a file that names none"});
  own.push_back(classes_flag());
  own.push_back(counters_flag());
  return with_cut_flags(std::move(own));
}

std::vector<Use> page_uses(const std::string& own, const std::string& of_profiles) {
  return {
      {"benchmark results", [](const Invocation& i) { return kind_of(i) == Given::kResults; }, "--baseline " + own},
      {"counters", [](const Invocation& i) { return kind_of(i) == Given::kCounts; }, "--gpu-name " + own},
      {"launches", [](const Invocation& i) { return kind_of(i) == Given::kLaunches; }, "--kernel --gpu-name " + own},
      {"memory snapshots", [](const Invocation& i) { return kind_of(i) == Given::kSnapshot; }, own},
      {"profiles", [](const Invocation&) { return true; },
       "--baseline --classes --counters " + cut_flag_names() + " " + own + " " + of_profiles}};
}

Result<page::Page> make_page(const Invocation& invocation) {
  if (invocation.operands.empty())
    return usage_error("give a trace, a launch file, counters or benchmark results (`warplens demo` has a trace)");
  std::vector<std::string> names;
  for (const std::string& path : invocation.operands) names.push_back(name_of(path));
  std::string baseline = invocation.text("--baseline");
  std::string title = join(names, ", ");
  if (!baseline.empty()) title = fmt::format("{} against {}", title, name_of(baseline));
  const std::string& first = invocation.operands[0];
  switch (kind_of(invocation)) {
    case Given::kResults:
      if (invocation.operands.size() > 2) return usage_error("give one file of results, or two to compare them");
      if (invocation.operands.size() == 2 && baseline.empty()) baseline = first;
      return results_page(invocation, baseline, title);
    case Given::kCounts:
    case Given::kLaunches: {
      WL_ASSIGN(const Invocation kernel, as_kernel(invocation, kind_of(invocation) == Given::kLaunches));
      return kernel_page(kernel, "--gpu-name");
    }
    case Given::kSnapshot:
      if (invocation.operands.size() > 1 || !baseline.empty()) return usage_error("give one memory snapshot");
      return memory_page(first, title);
    case Given::kSource:
      return usage_error(fmt::format(
          "{} needs a launch: warplens kernel {} -k NAME --grid X --block X --arg ... --emulate --page report.html",
          first, first));
    case Given::kProfiles: break;
  }
  return profile_page(invocation, baseline, title);
}

}  // namespace warplens::cli
