// Counters from PTX: what the emulator counted, corrected by rules for what ptxas is known to change.
#include <algorithm>
#include <map>

#include "warplens/report/builders/machine_report.h"
#include "warplens/report/metric_list.h"

namespace warplens::report {
namespace {

// What one PTX instruction becomes, on average over the kernels of the probe.
constexpr double kInstructionsPerPtx = 1.0, kFloatDivision = 10, kDoubleDivision = 23, kIntegerDivision = 20;

/// Loads and stores of the parameter and constant spaces are no traffic that these counters see.
simt::InstructionCounts* memory_class(const ptx::Mnemonic& m, const simt::InstructionCounts& c, ClassCounts* out) {
  const ptx::Space space = m.space();
  const bool shared = is_shared(space) || (space == ptx::Space::kGeneric && 2 * c.shared_requests > c.requests);
  switch (m.category) {
    case ptx::Category::kLoad:
    case ptx::Category::kStore: {
      const bool load = m.category == ptx::Category::kLoad;
      if (shared) return load ? &out->shared_load : &out->shared_store;
      if (space == ptx::Space::kLocal) return load ? &out->local_load : &out->local_store;
      if (space == ptx::Space::kGlobal || space == ptx::Space::kGeneric)
        return load ? &out->global_load : &out->global_store;
      return nullptr;
    }
    case ptx::Category::kAsyncCopy: return &out->global_load;
    case ptx::Category::kMatrixMove: {
      const bool store = m.opcode == ptx::Opcode::kWmmaStore || m.opcode == ptx::Opcode::kStmatrix;
      const bool fragment = store ? m.opcode == ptx::Opcode::kWmmaStore : m.opcode == ptx::Opcode::kWmmaLoad;
      if (fragment && !shared) return store ? &out->global_store : &out->global_load;
      return store ? &out->shared_store : &out->shared_load;
    }
    case ptx::Category::kAtomic:
      if (shared) return &out->shared_atomic;
      return m.opcode == ptx::Opcode::kRed ? &out->global_reduction : &out->global_atomic;
    default: return nullptr;
  }
}

std::string floating_name(const ptx::Mnemonic& m) {
  const std::string opcode(ptx::text(m.opcode));
  const std::string operation = opcode == "fma" || opcode == "mad" ? "fma" : opcode == "sub" ? "add" : opcode;
  if (operation != "add" && operation != "mul" && operation != "fma") return "";
  switch (m.type()) {
    case ptx::Type::kF32: return "f" + operation;
    case ptx::Type::kF64: return "d" + operation;
    case ptx::Type::kF16:
    case ptx::Type::kBf16:
    case ptx::Type::kF16x2:
    case ptx::Type::kBf16x2: return "h" + operation;
    default: return "";
  }
}

double machine_instructions(const ptx::Mnemonic& m) {
  const std::string_view opcode = ptx::text(m.opcode);
  if (opcode != "div" && opcode != "rem" && opcode != "sqrt" && opcode != "rcp") return kInstructionsPerPtx;
  if (m.type() == ptx::Type::kF64) return kDoubleDivision;
  if (m.type() == ptx::Type::kF32) return m.text.find("approx") == std::string::npos ? kFloatDivision : 2;
  return kIntegerDivision;
}

/// ptxas turns a product that only feeds a sum into one instruction where both are written without a rounding mode.
void contract(ClassCounts* counts) {
  for (const char* precision : {"f", "d"}) {
    double& add = counts->floating_threads[std::string(precision) + "add"];
    double& mul = counts->floating_threads[std::string(precision) + "mul"];
    const double together = 0.5 * std::min(add, mul);
    add -= together;
    mul -= together;
    counts->floating_threads[std::string(precision) + "fma"] += together;
  }
}

/// Warps that execute one matrix instruction together.
int warps_of(const ptx::Mnemonic& m) { return m.opcode == ptx::Opcode::kWgmmaMmaAsync ? 4 : 1; }

void add_to_work(const ptx::Mnemonic& m, const simt::InstructionCounts& c, Work* w) {
  const double n = static_cast<double>(c.executions) * machine_instructions(m);
  w->instructions += n;
  switch (m.category) {
    case ptx::Category::kInteger:
      w->alu += 0.6 * n;
      w->imad += 0.4 * n;
      break;
    case ptx::Category::kFp32: w->fma += n; break;
    case ptx::Category::kFp64: w->fp64 += n; break;
    case ptx::Category::kFp16: w->half += n; break;
    case ptx::Category::kSpecial:
    case ptx::Category::kConversion: w->special += n; break;
    case ptx::Category::kMove: w->alu += n; break;
    case ptx::Category::kMatrix:
      w->tensor += n;
      w->tensor_time_flops = w->tensor_flops +=
          2.0 * m.shape.m * m.shape.n * m.shape.k * static_cast<double>(c.executions) / warps_of(m);
      break;
    case ptx::Category::kLoad:
    case ptx::Category::kStore:
    case ptx::Category::kAtomic:
    case ptx::Category::kWarp: w->memory += n; break;
    default: break;
  }
}

void fill_traffic(const ClassCounts& c, Work* w) {
  w->load_sectors = static_cast<double>(c.global_load.sectors);
  w->store_sectors = static_cast<double>(c.global_store.sectors);
  w->local_store_sectors = static_cast<double>(c.local_store.sectors);
  w->local_sectors = static_cast<double>(c.local_load.sectors) + w->local_store_sectors;
  w->cache_lines = (w->load_sectors + w->store_sectors) / 4;
  w->shared_wavefronts =
      static_cast<double>(c.shared_load.wavefronts + c.shared_store.wavefronts + c.shared_atomic.wavefronts);
  w->atomic_lanes = static_cast<double>(c.global_atomic.predicated_on_threads);
  w->atomic_sectors = static_cast<double>(c.global_atomic.sectors);
  w->hottest_atomic_cycles = 2 * static_cast<double>(c.global_atomic.atomic_max_multiplicity);
  // Nothing is known of what blocks share: as if every byte were fetched once.
  w->read_sectors = static_cast<double>(c.global_load.ideal_sectors);
  w->written_sectors = static_cast<double>(c.global_store.ideal_sectors);
  const auto threads = [&](const char* name) {
    const auto found = c.floating_threads.find(name);
    return found == c.floating_threads.end() ? 0 : found->second;
  };
  w->fp32_flops = threads("fadd") + threads("fmul") + 2 * threads("ffma");
  w->fp64_flops = threads("dadd") + threads("dmul") + 2 * threads("dfma");
  w->half_flops = 2 * (threads("hadd") + threads("hmul") + 2 * threads("hfma"));
}

LineCounts& line_of(const ptx::Module& module, const ptx::Function& function, const ptx::Instruction& instruction,
                    std::map<std::pair<uint32_t, uint32_t>, LineCounts>* lines) {
  std::pair<uint32_t, uint32_t> key{0, 0};
  if (instruction.debug != ptx::kNone) {
    const ptx::DebugLocation& at = function.debug_locations[instruction.debug];
    key = {at.file, at.line};
  }
  LineCounts& line = (*lines)[key];
  line.file = module.file_name(key.first);
  line.line = key.second;
  return line;
}

void add_to_line(const ptx::Mnemonic& m, const simt::InstructionCounts& c, LineCounts* line) {
  ++line->instructions;
  line->all.add(c);
  ClassCounts classes;
  if (simt::InstructionCounts* to = memory_class(m, c, &classes)) to->add(c);
  line->global_load.add(classes.global_load);
  if (is_broadcast(classes.global_load)) line->broadcast.add(c);
  line->global_store.add(classes.global_store);
  line->local.add(classes.local_load);
  line->local.add(classes.local_store);
  line->shared_load.add(classes.shared_load);
  line->shared_store.add(classes.shared_store);
  line->atomics.add(classes.global_atomic);
  line->shared_atomics.add(classes.shared_atomic);
  if (m.category == ptx::Category::kFp64) line->fp64 += c.predicated_on_threads;
  const bool from_double = m.type(0) == ptx::Type::kF64 || m.type(1) == ptx::Type::kF64;
  if (m.category == ptx::Category::kConversion && from_double) line->conversions64 += c.predicated_on_threads;
  if (m.category == ptx::Category::kBarrier) line->barriers += c.executions;
}

}  // namespace

void count_ptx(const ptx::Module& module, const simt::LaunchCounts& counts,
               const std::vector<simt::AccessSample>& samples, const ReportOptions& options, KernelReport* report) {
  ClassCounts by_class;
  std::map<std::pair<uint32_t, uint32_t>, LineCounts> lines;
  for (size_t k = 0; k < counts.instructions.size(); ++k) {
    const ptx::Function& function = module.functions[counts.places[k].function];
    const ptx::Instruction& instruction = function.instructions[counts.places[k].instruction];
    const ptx::Mnemonic& mnemonic = module.mnemonic(instruction);
    const simt::InstructionCounts& c = counts.instructions[k];
    by_class.all.add(c);
    if (simt::InstructionCounts* to = memory_class(mnemonic, c, &by_class)) to->add(c);
    if (mnemonic.category == ptx::Category::kControl) by_class.branch.add(c);
    if (const std::string floating = floating_name(mnemonic); !floating.empty()) {
      by_class.floating_threads[floating] += static_cast<double>(c.predicated_on_threads);
    }
    add_to_work(mnemonic, c, &report->work);
    LineCounts& line = line_of(module, function, instruction, &lines);
    report->is_of_triton |= function.directive("reqntid") != nullptr && is_python(line.file);
    add_to_line(mnemonic, c, &line);
    if (options.instructions) {
      report->instructions.push_back({static_cast<uint32_t>(k), std::string(mnemonic.text), line.file, line.line, c});
    }
    if (!options.watch.holds(line.file, line.line)) continue;
    for (const simt::AccessSample& sample : samples) {
      if (sample.instruction == k)
        report->accesses.push_back({sample, std::string(mnemonic.text), line.file, line.line});
    }
  }
  sort_accesses(report);
  contract(&by_class);
  fill_traffic(by_class, &report->work);
  add_metrics(by_class, Fidelity::kAdjusted, report);
  for (auto& [at, line] : lines) {
    if (line.all.executions) report->lines.push_back(std::move(line));
  }
  std::stable_sort(report->lines.begin(), report->lines.end(),
                   [](const LineCounts& a, const LineCounts& b) { return a.all.executions > b.all.executions; });
  const double warps = static_cast<double>(std::max<uint64_t>(counts.warps, 1));
  const double chain = 4 * report->work.instructions / warps,
               loads = static_cast<double>(by_class.global_load.requests) / warps;
  report->work.block_cycles_l1 = chain + 33;
  report->work.block_cycles_l2 = chain + 270 * std::min(loads, 1.0 + 0.25 * loads);
  report->work.block_cycles_dram = chain + 680 * std::min(loads, 1.0 + 0.25 * loads);
  finish_report(report);
}

}  // namespace warplens::report
