// A kernel's source beside its PTX and machine code, with the counts of each line.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "warplens/cli/carried_ptx.h"
#include "warplens/counters/program_report.h"
#include "warplens/launch/source.h"
#include "warplens/page/page.h"
#include "warplens/report/report.h"

namespace warplens::cli {

/// A launch that a page shows.
struct ShownLaunch {
  std::string kernel;                              // as people write it
  const report::KernelReport* report = nullptr;    // none where only its lines were counted
  const launch::Source* source = nullptr;          // where it was compiled or read here
  std::string mangled;                             // of the kernel in `source` or `program`
  const counters::ProgramReport* lines = nullptr;  // with samples and counts of its lines, where there are any
  const CarriedPtx* program = nullptr;             // that launched it, where it ran just now
  bool others = false;  // counted elsewhere: of the files that it names only those under the current folder are shown
};

/// Nothing if no line is known.
std::optional<page::Code> code_of(const ShownLaunch& launch);

}  // namespace warplens::cli
