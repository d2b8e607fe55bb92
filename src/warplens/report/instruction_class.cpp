#include "warplens/report/instruction_class.h"

#include "warplens/model/constants.h"
#include "warplens/report/executed_metrics.h"
#include "warplens/run/sass/matrix/gmma.h"

namespace warplens::report {

using sass::Access, sass::Category, sass::Opcode, sass::Pipe;

namespace {

/// Local memory is asked for word by word: 8 bytes per lane are two requests, 16 are four.
simt::InstructionCounts in_words(const sass::Word& word, simt::InstructionCounts c) {
  constexpr uint64_t kWords[] = {1, 1, 1, 1, 1, 2, 4, 1};  // by the width's code: bytes, halves, 32, 64, 128 bits
  c.requests *= kWords[word.width_code()];
  return c;
}

/// Accesses whose counts tell where their lanes went.
bool may_be_shared(Access access) {
  return sass::space_of(access) == sass::MemorySpace::kGeneric || access == Access::kGlobalAtomic;
}

void add_by_place(Access access, const sass::Word& word, const simt::InstructionCounts& c, ClassCounts* out) {
  GenericCounts parts = split_generic(c);
  switch (access) {
    case Access::kGenericLoad:
      out->global_load.add(parts.global);
      out->shared_load.add(parts.shared);
      out->local_load.add(in_words(word, parts.local));
      break;
    case Access::kGenericStore:
      out->global_store.add(parts.global);
      out->shared_store.add(parts.shared);
      out->local_store.add(in_words(word, parts.local));
      break;
    default:
      // The hardware takes ATOM through the pipe of shared memory once, also where all lanes go to global memory.
      if (access == Access::kGenericAtomic) parts.shared.wavefronts += parts.global.requests;
      out->global_atomic.add(parts.global);
      out->shared_atomic.add(parts.shared);
  }
}

/// The class that a whole instruction is of; nullptr: none.
simt::InstructionCounts* class_of(Access access, ClassCounts* out) {
  switch (access) {
    case Access::kGlobalLoad:
    case Access::kGlobalCopy: return &out->global_load;
    case Access::kGlobalStore: return &out->global_store;
    case Access::kLocalLoad: return &out->local_load;
    case Access::kLocalStore: return &out->local_store;
    case Access::kSharedLoad: return &out->shared_load;
    case Access::kSharedStore: return &out->shared_store;
    case Access::kSharedAtomic: return &out->shared_atomic;
    case Access::kReduction: return &out->global_reduction;
    case Access::kBulkLoad: return &out->bulk_load;
    case Access::kBulkStore: return &out->bulk_store;
    case Access::kBulkReduction: return &out->bulk_reduction;
    default: return nullptr;
  }
}

void add_access(Access access, const sass::Word& word, const simt::InstructionCounts& c, ClassCounts* out) {
  if (may_be_shared(access)) return add_by_place(access, word, c, out);
  simt::InstructionCounts* counts = class_of(access, out);
  if (!counts) return;
  counts->add(sass::space_of(access) == sass::MemorySpace::kLocal ? in_words(word, c) : c);
}

bool is_copy_engine(Access access) {
  return access == Access::kBulkLoad || access == Access::kBulkStore || access == Access::kBulkReduction ||
         access == Access::kBulkCopy || access == Access::kBulkOther;
}

/// What Nsight Compute counts as control; calls by a register are not.
bool is_control(Opcode opcode) {
  return opcode == Opcode::kBra || opcode == Opcode::kExit || opcode == Opcode::kCallRel || opcode == Opcode::kRet;
}

void add_threads(const sass::Instruction& instruction, double threads, ClassCounts* out) {
  if (instruction.arithmetic.flops) out->floating_threads[std::string(instruction.arithmetic.name)] += threads;
  const bool integer = instruction.pipe == Pipe::kAlu && instruction.opcode != Opcode::kMov;
  if (instruction.pipe == Pipe::kImad || integer) out->integer_threads += threads;
  if (is_control(instruction.opcode)) out->control_threads += threads;
  if (instruction.pipe == Pipe::kSpecial && instruction.category == Category::kConversion)
    out->conversion_threads += threads;
}

}  // namespace

double matrix_flops(Opcode opcode, const sass::Word& word) {
  const double rows = 2.0 * 16;
  if (sass::is_group_product(opcode)) {
    const simt::sass_machine::GroupShape shape = simt::sass_machine::group_shape(opcode, word);
    return rows * shape.n * shape.k;
  }
  if (opcode == Opcode::kDmma) {
    const uint32_t shape = word.bits(76, 2);  // 8x8x4, 16x8x4, 16x8x8, 16x8x16
    return shape == 0 ? 2.0 * 8 * 8 * 4 : rows * 8 * (2u << shape);
  }
  if (opcode == Opcode::kBmma) return 2.0 * 8 * (word.bit(76) ? 16 * 256 : word.bit(75) ? 16 * 128 : 8 * 128);
  if (opcode == Opcode::kImma) {
    const double k = word.bit(86) ? 16 << (word.bit(75) | word.bit(85) << 1) : word.bit(85) ? 32 : 16;
    return 2.0 * (word.bit(86) ? 16 : 8) * 8 * k / (word.bit(72) ? 2 : 1);  // sparse: half of A is zeros
  }
  const bool tf32 = word.bit(83), sparse = word.bit(73);
  if (sparse) return rows * 8 * (tf32 ? (word.bit(75) ? 8 : 4) : word.bit(78) ? 16 : 8);
  if (tf32) return rows * 8 * (word.bit(78) ? 4 : 8);
  return rows * 8 * (word.bit(75) ? 16 : 8);
}

namespace {

/// Bits of a number that is multiplied.
double matrix_bits(Opcode opcode, const sass::Word& word) {
  if (opcode == Opcode::kDmma) return 16 * 14.8;  // 67 TFLOP/s where halves reach 989
  if (opcode == Opcode::kBmma) return 1;
  if (opcode == Opcode::kImma || opcode == Opcode::kIgmma || opcode == Opcode::kQgmma) return 8;
  if (sass::is_group_product(opcode)) return 512.0 / (2 * simt::sass_machine::group_shape(opcode, word).k);
  return word.bit(83) ? 32 : 16;
}

}  // namespace

double matrix_time_flops(Opcode opcode, const sass::Word& word) {
  return matrix_flops(opcode, word) * matrix_bits(opcode, word) / 16;
}

double lost_matrix_flops(Opcode opcode, const sass::Word& word) {
  if (sass::is_group_product(opcode)) return 0;
  const double ideal = matrix_time_flops(opcode, word);
  const bool long_rows = ideal >= 4096;  // 32 bytes of a row of A
  const double cycles = opcode == Opcode::kDmma ? model::kDoubleMatrixCycles
                        : long_rows             ? model::kLongMatrixCycles
                                                : model::kShortMatrixCycles;
  return std::max(0.0, cycles * model::kMatrixFlops - ideal);
}

void add_by_class(const sass::Instruction& instruction, const sass::Word& word, const simt::InstructionCounts& c,
                  ClassCounts* out) {
  out->all.add(c);
  add_access(sass::access_of(instruction, word), word, c, out);
  add_threads(instruction, static_cast<double>(c.predicated_on_threads), out);
  const auto metrics = executed_metrics();
  out->executed.resize(metrics.size());
  for (size_t k = 0; k < metrics.size(); ++k) {
    if (metrics[k].holds(instruction)) out->executed[k] += static_cast<double>(c.executions);
  }
  if (instruction.opcode == Opcode::kBra) {
    out->branch.add(c);
  } else {
    out->branch.divergent_branches += c.divergent_branches;  // of calls through pointers
  }
  if (is_copy_engine(instruction.access)) out->copy_engine += static_cast<double>(c.executions);
}

GenericCounts split_generic(const simt::InstructionCounts& c) {
  GenericCounts out{c, c, {}};
  out.shared.requests = c.shared_requests;
  out.shared.bytes = c.generic_shared_bytes;
  out.shared.sectors = out.shared.ideal_sectors = 0;
  out.local.requests = c.generic_local_requests;
  out.local.sectors = c.generic_local_sectors;
  out.local.ideal_sectors = c.generic_local_ideal_sectors;
  out.local.bytes = c.generic_local_bytes;
  out.global.requests = c.requests - out.shared.requests - out.local.requests;
  out.global.sectors = c.sectors - out.local.sectors;
  out.global.ideal_sectors = c.ideal_sectors - out.local.ideal_sectors;
  out.global.bytes = c.bytes - out.shared.bytes - out.local.bytes;
  out.global.shared_requests = out.global.wavefronts = out.global.ideal_wavefronts = 0;
  return out;
}

}  // namespace warplens::report
