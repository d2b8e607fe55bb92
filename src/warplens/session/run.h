// Running a launch: what launch files, Python, the C interface and emulated programs do with a kernel.
#pragma once
#include <optional>

#include "warplens/report/builders/machine_report.h"
#include "warplens/run/sass/control/child_launches.h"
#include "warplens/session/module.h"
#include "warplens/simt/check_names.h"
#include "warplens/simt/texture/texture.h"

namespace warplens::session {

struct CountOptions : report::ReportOptions {
  double timeout_s = 0;  // of running the machine code; 0: none
};
inline constexpr double kCountTimeout = 600;  // where nothing else is asked for

/// What a launch is to give beside its results, and what it meets.
struct Wanted {
  const CountOptions* counts = nullptr;  // a report; nullptr: results alone
  /// It is of a program, as on a GPU: its parameters lie as machine code reads them; accesses to an allocation's
  /// padding pass; counts of a launch that took too long are kept.
  bool of_program = false;
  const simt::TextureTable* textures = nullptr;           // and surfaces; nullptr: none
  simt::sass_machine::L2Contents* l2 = nullptr;           // what launches before left; nullptr: nobody asks
  simt::sass_machine::ChildLaunches* children = nullptr;  // what the kernel launches; nullptr: such a launch stops it
};

struct Outcome {
  simt::LaunchResult result;                   // warp and thread instructions are of what was counted
  std::optional<report::KernelReport> report;  // none where nothing was to be counted, or it stopped before its end
  std::vector<simt::sass_machine::TouchedRun> touched;  // where Wanted::l2 is given and it was counted
  bool by_machine_code = false;  // the results are the machine code's, and so is what checks found
  simt::Precision precision() const { return by_machine_code ? simt::Precision::kWarp : simt::Precision::kThread; }
  std::optional<simt::Fault> let_pass;  // the first wrong thing that a GPU lets pass, and so did this
};

/// The launch is done once to who looks at memory, and `launch` says how. A module's PTX runs, but for what is counted:
/// that is run as machine code where that is followed to the last bit and nothing asks for the PTX: no checks, blocks
/// in order. What stops the machine code then is found again, and named, by the PTX. Errors: of the request.
Result<Outcome> run(Module& module, const std::string& kernel, simt::Launch launch, const Wanted& wanted = {});
/// Its machine code runs. Checks follow the PTX where Kernel::ptx has it and the kernel launches none.
Result<Outcome> run(Kernel& kernel, simt::Launch launch, const Wanted& wanted);

/// Whether it launches kernels itself.
bool launches_kernels(const Kernel& kernel);

/// What a block of the launch takes.
gpu::BlockNeeds needs_of(const Kernel& kernel, int threads, uint64_t dynamic_shared_bytes);

}  // namespace warplens::session
