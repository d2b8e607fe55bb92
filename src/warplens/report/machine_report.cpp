#include "warplens/report/machine_report.h"

#include <algorithm>
#include <cstring>

#include "warplens/base/text.h"
#include "warplens/base/timing.h"
#include "warplens/report/findings/findings.h"
#include "warplens/report/instruction_class.h"
#include "warplens/report/machine_lines.h"
#include "warplens/report/metric_list.h"
#include "warplens/run/sass/machine.h"

namespace warplens::report {
namespace {

bool processor_can() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
#else
  return true;
#endif
}

using sass::Access, sass::Instruction, sass::Opcode, sass::Pipe;

constexpr double kConstantCost = 1.75;  // of a load's in the load and store unit: 2 cycles an SM, measured on an H200

void add_pipe(const Instruction& instruction, const sass::Word& word, double n, Work* w) {
  switch (instruction.pipe) {
    case Pipe::kAlu: w->alu += n; break;
    case Pipe::kFma: w->fma += n; break;
    case Pipe::kImad: w->imad += n; break;
    case Pipe::kFp64: w->fp64 += n; break;
    case Pipe::kHalf: w->half += n; break;
    case Pipe::kSpecial: w->special += n; break;
    case Pipe::kMemory: w->memory += instruction.opcode == Opcode::kLdc ? kConstantCost * n : n; break;
    case Pipe::kTensor:
      w->tensor += n;
      w->tensor_flops += n * matrix_flops(instruction.opcode, word);
      break;
    case Pipe::kUniform:
    case Pipe::kControl: break;
  }
}

void add_flops(const sass::Arithmetic& arithmetic, double threads, Work* w) {
  const double flops = arithmetic.flops * threads;
  switch (arithmetic.precision) {
    case sass::Precision::kSingle: w->fp32_flops += flops; break;
    case sass::Precision::kDouble: w->fp64_flops += flops; break;
    case sass::Precision::kHalf: w->half_flops += flops; break;
    case sass::Precision::kNone: break;
  }
}

void add_traffic(Access access, const simt::InstructionCounts& c, Work* w) {
  const auto sectors = static_cast<double>(c.sectors), ideal = static_cast<double>(c.ideal_sectors),
             wavefronts = static_cast<double>(c.wavefronts), bytes = static_cast<double>(c.bytes);
  switch (access) {
    case Access::kGlobalLoad:
    case Access::kGlobalCopy: w->load_sectors += sectors; break;
    case Access::kGlobalStore:
      w->store_sectors += sectors;
      w->stored_bytes += bytes;
      break;
    case Access::kLocalLoad: w->local_sectors += sectors; break;
    case Access::kLocalStore:
      w->local_sectors += sectors;
      w->local_store_sectors += sectors;
      w->partial_local_sectors += std::max(0.0, sectors - bytes / 32);
      break;
    case Access::kSharedAtomic:
      w->shared_atomic_serial += static_cast<double>(c.atomic_max_multiplicity);
      w->shared_wavefronts += wavefronts;
      break;
    case Access::kSharedLoad:
    case Access::kSharedStore: w->shared_wavefronts += wavefronts; break;
    case Access::kGenericAtomic:
    case Access::kGlobalAtomic:
    case Access::kReduction:
      w->atomic_lanes += static_cast<double>(c.predicated_on_threads);
      w->atomic_sectors += sectors;
      w->stored_bytes += 32 * sectors;  // what they change was read
      break;
    case Access::kBulkLoad: w->load_sectors += ideal; break;  // asked for once
    case Access::kBulkStore:
    case Access::kBulkReduction:
      w->store_sectors += ideal;
      w->stored_bytes += 32 * ideal;
      break;
    case Access::kGenericLoad:
      w->load_sectors += sectors;
      w->shared_wavefronts += wavefronts;
      break;
    case Access::kGenericStore:
      w->store_sectors += sectors;
      w->shared_wavefronts += wavefronts;
      w->stored_bytes += bytes;
      break;
    default: break;
  }
}

/// ptxas loads constants by fused products of nothing: HFMA2.MMA R5, -RZ, RZ, 0, 2. They compute nothing.
bool loads_constant(Opcode opcode, const sass::Word& word) {
  return (opcode == Opcode::kHfma2 || opcode == Opcode::kHfma2Mma) && word.bits(24, 8) == 255;
}

void add_to_work(const Instruction& instruction, const sass::Word& word, const simt::InstructionCounts& c,
                 Work* w) {
  const auto n = static_cast<double>(c.executions);
  w->instructions += n;
  if (sass::is_branch(instruction.opcode)) w->branches += n;
  add_pipe(instruction, word, n, w);
  if (!loads_constant(instruction.opcode, word))
    add_flops(instruction.arithmetic, static_cast<double>(c.predicated_on_threads), w);
  add_traffic(sass::access_of(instruction, word), c, w);
}

void collect_instructions(const CodeText& code, const simt::sass_machine::MachineCounts& counts, KernelReport* report) {
  for (uint32_t k = 0; k < code.texts.size(); ++k) {
    if (code.texts[k].empty()) continue;  // padding behind the end
    report->instructions.push_back({k, code.texts[k], code.lines[k].file, code.lines[k].line, counts.instructions[k]});
  }
}

void collect_accesses(const CodeText& code, const simt::sass_machine::MachineCounts& counts, KernelReport* report) {
  for (const simt::AccessSample& sample : counts.samples) {
    const cubin::SourceLine& at = code.lines[sample.instruction];
    report->accesses.push_back({sample, code.texts[sample.instruction], at.file, at.line});
  }
  sort_accesses(report);
}

void fill_work(const simt::sass_machine::Program& program, const simt::sass_machine::MachineCounts& counts, KernelReport* report) {
  Work& w = report->work;
  for (size_t k = 0; k < program.code.size(); ++k)
    add_to_work(program.at(k), program.code[k], counts.instructions[k], &w);
  w.partial_sectors = static_cast<double>(counts.partial_sectors);
  w.cache_lines = static_cast<double>(counts.cache_lines);
  w.hottest_atomic_cycles = static_cast<double>(counts.hottest_atomic_cycles);
  w.read_sectors = static_cast<double>(counts.read_sectors);
  w.written_sectors = static_cast<double>(counts.written_sectors);
  w.lost_sectors = counts.lost_sectors;
  w.lone_sectors = static_cast<double>(counts.lone_sectors);
  w.merged_sectors = static_cast<double>(counts.merged_sectors);
  w.l1_hit_rate = counts.l1_hit_rate;
  w.l1_late_rate = counts.l1_late_rate;
  w.block_cycles_l1 = counts.block_cycles[0];
  w.block_cycles_l2 = counts.block_cycles[1];
  w.block_cycles_dram = counts.block_cycles[2];
}

void fill_resources(const simt::sass_machine::Program& program, const simt::ptx_machine::LaunchConfig& config, KernelReport* report) {
  constexpr uint32_t kReserved = 1024;  // counted with the static shared memory on compute capability 9.0 and later
  Resources& r = report->resources;
  r.registers = program.registers;
  r.static_shared_bytes = program.static_shared_bytes;
  if (program.architecture >= 90 && r.static_shared_bytes >= kReserved) r.static_shared_bytes -= kReserved;
  r.dynamic_shared_bytes = config.dynamic_shared_bytes;
  r.local_bytes = program.frame_bytes;
  r.barriers = std::max(program.barriers, 1u);
  gpu::BlockNeeds& needs = report->work.needs;
  needs.threads = static_cast<int>(config.block[0] * config.block[1] * config.block[2]);
  needs.registers = static_cast<int>(r.registers);
  needs.static_shared_bytes = r.static_shared_bytes;
  needs.dynamic_shared_bytes = r.dynamic_shared_bytes;
  needs.barriers = static_cast<int>(r.barriers);
}

/// As launched, or as the kernel demands.
std::array<uint32_t, 3> cluster_of(const LaunchToCount& request) {
  std::array<uint32_t, 3> out = request.config->cluster;
  if (uint64_t{out[0]} * out[1] * out[2] > 1) return out;
  const Result<const ptx::Function*> function = request.module->kernel(request.kernel);
  const ptx::Directive* directive = function.ok() ? (*function)->directive("reqnctapercluster") : nullptr;
  out = {1, 1, 1};
  for (size_t axis = 0; directive && axis < std::min(directive->values.size(), out.size()); ++axis)
    out[axis] = std::max(1u, static_cast<uint32_t>(directive->values[axis]));
  return out;
}

simt::sass_machine::Launch machine_launch(const LaunchToCount& request, const gpu::Occupancy& occupancy) {
  simt::sass_machine::Launch launch;
  launch.grid = request.config->grid;
  launch.block = request.config->block;
  launch.dynamic_shared_bytes = request.config->dynamic_shared_bytes;
  launch.memory = &request.module->memory();
  launch.instruction_limit = request.config->instruction_limit;
  launch.threads = request.config->threads;
  launch.timeout_s = request.timeout_s;
  launch.cancel = request.config->cancel;
  launch.cooperative = request.config->cooperative;
  launch.cluster = cluster_of(request);
  launch.restore = true;
  launch.keep_results = request.results;
  launch.sms = static_cast<uint32_t>(request.device->sms);
  launch.blocks_per_sm = static_cast<uint32_t>(std::max(occupancy.blocks, 1));
  launch.l2_bytes = static_cast<uint64_t>(request.device->l2_mb) << 20;
  launch.l1_bytes = static_cast<uint64_t>(request.device->architecture().unified_kb) * 1024 -
                    static_cast<uint64_t>(std::max<int64_t>(occupancy.shared_bytes_configured, 0));
  return launch;
}

/// The parameter block as machine code reads it: ptxas aligns tensor maps where they lie in the constant bank, and with
/// them all that follows, not from the block's start as PTX does.
std::vector<uint8_t> placed_parameters(const LaunchToCount& request, const std::vector<cubin::Parameter>& places) {
  const std::vector<uint8_t>& block = request.config->parameters;
  const Result<const ptx::Function*> kernel = request.module->kernel(request.kernel);
  if (!kernel.ok() || (*kernel)->parameters.size() != places.size()) return block;
  std::vector<uint8_t> out(block.size());
  for (size_t i = 0; i < places.size(); ++i) {
    const ptx::Variable& parameter = (*kernel)->parameters[i];
    if (parameter.offset + parameter.size_bytes > block.size() || parameter.size_bytes != places[i].size_bytes)
      return block;
    out.resize(std::max<size_t>(out.size(), places[i].offset + places[i].size_bytes));
    std::copy_n(block.begin() + static_cast<std::ptrdiff_t>(parameter.offset), parameter.size_bytes,
                out.begin() + places[i].offset);
  }
  return out;
}

constexpr uint64_t kMostTogether = 4096;  // blocks of a cooperative grid that are kept in memory at once

std::string refusal(const LaunchToCount& request) {
  const simt::ptx_machine::LaunchConfig& config = *request.config;
  if (request.cubin.empty()) return request.why_no_cubin.empty() ? "there is no machine code" : request.why_no_cubin;
  if (!processor_can()) return "this processor has no AVX2";
  const uint64_t blocks = uint64_t{config.grid[0]} * config.grid[1] * config.grid[2];
  if (config.cooperative && blocks > kMostTogether) return fmt::format("its {} blocks wait for each other", blocks);
  return "";
}

/// What warps look for again and again until others have done it: what they count there is not the hardware's.
std::string matter_of_time(const simt::sass_machine::Program& program, const simt::sass_machine::MachineCounts& counts, bool cooperative) {
  if (counts.polled && cooperative) return "how often blocks look whether the others have come is a matter of time";
  if (counts.polled) return "how often warps look at an mbarrier without waiting is a matter of time";
  for (size_t k = 0; k < program.code.size(); ++k)
    if (sass::is_compare_and_swap(program.at(k).opcode) && counts.instructions[k].executions > 0)
      return "how often a compare-and-swap has to be tried again is a matter of time, where warps share addresses";
  return "";
}

}  // namespace

Result<KernelReport> count_machine_code(const LaunchToCount& request) {
  const TimedScope timed("count");
  KernelReport report;
  report.kernel = request.name;
  report.grid = request.config->grid;
  report.block = request.config->block;
  report.device = request.device;
  report.peaks = request.peaks;
  report.work.blocks = static_cast<double>(uint64_t{report.grid[0]} * report.grid[1] * report.grid[2]);
  report.work.needs.threads = static_cast<int>(report.block[0] * report.block[1] * report.block[2]);
  report.why_adjusted = refusal(request);
  if (request.cubin.empty()) return report;
  const auto find = [&](std::string_view name) -> std::optional<simt::sass_machine::Variable> {
    const auto found = request.module->find_symbol(name);
    if (!found) return std::nullopt;
    return simt::sass_machine::Variable{reinterpret_cast<uint64_t>(found->data), found->size_bytes, found->names_functions};
  };
  const Result<simt::sass_machine::Program> program = simt::sass_machine::load_program(request.cubin, request.kernel, find);
  if (!program.ok()) {
    report.why_adjusted = program.status().message();
    return report;
  }
  fill_resources(*program, *request.config, &report);
  if (!report.why_adjusted.empty()) return report;
  const gpu::Occupancy occupancy = gpu::occupancy(request.device->architecture(), report.work.needs);
  CodeTexts own;
  const CodeText& code =
      (request.texts ? *request.texts : own).of(request.cubin, request.kernel, program->code.size());
  simt::sass_machine::Launch launch = machine_launch(request, occupancy);
  launch.parameters = placed_parameters(request, code.parameters);
  for (const cubin::SourceLine& at : code.lines) launch.watch.push_back(request.watch.holds(at.file, at.line));
  const Result<simt::sass_machine::MachineCounts> ran = simt::sass_machine::run_machine(*program, launch);
  if (!ran.ok()) {
    report.why_adjusted = ran.status().message();
    return report;
  }
  const simt::sass_machine::MachineCounts& counts = *ran;
  if (counts.stop.kind != simt::sass_machine::Stop::Kind::kNone) {
    report.why_adjusted = counts.stop.reason;
    return report;
  }
  report.from_machine_code = true;
  report.code_architecture = program->architecture;
  report.has_results = counts.kept;
  report.why_ptx_ran = counts.why_not_kept;
  report.serialised = counts.serialised;
  ClassCounts by_class;
  by_class.architecture = program->architecture;
  for (size_t k = 0; k < program->code.size(); ++k)
    add_by_class(program->at(k), program->code[k], counts.instructions[k], &by_class);
  report.warp_instructions = by_class.all.executions;
  report.thread_instructions = by_class.all.predicated_on_threads;
  by_class.remote = counts.remote;
  report.why_adjusted = matter_of_time(*program, counts, launch.cooperative);
  add_metrics(by_class, report.why_adjusted.empty() ? Fidelity::kExact : Fidelity::kAdjusted, &report);
  fill_work(*program, counts, &report);
  collect_lines(*program, counts, code.lines, &report);
  if (request.instructions) collect_instructions(code, counts, &report);
  collect_accesses(code, counts, &report);
  finish_report(&report);
  return report;
}

bool LineChoice::holds(const std::string& path, uint32_t at) const {
  if (line == 0 || at != line) return false;
  return file.empty() || path == file || path.ends_with("/" + file);
}

void sort_accesses(KernelReport* report) {
  std::stable_sort(report->accesses.begin(), report->accesses.end(),
                   [](const AccessExample& a, const AccessExample& b) {
                     return a.sample.cost - a.sample.ideal > b.sample.cost - b.sample.ideal;
                   });
}

void finish_report(KernelReport* report) {
  report->time = report::estimate_time(report->work, *report->device);
  report->roofline = report::roofline(report->work, *report->device, report->time.ns, report->peaks);
  add_estimates(report);
  report->findings = find_defects(*report);
}

}  // namespace warplens::report
