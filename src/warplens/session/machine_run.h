// A launch of a kernel's machine code: how it is set up, and what it leaves.
#pragma once
#include "warplens/report/machine_report.h"
#include "warplens/run/sass/machine.h"
#include "warplens/session/module.h"

namespace warplens::session {

/// A kernel of the module's cubin, whose variables are the module's.
Result<simt::sass_machine::Program> load_machine_code(Module& module, const std::string& kernel);

struct MachineRun {
  simt::sass_machine::Program program;
  simt::sass_machine::MachineLaunch launch;
  const report::CodeText* code = nullptr;  // the module's
};
/// `program` as `launch` asks for it, on the module's memory. `watch`: lines of which examples are kept.
/// Errors: this processor cannot run machine code; what the GPU refuses, by its limits.
Result<MachineRun> set_up(Module& module, const std::string& kernel, simt::sass_machine::Program program,
                          const simt::Launch& launch, const gpu::Device& device, const report::LineChoice& watch);

/// What stopped it, where in the kernel.
simt::Fault fault_of(const simt::sass_machine::Stop& stop, const std::string& kernel, const report::CodeText& code);

}  // namespace warplens::session
