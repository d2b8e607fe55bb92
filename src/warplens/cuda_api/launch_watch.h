// Records of a program's launches beside their results: reports, defects, and how often similar ones ran.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "warplens/base/status.h"
#include "warplens/collect/emulation_settings.h"
#include "warplens/model/work.h"
#include "warplens/report/program_log.h"
#include "warplens/run/sass/counting/l2_contents.h"
#include "warplens/simt/launch.h"

namespace warplens::cuda_api {

/// Launches that are alike: with --sample, only some of them run, and the others are assumed to have the same effect.
/// If events or a recording need times, all run, and only some are counted.
struct AlikeLaunches {
  uint64_t launches = 0, ran = 0;
  /// From cold caches, so that launches are alike.
  double sum_ns = 0, least_ns = 0, most_ns = 0;
  double recorded_ns = 0;  // of the last one that was counted, from the L2 cache of that moment
  uint32_t arguments = 0;  // of launches by size alone: how many different ones have counts of their own
  std::optional<report::KernelReport> last;
  std::optional<model::Work> work;  // of the last counted kernel, with its touched memory
  std::vector<simt::sass_machine::TouchedRun> touched;

  /// True if the next one runs, or is counted: the first three, then those whose number is a power of two.
  bool next_runs() const { return launches < 3 || (launches & (launches - 1)) == 0; }
  void add(double ns);
  double mean_ns() const { return ran > 0 ? sum_ns / static_cast<double>(ran) : 0; }
  /// How far those that ran lie from their mean at most, 0..1.
  double error() const;
};

struct LaunchWatch {
  double budget_s = 0;  // a launch; 0: none
  uint8_t checks = 0;   // of simt::Check
  bool leaks = false;   // reports memory that is not freed at the end
  bool sample = false;
  uint64_t missing = 0;  // launches and library calls of a sample that did not run, so memory lacks their results
  uint64_t failed = 0;   // of the launches that ran without these results
  bool reports = false;  // launches are reported
  bool chosen = false;   // the one at hand is
  bool code = false;     // as EmulationSettings says
  std::map<std::string, double> costliest_ns;  // of reports with code, by kernel
  std::optional<report::ProgramLogWriter> log;
  std::optional<collect::Choice> choice;
  using Shape = std::tuple<std::string, simt::Dim3, simt::Dim3, simt::Dim3, uint32_t>;
  std::map<Shape, AlikeLaunches> alike;
  std::map<std::pair<Shape, size_t>, AlikeLaunches> repeated;  // by the hash of the arguments, too

  /// Errors: an unknown check, a log that cannot be made.
  Status begin(const collect::EmulationSettings& settings);
  AlikeLaunches& like(const std::string& kernel, const simt::LaunchShape& shape);
  /// Those of the same kernel, size and arguments, bit for bit.
  AlikeLaunches& repeats(const std::string& kernel, const simt::Launch& launch);
  /// A sampled recording: launches with the same arguments are alike, or all of a size if they have many arguments.
  AlikeLaunches& sampled(const std::string& kernel, const simt::Launch& launch);
  /// Writes the report to the log, without its code where a launch of the kernel that took as long was written before.
  /// `ptx` is called once for each kernel whose code is wanted.
  void write(const std::string& kernel, const simt::Launch& launch, const report::KernelReport& made,
             const std::function<std::vector<report::PtxLine>()>& ptx);
  /// The part of `repeated` that was not counted, in words; empty: every launch was.
  std::string uncounted() const;
  /// The checks have followed a launch.
  void checked(const report::CheckedLaunch& launch);
  /// CUDA refuses a launch, a defect unless the program reads the error: `answered` records that it does.
  void refused(const std::string& kernel, const std::string& why, bool answered);
  /// A library's stand-in is about to compute a call.
  void library_call(const std::string& name);
  /// The program asks for an error.
  void error_read();
  /// Goes to the log, or to standard error without one.
  void note(const std::string& text);
  /// The final messages: the share that was sampled, and that the program came to its end.
  void end();

 private:
  void tell_sampled();
};

}  // namespace warplens::cuda_api
