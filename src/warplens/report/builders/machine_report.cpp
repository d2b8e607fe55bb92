#include "warplens/report/builders/machine_report.h"

#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/isa/sass/operands.h"
#include "warplens/isa/sass/register_banks.h"
#include "warplens/model/constants.h"
#include "warplens/report/findings/findings.h"
#include "warplens/report/findings/shapes/shape_rules.h"
#include "warplens/report/instruction_class.h"
#include "warplens/report/machine_lines.h"
#include "warplens/report/metric_list.h"
#include "warplens/report/shapes/gathers.h"
#include "warplens/report/waiting_loops.h"

namespace warplens::report {
namespace {

using sass::Access, sass::Instruction, sass::Opcode, sass::Pipe;

double issue_cost(const Instruction& instruction, const sass::Word& word) {
  constexpr uint32_t kNoRegister = 255, kOneWord = 4;  // widths: 5 of two words, 6 of four
  if (instruction.opcode != Opcode::kLdc) return 1;
  const double words = 1 << (std::max(word.width_code(), kOneWord) - kOneWord);
  return words * (word.source_a() == kNoRegister ? model::kFixedConstantCycles : model::kConstantCycles);
}

void add_pipe(const Instruction& instruction, const sass::Word& word, double n, bool hopper, Work* w) {
  switch (instruction.pipe) {
    case Pipe::kAlu: w->alu += n; break;
    case Pipe::kFma: w->fma += n; break;
    case Pipe::kImad: w->imad += n; break;
    case Pipe::kFp64: w->fp64 += n; break;
    case Pipe::kHalf: w->half += n; break;
    case Pipe::kSpecial: w->special += n; break;
    case Pipe::kMemory: w->memory += issue_cost(instruction, word) * n; break;
    case Pipe::kTensor:
      w->tensor += n;
      if (instruction.opcode == Opcode::kDmma) w->double_tensor += n;
      w->tensor_flops += n * matrix_flops(instruction.opcode, word);
      w->tensor_time_flops += n * matrix_time_flops(instruction.opcode, word);
      if (hopper) w->tensor_lost_flops += n * lost_matrix_flops(instruction.opcode, word);
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

void add_local_stores(const simt::InstructionCounts& c, Work* w) {
  const auto sectors = static_cast<double>(c.sectors);
  w->local_store_sectors += sectors;
  w->partial_local_sectors += std::max(0.0, sectors - static_cast<double>(c.bytes) / 32);
}

constexpr double kPassBytes = 128;  // 32 banks of 4 bytes

void add_traffic(Access access, const simt::InstructionCounts& c, Work* w) {
  const auto sectors = static_cast<double>(c.sectors), ideal = static_cast<double>(c.ideal_sectors),
             wavefronts = static_cast<double>(c.wavefronts), bytes = static_cast<double>(c.bytes);
  switch (access) {
    case Access::kGlobalCopy:
      w->shared_wavefronts += bytes / kPassBytes;  // what fills shared memory
      [[fallthrough]];
    case Access::kGlobalLoad: w->load_sectors += sectors; break;
    case Access::kGlobalStore:
      w->store_sectors += sectors;
      w->stored_bytes += bytes;
      break;
    case Access::kLocalLoad: w->local_sectors += sectors; break;
    case Access::kLocalStore:
      w->local_sectors += sectors;
      add_local_stores(c, w);
      break;
    case Access::kSharedAtomic:
    case Access::kSharedLoad:
    case Access::kSharedStore:
      w->shared_wavefronts += wavefronts;
      w->shared_conflicts += wavefronts - static_cast<double>(c.ideal_wavefronts);
      break;
    case Access::kConstantLoad:
      w->memory += model::kConstantCycles * (wavefronts - static_cast<double>(c.ideal_wavefronts));
      break;
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
    case Access::kGenericStore: {
      const GenericCounts parts = split_generic(c);
      w->shared_wavefronts += wavefronts;
      w->local_sectors += static_cast<double>(parts.local.sectors);
      if (access == Access::kGenericLoad) {
        w->load_sectors += static_cast<double>(parts.global.sectors);
        break;
      }
      w->store_sectors += static_cast<double>(parts.global.sectors);
      w->stored_bytes += static_cast<double>(parts.global.bytes);
      add_local_stores(parts.local, w);
      break;
    }
    default: break;
  }
}

/// ptxas loads constants by fused products of nothing: HFMA2.MMA R5, -RZ, RZ, 0, 2. They compute nothing.
bool loads_constant(Opcode opcode, const sass::Word& word) {
  return (opcode == Opcode::kHfma2 || opcode == Opcode::kHfma2Mma) && word.bits(24, 8) == 255;
}

void add_to_work(const Instruction& instruction, const sass::Word& word, const simt::InstructionCounts& c, bool hopper,
                 Work* w) {
  const auto n = static_cast<double>(c.executions);
  w->instructions += n;
  if (sass::is_branch(instruction.opcode)) w->branches += n;
  if (instruction.opcode == Opcode::kBar) w->barriers += n;
  add_pipe(instruction, word, n, hopper, w);
  if (!loads_constant(instruction.opcode, word))
    add_flops(instruction.arithmetic, static_cast<double>(c.predicated_on_threads), w);
  add_traffic(sass::access_of(instruction, word), c, w);
}

void collect_instructions(const simt::sass_machine::Program& program, const CodeText& code,
                          const simt::sass_machine::MachineCounts& counts, KernelReport* report) {
  for (uint32_t k = 0; k < code.texts.size(); ++k) {
    if (code.texts[k].empty()) continue;  // padding behind the end
    const auto address = static_cast<uint32_t>(k * sizeof(sass::Word));
    report->instructions.push_back({k, sass::whole_text(program.code[k], address, program.architecture),
                                    code.lines[k].file, code.lines[k].line, counts.instructions[k]});
  }
}

void collect_accesses(const CodeText& code, const simt::sass_machine::MachineCounts& counts, KernelReport* report) {
  for (const simt::AccessSample& sample : counts.samples) {
    const cubin::SourceLine& at = code.lines[sample.instruction];
    report->accesses.push_back({sample, code.texts[sample.instruction], at.file, at.line});
  }
  sort_accesses(report);
}

void fill_work(const simt::sass_machine::Program& program, const simt::sass_machine::MachineCounts& counts,
               KernelReport* report) {
  Work& w = report->work;
  sass::RegisterBanks banks;
  const bool hopper = report->device->architecture().major == 9;
  for (size_t k = 0; k < program.code.size(); ++k) {
    add_to_work(program.at(k), program.code[k], counts.instructions[k], hopper, &w);
    w.register_waits +=
        static_cast<double>(banks.waits(program.at(k), program.code[k]) * counts.instructions[k].executions);
  }
  w.partial_sectors = static_cast<double>(counts.partial_sectors);
  w.cache_lines = static_cast<double>(counts.cache_lines);
  w.hottest_atomic_cycles = static_cast<double>(counts.hottest_atomic_cycles);
  w.read_sectors = static_cast<double>(counts.read_sectors);
  w.written_sectors = static_cast<double>(counts.written_sectors);
  w.lost_sectors = counts.lost_sectors;
  w.warm_sectors = static_cast<double>(counts.warm_sectors);
  w.exchanged_sectors = static_cast<double>(counts.exchanged_sectors);
  w.lone_sectors = static_cast<double>(counts.lone_sectors);
  w.merged_sectors = static_cast<double>(counts.merged_sectors);
  w.completed_sectors = static_cast<double>(counts.completed_sectors);
  w.apart_sectors = static_cast<double>(counts.apart_sectors);
  if (const double cycles = counts.block_cycles.back(); cycles > 0) {
    w.warps_stay = counts.warp_cycles / cycles;
    w.longest_block = counts.longest_block_cycles.back() / cycles;
  }
  w.fresh_rate = counts.fresh_rate;
  for (const uint64_t sectors : counts.remote.sectors) w.remote_sectors += static_cast<double>(sectors);
  const uint64_t stored = counts.remote.sectors[simt::sass_machine::RemoteCounts::kStore];
  w.remote_whole_sectors = std::min(w.remote_sectors, static_cast<double>(counts.remote.whole_sectors + stored));
  w.remote_atomic_sectors = static_cast<double>(counts.remote.sectors[simt::sass_machine::RemoteCounts::kAtomic]);
  w.crowded_sectors = static_cast<double>(counts.remote.crowded_sectors);
  w.l1_hit_rate = counts.l1_hit_rate;
  w.l1_late_rate = counts.l1_late_rate;
  w.distinct_of_warps = counts.distinct_of_warps;
  w.block_cycles_l1 = counts.block_cycles[0];
  w.block_cycles_l2 = counts.block_cycles[1];
  w.block_cycles_dram = counts.block_cycles[2];
}

/// FNV-1a over the instructions' words.
std::string digest_of(const std::vector<sass::Word>& code) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const sass::Word& word : code) {
    for (const uint64_t half : {word.low, word.high}) hash = (hash ^ half) * 0x100000001b3;
  }
  return fmt::format("{:016x}", hash);
}

/// What warps look for again and again until others have done it: what they count there is not the hardware's.
std::string matter_of_time(const simt::sass_machine::Program& program, const simt::sass_machine::MachineCounts& counts,
                           bool cooperative, bool waits_for_others) {
  if (counts.polled && cooperative) return "blocks poll until other blocks arrive, and timing decides how often";
  if (counts.polled) return "timing decides how often warps poll an mbarrier";
  if (waits_for_others) return "timing decides how often warps poll for other threads' writes";
  for (size_t k = 0; k < program.code.size(); ++k) {
    if (sass::is_compare_and_swap(program.at(k).opcode) && counts.instructions[k].executions > 0)
      return "timing decides how often a compare-and-swap is retried if warps share addresses";
  }
  return "";
}

}  // namespace

simt::sass_machine::MachineLaunch machine_launch(const simt::Launch& launch, const gpu::Device& device,
                                                 const gpu::BlockNeeds& needs) {
  const gpu::Occupancy occupancy = gpu::occupancy(device.architecture(), needs);
  simt::sass_machine::MachineLaunch out{launch};
  out.device = &device;
  out.sms = static_cast<uint32_t>(device.sms);
  out.blocks_per_sm = static_cast<uint32_t>(std::max(occupancy.blocks, 1));
  out.l2_bytes = static_cast<uint64_t>(device.l2_mb) << 20;
  out.l1_bytes = static_cast<uint64_t>(device.architecture().unified_kb) * 1024 -
                 static_cast<uint64_t>(std::max<int64_t>(occupancy.shared_bytes_configured, 0));
  return out;
}

KernelReport begin_report(const ReportOptions& options, const simt::LaunchShape& launch) {
  KernelReport report;
  report.kernel = options.name;
  report.grid = launch.grid;
  report.block = launch.block;
  report.device = options.device;
  report.peaks = options.peaks;
  report.work.blocks = static_cast<double>(uint64_t{report.grid[0]} * report.grid[1] * report.grid[2]);
  report.work.needs.threads = static_cast<int>(report.block[0] * report.block[1] * report.block[2]);
  return report;
}

void fill_resources(const simt::sass_machine::Program& program, uint32_t dynamic_shared_bytes, KernelReport* report) {
  Resources& r = report->resources;
  r.registers = program.registers;
  r.static_shared_bytes = program.own_shared_bytes();
  r.dynamic_shared_bytes = dynamic_shared_bytes;
  r.local_bytes = program.frame_bytes;
  r.barriers = std::max(program.barriers, 1u);
  gpu::BlockNeeds& needs = report->work.needs;
  needs.registers = static_cast<int>(r.registers);
  needs.static_shared_bytes = r.static_shared_bytes;
  needs.dynamic_shared_bytes = r.dynamic_shared_bytes;
  needs.barriers = static_cast<int>(r.barriers);
}

void count_machine_code(const simt::sass_machine::Program& program, const simt::sass_machine::MachineCounts& counts,
                        const CodeText& code, const ReportOptions& options, bool cooperative, KernelReport* report) {
  report->from_machine_code = true;
  report->code_architecture = program.architecture;
  report->code_digest = digest_of(program.code);
  report->has_results = counts.kept;
  report->why_ptx_ran = counts.why_not_kept;
  report->serialised = counts.serialised;
  ClassCounts by_class;
  by_class.architecture = program.architecture;
  for (size_t k = 0; k < program.code.size(); ++k)
    add_by_class(program.at(k), program.code[k], counts.instructions[k], &by_class);
  report->warp_instructions = by_class.all.executions;
  report->thread_instructions = by_class.all.predicated_on_threads;
  by_class.remote = counts.remote;
  report->is_of_triton = code.is_of_triton;
  report->waits_for_others = ran_waiting_loop(program, counts);
  report->why_adjusted = matter_of_time(program, counts, cooperative, report->waits_for_others);
  add_metrics(by_class, report->why_adjusted.empty() ? Fidelity::kExact : Fidelity::kAdjusted, report);
  fill_work(program, counts, report);
  collect_lines(program, counts, code.lines, find_gathers(program, counts), report);
  if (options.instructions) collect_instructions(program, code, counts, report);
  collect_accesses(code, counts, report);
  finish_report(report);
  if (const Shapes shapes = find_shapes(program, counts, code.lines); !shapes.empty())
    find_defects(report, shape_defects(*report, shapes));
}

bool LineChoice::holds(const std::string& path, uint32_t at) const {
  if (every) return true;
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
  report->work.local_bytes = report->resources.local_bytes;
  report->time = model::estimate_time(report->work, *report->device);
  report->roofline = report::roofline(report->work, *report->device, report->time.ns, report->peaks);
  add_estimates(report);
  find_defects(report);
}

}  // namespace warplens::report
