// An emulated program's log, launch by launch: its runtime writes it, and the process that started it reads it.
#pragma once
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "warplens/base/status.h"
#include "warplens/report/ptx_listing.h"
#include "warplens/report/report.h"
#include "warplens/simt/launch.h"

namespace warplens::report {

struct LoggedLaunch {
  std::string kernel;  // mangled
  simt::LaunchShape shape;
  uint64_t report = 0;  // index into ProgramLog::reports
  std::string skipped;  // why there is none; empty if there is
};

/// A launch under --check.
struct CheckedLaunch {
  std::string kernel;
  bool by_thread = true;  // its PTX was followed thread by thread; false: its machine code, warp by warp
  std::string stopped;    // the fault that ended it early; empty: it ran to its end
};

/// A launch that the GPU refuses.
struct RefusedLaunch {
  std::string kernel;  // empty where it is not known
  std::string why;
  bool read = false;  // the program has read the error afterwards
};

struct ProgramLog {
  std::vector<KernelReport> reports;  // launches that are alike are listed once
  std::vector<LoggedLaunch> launches;
  std::map<std::string, std::vector<PtxLine>> ptx;  // of kernels whose code was asked for, by mangled name
  std::vector<simt::Report> defects;                // of --check
  std::vector<CheckedLaunch> checked;
  std::vector<RefusedLaunch> refused;
  std::vector<std::string> library_calls;  // those that stand-ins computed under --check, by name
  std::vector<std::string> notes;
  bool ended = false;  // false: the program died, or still runs
};

/// Appends to a file as events happen, so the log of a program that dies is complete up to then.
class ProgramLogWriter {
 public:
  /// Error: the file cannot be made.
  static Result<ProgramLogWriter> create(const std::string& path);
  void launch(const std::string& kernel, const simt::LaunchShape& shape, const KernelReport& report);
  void skipped(const std::string& kernel, const simt::LaunchShape& shape, const std::string& why);
  /// The text of a kernel's PTX.
  void ptx(const std::string& kernel, std::vector<PtxLine> lines);
  void defect(const simt::Report& defect);
  void checked(const CheckedLaunch& launch);
  void refused(const RefusedLaunch& launch);
  /// Under --check: a stand-in computes a call of its library.
  void library_call(const std::string& name);
  /// The program has read the last error.
  void error_read();
  void note(const std::string& text);
  void end();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  explicit ProgramLogWriter(std::FILE* file) : file_(file) {}
  void put(char kind, const std::string& bytes);

  std::unique_ptr<std::FILE, Close> file_;
  std::unordered_map<std::string, uint64_t> known_;  // digest of a report's bytes: its index
};

/// Truncated records are left out. Error: not such a log.
Result<ProgramLog> read_program_log(std::string_view bytes);

}  // namespace warplens::report
