#include "warplens/session/machine_run.h"

#include <algorithm>

#include "warplens/run/sass/processor.h"

namespace warplens::session {
namespace {

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

gpu::BlockNeeds needs_of(const simt::sass_machine::Program& program, const simt::Launch& launch) {
  gpu::BlockNeeds needs;
  needs.threads = static_cast<int>(launch.block[0] * launch.block[1] * launch.block[2]);
  needs.registers = static_cast<int>(program.registers);
  needs.static_shared_bytes = program.own_shared_bytes();
  needs.dynamic_shared_bytes = launch.dynamic_shared_bytes;
  needs.barriers = static_cast<int>(std::max(program.barriers, 1u));
  return needs;
}

}  // namespace

Result<simt::sass_machine::Program> load_machine_code(Module& module, const std::string& kernel) {
  if (module.alone) return module.alone->program(kernel);
  const auto find = [&](std::string_view name) -> std::optional<simt::sass_machine::Variable> {
    const auto found = module.ptx->find_symbol(name);
    if (!found) return std::nullopt;
    return simt::sass_machine::Variable{reinterpret_cast<uint64_t>(found->data), found->size_bytes,
                                        found->names_functions};
  };
  return simt::sass_machine::load_program(module.code.cubin(), kernel, find);
}

Result<MachineRun> set_up(Module& module, const std::string& kernel, simt::sass_machine::Program program,
                          const simt::Launch& launch, const gpu::Device& device, const report::LineChoice& watch) {
  if (!simt::sass_machine::processor_can())
    return unsupported("machine code is run with AVX2, which this processor lacks");
  MachineRun out;
  out.code = &module.code.text(kernel, program.code.size());
  out.launch = report::machine_launch(launch, device, needs_of(program, launch));
  simt::sass_machine::MachineLaunch& machine = out.launch;
  machine.memory = &module.memory;
  machine.lines = &out.code->lines;
  if (uint64_t{launch.cluster[0]} * launch.cluster[1] * launch.cluster[2] <= 1) machine.cluster = program.cluster;
  if (module.ptx) {
    WL_ASSIGN(const ptx::Function* const function, module.ptx->kernel(kernel));
    machine.parameters = placed_parameters(launch.parameters, *function, out.code->parameters);
  }
  for (const cubin::SourceLine& at : out.code->lines) machine.watch.push_back(watch.holds(at.file, at.line));
  const simt::KernelDemands demands{program.registers, program.max_threads, program.own_shared_bytes()};
  WL_TRY(simt::check_limits(machine, machine.cluster, demands, device));
  out.program = std::move(program);
  return out;
}

simt::Fault fault_of(const simt::sass_machine::Stop& stop, const std::string& kernel, const report::CodeText& code) {
  simt::Fault fault{.kind = stop.kind, .message = stop.reason, .place = {}};
  fault.place.kernel = kernel;
  fault.place.block = stop.block;
  fault.place.thread = stop.thread;
  if (!stop.placed || stop.pc >= code.lines.size()) return fault;
  fault.place.file = code.lines[stop.pc].file;
  fault.place.line = code.lines[stop.pc].line;
  return fault;
}

}  // namespace warplens::session
