// Runs a launch for launch files, Python, the C interface and emulated programs.
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
inline constexpr double kCountTimeout = 600;  // unless specified

/// The requested outputs of a launch beside its results, and its environment.
struct Wanted {
  const CountOptions* counts = nullptr;  // a report; nullptr: results alone
  /// The launch belongs to a program, as on a GPU. Its parameters have the layout of machine code, accesses to an
  /// allocation's padding pass, and counts of a launch that took too long are kept.
  bool of_program = false;
  const simt::TextureTable* textures = nullptr;           // and surfaces; nullptr: none
  simt::sass_machine::L2Contents* l2 = nullptr;           // what launches before left; nullptr: nobody asks
  simt::sass_machine::ChildLaunches* children = nullptr;  // launches of the kernel; nullptr: such a launch stops it
};

struct Outcome {
  simt::LaunchResult result;                            // warp and thread instructions are of the counted part
  std::optional<report::KernelReport> report;           // none without counting, or if it stopped before its end
  std::vector<simt::sass_machine::TouchedRun> touched;  // where Wanted::l2 is given and it was counted
  bool by_machine_code = false;  // the results are the machine code's, and so are the checks' reports
  simt::Precision precision() const { return by_machine_code ? simt::Precision::kWarp : simt::Precision::kThread; }
  std::optional<simt::Fault> let_pass;  // the first wrong thing that a GPU lets pass, and so did this
};

/// Observers of memory see the launch once, run as `launch` says. A module's PTX runs, except when counting. Then its
/// machine code runs, if it can be executed to the last bit and nothing requires PTX (no checks, blocks in order). If
/// the machine code stops, the PTX finds the same fault again and names it. Errors: of the request.
Result<Outcome> run(Module& module, const std::string& kernel, simt::Launch launch, const Wanted& wanted = {});
/// Its machine code runs. Checks follow the PTX where Kernel::ptx has it and the kernel launches none.
Result<Outcome> run(Kernel& kernel, simt::Launch launch, const Wanted& wanted);

/// Whether it launches kernels itself.
bool launches_kernels(const Kernel& kernel);

/// The resources of a block of the launch.
gpu::BlockNeeds needs_of(const Kernel& kernel, int threads, uint64_t dynamic_shared_bytes);

}  // namespace warplens::session
