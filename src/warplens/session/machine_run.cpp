#include "warplens/session/machine_run.h"

#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/base/timing.h"
#include "warplens/run/sass/processor.h"

namespace warplens::session {
namespace {

/// As launched, or as the kernel demands.
simt::Dim3 cluster_of(const simt::Dim3& asked, const ptx::Function& kernel) {
  simt::Dim3 out = asked;
  if (uint64_t{out[0]} * out[1] * out[2] > 1) return out;
  const ptx::Directive* directive = kernel.directive("reqnctapercluster");
  out = {1, 1, 1};
  for (size_t axis = 0; directive && axis < std::min(directive->values.size(), out.size()); ++axis)
    out[axis] = std::max(1u, static_cast<uint32_t>(directive->values[axis]));
  return out;
}

/// The parameter block as machine code reads it: ptxas aligns tensor maps where they lie in the constant bank, and with
/// them all that follows, not from the block's start as PTX does.
std::vector<uint8_t> placed_parameters(const std::vector<uint8_t>& block, const ptx::Function& kernel,
                                       const std::vector<cubin::Parameter>& places) {
  if (kernel.parameters.size() != places.size()) return block;
  std::vector<uint8_t> out(block.size());
  for (size_t i = 0; i < places.size(); ++i) {
    const ptx::Variable& parameter = kernel.parameters[i];
    if (parameter.offset + parameter.size_bytes > block.size() || parameter.size_bytes != places[i].size_bytes)
      return block;
    out.resize(std::max<size_t>(out.size(), places[i].offset + places[i].size_bytes));
    std::copy_n(block.begin() + static_cast<std::ptrdiff_t>(parameter.offset), parameter.size_bytes,
                out.begin() + places[i].offset);
  }
  return out;
}

constexpr uint64_t kMostTogether = 4096;  // blocks of a cooperative grid that are kept in memory at once

std::string refusal(MachineCode& code, const simt::Launch& launch) {
  if (code.cubin().empty()) return code.why_none().empty() ? "there is no machine code" : code.why_none();
  if (!simt::sass_machine::processor_can()) return "this processor has no AVX2";
  const uint64_t blocks = uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
  if (launch.cooperative && blocks > kMostTogether) return fmt::format("its {} blocks wait for each other", blocks);
  return "";
}

/// Why no report can be made of a run's counts; empty: one can.
Result<simt::sass_machine::MachineCounts> counts_of(const simt::sass_machine::Program& program,
                                                    const simt::sass_machine::MachineLaunch& launch) {
  WL_ASSIGN(simt::sass_machine::MachineCounts counts, simt::sass_machine::run_machine(program, launch));
  if (counts.stop.kind != simt::sass_machine::Stop::Kind::kNone) return unsupported(counts.stop.reason);
  return counts;
}

}  // namespace

Result<simt::sass_machine::Program> load_machine_code(Module& module, const std::string& kernel) {
  const auto find = [&](std::string_view name) -> std::optional<simt::sass_machine::Variable> {
    const auto found = module.ptx->find_symbol(name);
    if (!found) return std::nullopt;
    return simt::sass_machine::Variable{reinterpret_cast<uint64_t>(found->data), found->size_bytes,
                                        found->names_functions};
  };
  return simt::sass_machine::load_program(module.code.cubin(), kernel, find);
}

report::KernelReport run_machine_code(Module& module, const std::string& kernel, const simt::Launch& launch,
                                      const report::ReportOptions& options, bool keep_results) {
  const TimedScope timed("count");
  report::KernelReport report = report::begin_report(options, launch);
  report.why_adjusted = refusal(module.code, launch);
  const Result<const ptx::Function*> function = module.ptx->kernel(kernel);
  if (module.code.cubin().empty() || !function.ok()) return report;
  const Result<simt::sass_machine::Program> program = load_machine_code(module, kernel);
  if (!program.ok()) {
    report.why_adjusted = program.status().message();
    return report;
  }
  report::fill_resources(*program, launch.dynamic_shared_bytes, &report);
  if (!report.why_adjusted.empty()) return report;
  const report::CodeText& code = module.code.text(kernel, program->code.size());
  simt::sass_machine::MachineLaunch machine = report::machine_launch(launch, *options.device, report.work.needs);
  machine.memory = &module.memory;
  machine.restore = true;
  machine.keep_results = keep_results;
  machine.cluster = cluster_of(launch.cluster, **function);
  machine.parameters = placed_parameters(launch.parameters, **function, code.parameters);
  for (const cubin::SourceLine& at : code.lines) machine.watch.push_back(options.watch.holds(at.file, at.line));
  const Result<simt::sass_machine::MachineCounts> counts = counts_of(*program, machine);
  if (counts.ok()) report::count_machine_code(*program, *counts, code, options, launch.cooperative, &report);
  else report.why_adjusted = counts.status().message();
  return report;
}

}  // namespace warplens::session
