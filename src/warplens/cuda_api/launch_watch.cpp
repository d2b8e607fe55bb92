#include "warplens/cuda_api/launch_watch.h"

#include <algorithm>
#include <functional>
#include <string_view>

#include "warplens/base/text.h"
#include "warplens/collect/process/journal.h"
#include "warplens/collect/settings/settings.h"
#include "warplens/cuda_api/told_name.h"
#include "warplens/simt/check_names.h"

namespace warplens::cuda_api {
namespace {

constexpr double kShownError = 5e-4;  // below this, a tenth of a percent would show as 0.0 %

}  // namespace

void AlikeLaunches::add(double ns) {
  least_ns = ran == 0 ? ns : std::min(least_ns, ns);
  most_ns = std::max(most_ns, ns);
  sum_ns += ns;
  ++ran;
}

double AlikeLaunches::error() const {
  const double mean = mean_ns();
  return mean > 0 ? std::max(most_ns - mean, mean - least_ns) / mean : 0;
}

Status LaunchWatch::begin(const collect::EmulationSettings& settings) {
  budget_s = settings.budget_s;
  sample = settings.sample;
  WL_ASSIGN(const simt::ProgramChecks chosen, simt::parse_program_checks(settings.checks));
  checks = chosen.of_launches;
  leaks = chosen.leaks;
  if (settings.log.empty()) return {};
  WL_ASSIGN(log, report::ProgramLogWriter::create(settings.log));
  collect::tell_journal(collect::settings_from_environment().journal, "file", settings.log);
  reports = settings.reports;
  code = settings.code;
  choice.emplace(settings.rules);
  return {};
}

namespace {

LaunchWatch::Shape key_of(const std::string& kernel, const simt::LaunchShape& shape) {
  return {kernel, shape.grid, shape.block, shape.cluster, shape.dynamic_shared_bytes};
}

}  // namespace

AlikeLaunches& LaunchWatch::like(const std::string& kernel, const simt::LaunchShape& shape) {
  return alike[key_of(kernel, shape)];
}

AlikeLaunches& LaunchWatch::repeats(const std::string& kernel, const simt::Launch& launch) {
  const std::string_view arguments(reinterpret_cast<const char*>(launch.parameters.data()), launch.parameters.size());
  return repeated[{key_of(kernel, launch), std::hash<std::string_view>()(arguments)}];
}

AlikeLaunches& LaunchWatch::sampled(const std::string& kernel, const simt::Launch& launch) {
  constexpr uint32_t kMostArguments = 64;  // beyond, each launch has others, and would never be left out
  AlikeLaunches& of_size = like(kernel, launch);
  if (of_size.arguments >= kMostArguments) return of_size;
  AlikeLaunches& same = repeats(kernel, launch);
  if (same.launches == 0) ++of_size.arguments;
  return same;
}

void LaunchWatch::write(const std::string& kernel, const simt::Launch& launch, const report::KernelReport& made,
                        const std::function<std::vector<report::PtxLine>()>& ptx) {
  if (!code) return log->launch(kernel, launch, made);
  const auto [most, is_new] = costliest_ns.try_emplace(made.kernel, made.time.ns);
  if (is_new) log->ptx(kernel, ptx());
  if (is_new || made.time.ns > most->second) {
    most->second = made.time.ns;
    return log->launch(kernel, launch, made);
  }
  report::KernelReport brief = made;
  brief.instructions.clear();
  brief.accesses.clear();
  log->launch(kernel, launch, brief);
}

std::string LaunchWatch::uncounted() const {
  uint64_t launches = 0, counted = 0;
  double error = 0;
  for (const auto& [key, of_key] : repeated) {
    launches += of_key.launches;
    counted += of_key.ran;
    error = std::max(error, of_key.error());
  }
  if (counted == launches) return {};
  return fmt::format(
      "{} of {} launches were counted. The others repeat one of these with the same arguments, and get its counts{}",
      counted, launches,
      error < kShownError
          ? ""
          : fmt::format("; with cold caches, times of such launches differ by up to {:.1f} % from their "
                        "mean",
                        100 * error));
}

void LaunchWatch::checked(const report::CheckedLaunch& launch) {
  if (log) log->checked(launch);
}

void LaunchWatch::refused(const std::string& kernel, const std::string& why, bool answered) {
  if (checks == 0) return;
  if (log) log->refused({kernel, why, answered});
  else note(fmt::format("{}: a launch was refused: {}", told_name(kernel), why));
}

void LaunchWatch::library_call(const std::string& name) {
  if (checks != 0 && log) log->library_call(name);
}

void LaunchWatch::error_read() {
  if (checks != 0 && log) log->error_read();
}

void LaunchWatch::note(const std::string& text) {
  if (log) log->note(text);
  else std::fprintf(stderr, "warplens: %s\n", text.c_str());
}

/// One line for all, where there is no report to hold a line for each kernel.
void LaunchWatch::tell_sampled() {
  uint64_t launches = 0, ran = 0;
  double error = 0;
  const auto add = [&](const AlikeLaunches& each) {
    launches += each.launches;
    ran += each.ran;
    error = std::max(error, each.error());
  };
  for (const auto& [key, each] : repeated) add(each);
  for (const auto& [key, each] : alike) {
    add(each);
    if (!log || each.ran == each.launches) continue;
    note(
        fmt::format("{}: {} of {} equal launches were run; their times differ by up to {:.1f} % from the mean; the "
                    "others leave the results of one that ran",
                    told_name(std::get<0>(key)), each.ran, each.launches, 100 * each.error()));
  }
  if (!log && ran != launches)
    note(
        fmt::format("{} of {} launches were run. Each of the others gets the time of an equal launch, within {:.1f} %, "
                    "and leaves the results that it left last",
                    ran, launches, 100 * error));
  if (missing != 0)
    note(fmt::format(
        "{} launches that did not run left no results: equal launches wrote to other memory, or to too much "
        "of it. Sizes that the program reads back, and launches that work with these results, may be wrong. "
        "Compare with a run without --sample",
        missing));
  if (failed != 0)
    note(fmt::format(
        "{} launches failed, because they work with the results of launches that did not run; they get the time of an "
        "equal launch, or of the shortest kernel",
        failed));
}

void LaunchWatch::end() {
  if (sample) tell_sampled();
  else if (const std::string text = uncounted(); !text.empty())
    collect::tell_journal(collect::settings_from_environment().journal, "note", text);
  if (log) log->end();
}

}  // namespace warplens::cuda_api
