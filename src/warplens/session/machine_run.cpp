#include "warplens/session/machine_run.h"

#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/base/timing.h"
#include "warplens/run/sass/control/device_runtime.h"
#include "warplens/run/sass/processor.h"

namespace warplens::session {
namespace {

using simt::sass_machine::MachineCounts, simt::sass_machine::MachineLaunch, simt::sass_machine::Stop;

/// ptxas aligns tensor maps where they lie in the constant bank, and with them all that follows, not from the block's
/// start as PTX does. The block itself where the two do not agree on the parameters.
template <typename From, typename To>
std::vector<uint8_t> moved(const std::vector<uint8_t>& block, const From& from, const To& to) {
  if (from.size() != to.size()) return block;
  std::vector<uint8_t> out;
  for (size_t i = 0; i < to.size(); ++i) {
    const size_t begin = from[i].offset, size = from[i].size_bytes, target = to[i].offset, room = to[i].size_bytes;
    if (begin + size > block.size()) return block;
    out.resize(std::max(out.size(), target + room));
    std::copy_n(block.data() + begin, std::min(size, room), out.data() + target);
  }
  return out;
}

/// What stopped it, where in the kernel.
simt::Fault fault_of(Kernel& kernel, const Stop& stop) {
  simt::Fault fault{.kind = stop.kind, .message = stop.reason, .place = {}};
  fault.place.kernel = kernel.name;
  fault.place.block = stop.block;
  fault.place.thread = stop.thread;
  if (!stop.placed) return fault;
  const std::vector<cubin::SourceLine>& lines = kernel.module->text_of(kernel).lines;
  if (stop.pc >= lines.size()) return fault;
  fault.place.file = lines[stop.pc].file;
  fault.place.line = lines[stop.pc].line;
  return fault;
}

/// What the checks found, and what the kernel printed.
void take_findings(const std::string& kernel, const simt::Launch& launch, MachineCounts* counts,
                   simt::LaunchResult* result) {
  if (launch.print && !counts->output.empty()) launch.print(counts->output);
  else result->output = std::move(counts->output);
  for (simt::Report& found : counts->reports) {
    found.place.kernel = kernel;
    if (found.other) found.other->kernel = kernel;
  }
  result->reports = std::move(counts->reports);
  result->reports_dropped = counts->reports_dropped;
}

}  // namespace

gpu::BlockNeeds needs_of(const Kernel& kernel, int threads, uint64_t dynamic_shared_bytes) {
  gpu::BlockNeeds needs;
  needs.threads = threads;
  needs.registers = static_cast<int>(kernel.program.registers);
  needs.static_shared_bytes = kernel.program.own_shared_bytes();
  needs.dynamic_shared_bytes = static_cast<int64_t>(dynamic_shared_bytes);
  needs.barriers = static_cast<int>(std::max(kernel.program.barriers, 1u));
  return needs;
}

bool launches_kernels(const Kernel& kernel) {
  const std::vector<std::string>& calls = kernel.program.system_calls;
  return std::ranges::find(calls, simt::sass_machine::kGetParameterBuffer) != calls.end();
}

std::vector<uint8_t> ptx_parameters(const Kernel& kernel, const std::vector<uint8_t>& block) {
  return moved(block, kernel.program.parameters, kernel.ptx->parameters);
}

Result<MachineLaunch> set_up(Kernel& kernel, const simt::Launch& launch, const gpu::Device& device,
                             const Wanted& wanted) {
  if (!simt::sass_machine::processor_can())
    return unsupported("machine code is run with AVX2, which this processor lacks");
  const simt::sass_machine::Program& program = kernel.program;
  const auto threads = static_cast<int>(launch.block[0] * launch.block[1] * launch.block[2]);
  MachineLaunch out = report::machine_launch(launch, device, needs_of(kernel, threads, launch.dynamic_shared_bytes));
  out.memory = &kernel.module->memory;
  out.textures = wanted.textures;
  out.children = wanted.children;
  out.l2 = wanted.l2;
  out.code = &kernel.code;
  out.lets_padding = wanted.of_program && launch.checks == 0;
  if (uint64_t{launch.cluster[0]} * launch.cluster[1] * launch.cluster[2] <= 1) out.cluster = program.cluster;
  if (!wanted.of_program && kernel.module->ptx) {
    WL_ASSIGN(const ptx::Function* const function, kernel.module->ptx->kernel(kernel.name));
    out.parameters = moved(launch.parameters, function->parameters, program.parameters);
  }
  if (launch.checks != 0) out.lines = &kernel.module->text_of(kernel).lines;
  if (wanted.counts != nullptr && wanted.counts->watch.any()) {
    for (const cubin::SourceLine& at : kernel.module->text_of(kernel).lines)
      out.watch.push_back(wanted.counts->watch.holds(at.file, at.line));
  }
  const simt::KernelDemands demands{program.registers, program.max_threads, program.own_shared_bytes()};
  WL_TRY(simt::check_limits(out, out.cluster, demands, device));
  return out;
}

void add_counts(Kernel& kernel, const MachineCounts& counts, const CountOptions& options, bool cooperative,
                report::KernelReport* report) {
  report::count_machine_code(kernel.program, counts, kernel.module->text_of(kernel), options, cooperative, report);
}

Result<Outcome> run_machine_code(Kernel& kernel, const simt::Launch& launch, const Wanted& wanted) {
  const int64_t begin_ns = monotonic_ns();
  const simt::sass_machine::Program& program = kernel.program;
  WL_ASSIGN(MachineLaunch ready, set_up(kernel, launch, simt::device_of(launch, program.architecture), wanted));
  ready.counted = wanted.counts != nullptr && launch.checks == 0;
  WL_ASSIGN(MachineCounts counts, simt::sass_machine::run_machine(program, ready));
  Outcome out;
  out.by_machine_code = true;
  take_findings(kernel.name, launch, &counts, &out.result);
  out.result.seconds = static_cast<double>(monotonic_ns() - begin_ns) * 1e-9;
  if (counts.let_pass.kind != Stop::Kind::kNone) out.let_pass = fault_of(kernel, counts.let_pass);
  const bool late = counts.stop.kind == Stop::Kind::kTimeout;
  if (late) counts.stop.reason += fmt::format(", when {} of its {} blocks had", counts.ended_blocks, counts.blocks);
  if (counts.stop.kind != Stop::Kind::kNone) out.result.fault = fault_of(kernel, counts.stop);
  const bool kept = !out.result.fault || (wanted.of_program && late);
  if (!ready.counted || !kept) return out;
  report::KernelReport& report = out.report.emplace(report::begin_report(*wanted.counts, launch));
  report::fill_resources(program, launch.dynamic_shared_bytes, &report);
  add_counts(kernel, counts, *wanted.counts, launch.cooperative, &report);
  out.touched = std::move(counts.touched);
  report.has_results = true;  // memory was left as the machine code leaves it
  if (out.result.fault) report.why_adjusted = "it was stopped: " + counts.stop.reason;
  out.result.counts.warp_instructions = report.warp_instructions;
  out.result.counts.thread_instructions = report.thread_instructions;
  return out;
}

}  // namespace warplens::session
