#include "warplens/session/code_run.h"

#include "warplens/base/text.h"
#include "warplens/base/timing.h"
#include "warplens/run/sass/processor.h"
#include "warplens/session/machine_run.h"

namespace warplens::session {
namespace {

using simt::Fault, simt::sass_machine::Stop;

Fault::Kind kind_of(Stop::Kind kind) {
  switch (kind) {
    case Stop::Kind::kIllegalAddress: return Fault::Kind::kIllegalAddress;
    case Stop::Kind::kMisaligned: return Fault::Kind::kMisaligned;
    case Stop::Kind::kTrap: return Fault::Kind::kTrap;
    case Stop::Kind::kAssert: return Fault::Kind::kAssert;
    case Stop::Kind::kDeadlock: return Fault::Kind::kDeadlock;
    case Stop::Kind::kLimit: return Fault::Kind::kTimeout;
    case Stop::Kind::kUnsupported: return Fault::Kind::kUnsupported;
    case Stop::Kind::kNone:
    case Stop::Kind::kFault: break;
  }
  return Fault::Kind::kInvalid;
}

Fault fault_of(const Stop& stop, const std::string& kernel, const report::CodeText& code) {
  Fault fault{.kind = kind_of(stop.kind), .message = stop.reason, .place = {}};
  fault.place.kernel = kernel;
  fault.place.block = stop.block;
  fault.place.thread = stop.thread;
  if (!stop.placed || stop.pc >= code.lines.size()) return fault;
  fault.place.file = code.lines[stop.pc].file;
  fault.place.line = code.lines[stop.pc].line;
  return fault;
}

Status check(const simt::Launch& launch) {
  if (launch.schedule.kind != simt::Schedule::Kind::kInOrder)
    return unsupported("machine code runs its blocks in order: give the .cu or .ptx file for another");
  return simt::sass_machine::processor_can() ? Status()
                                             : unsupported("machine code is run with AVX2, which this processor lacks");
}

}  // namespace

Result<CountedLaunch> run_code(Module& module, const std::string& kernel, const simt::Launch& launch,
                               const CountOptions& options) {
  const int64_t begin_ns = monotonic_ns();
  WL_TRY(check(launch));
  WL_ASSIGN(const simt::sass_machine::Program program, module.alone->program(kernel));
  WL_ASSIGN(const simt::sass_machine::KernelDemands demands, module.alone->demands(kernel));
  report::KernelReport report = report::begin_report(options, launch);
  report::fill_resources(program, launch.dynamic_shared_bytes, &report);
  const report::CodeText& code = module.code.text(kernel, program.code.size());
  simt::sass_machine::MachineLaunch machine = report::machine_launch(launch, *options.device, report.work.needs);
  machine.memory = &module.memory;
  const auto& asked = launch.cluster;
  if (uint64_t{asked[0]} * asked[1] * asked[2] <= 1) machine.cluster = demands.cluster;
  machine.lines = &code.lines;
  machine.counted = launch.checks == 0;
  for (const cubin::SourceLine& at : code.lines) machine.watch.push_back(options.watch.holds(at.file, at.line));
  WL_ASSIGN(simt::sass_machine::MachineCounts counts, simt::sass_machine::run_machine(program, machine));
  CountedLaunch out;
  if (launch.print && !counts.output.empty()) launch.print(counts.output);
  else out.result.output = counts.output;
  for (simt::Report& found : counts.reports) {
    found.place.kernel = kernel;
    if (found.other) found.other->kernel = kernel;
  }
  out.result.reports = std::move(counts.reports);
  out.result.reports_dropped = counts.reports_dropped;
  out.result.seconds = static_cast<double>(monotonic_ns() - begin_ns) * 1e-9;
  if (counts.stop.kind != Stop::Kind::kNone) {
    out.result.fault = fault_of(counts.stop, kernel, code);
    return out;
  }
  if (launch.checks != 0) return out;
  report::count_machine_code(program, counts, code, options, launch.cooperative, &report);
  report.has_results = true;  // memory was left as the machine code leaves it
  out.result.counts.warp_instructions = report.warp_instructions;
  out.result.counts.thread_instructions = report.thread_instructions;
  out.report = std::move(report);
  return out;
}

}  // namespace warplens::session
