#include "warplens/report/instruction_class.h"

#include "warplens/report/executed_metrics.h"
#include "warplens/run/sass/gmma.h"
#include "warplens/run/sass/pipe.h"

namespace warplens::report {

Class class_of(const simt::sass_machine::Word& word) {
  switch (word.opcode()) {
    case 0x181: case 0x1ae: return Class::kGlobalLoad;
    case 0x186: return Class::kGlobalStore;
    case 0x183: return Class::kLocalLoad;
    case 0x187: return Class::kLocalStore;
    case 0x184: case 0x03b: return Class::kSharedLoad;
    case 0x188: case 0x044: return Class::kSharedStore;
    case 0x18c: case 0x18d: return Class::kSharedAtomic;
    case 0x18a: case 0x18b: case 0x1a2: case 0x1a3: case 0x1a8: case 0x1a9: return Class::kAtomic;
    case 0x18e: case 0x1a6: return Class::kReduction;
    case 0x180: return Class::kGenericLoad;
    case 0x185: return Class::kGenericStore;
    case 0x1b4: return Class::kBulkLoad;
    case 0x1b5: return Class::kBulkStore;
    case 0x1b6: return Class::kBulkReduction;
    case 0x1ba: return word.bits(73, 2) == 1   ? Class::kBulkLoad
                       : word.bits(73, 2) == 2 ? Class::kBulkStore
                                               : Class::kOther;  // within the cluster
    case 0x1bb: return word.bits(73, 2) == 2 ? Class::kBulkReduction : Class::kOther;
    default: return Class::kOther;
  }
}

bool is_compare_and_swap(const simt::sass_machine::Word& word) {
  const uint32_t opcode = word.opcode();
  return opcode == 0x18b || opcode == 0x18d || opcode == 0x1a9;
}

namespace {

const char* floating_name(uint32_t opcode) {
  switch (opcode) {
    case 0x020: return "fmul";
    case 0x021: return "fadd";
    case 0x023: return "ffma";
    case 0x028: return "dmul";
    case 0x029: return "dadd";
    case 0x02b: return "dfma";
    case 0x030: return "hadd";
    case 0x031: case 0x035: return "hfma";
    case 0x032: return "hmul";
    default: return nullptr;
  }
}

}  // namespace

namespace {

/// Local memory is asked for word by word: 8 bytes a lane are two requests, 16 are four.
simt::InstructionCounts in_words(const simt::sass_machine::Word& word, simt::InstructionCounts c) {
  constexpr uint64_t kWords[] = {1, 1, 1, 1, 1, 2, 4, 1};  // by the width's code: bytes, halves, 32, 64, 128 bits
  c.requests *= kWords[word.bits(73, 3)];
  return c;
}

}  // namespace

/// FLOPs of one warp's matrix instruction: products and sums of 16 rows.
double matrix_flops(const simt::sass_machine::Word& word) {
  const double rows = 2.0 * 16;
  if (word.opcode() == 0x1f0 || word.opcode() == 0x1f1 || word.opcode() == 0x1f3) {
    const simt::sass_machine::GroupShape shape = simt::sass_machine::group_shape(word);
    return rows * shape.n * shape.k;
  }
  if (word.opcode() == 0x03f) return 2.0 * 8 * 8 * 4;
  if (word.opcode() == 0x03c && word.bit(83)) return rows * 8 * (word.bit(78) ? 4 : 8);  // tf32
  if (word.opcode() == 0x037) return rows * 8 * (word.bit(75) ? 32 : 16);
  return rows * 8 * (word.bit(75) ? 16 : 8);
}

void add_by_class(const simt::sass_machine::Word& word, const simt::InstructionCounts& c, ClassCounts* out) {
  const uint32_t opcode = word.opcode();
  out->all.add(c);
  switch (class_of(word)) {
    case Class::kGlobalLoad: out->global_load.add(c); break;
    case Class::kGlobalStore: out->global_store.add(c); break;
    case Class::kLocalLoad:
      out->local_load.add(in_words(word, c));
      break;
    case Class::kLocalStore:
      out->local_store.add(in_words(word, c));
      break;
    case Class::kSharedLoad: out->shared_load.add(c); break;
    case Class::kSharedStore: out->shared_store.add(c); break;
    case Class::kSharedAtomic: out->shared_atomic.add(c); break;
    case Class::kAtomic: {
      GenericCounts parts = split_generic(c);  // ATOM goes where its address lies
      const bool generic = opcode == 0x18a || opcode == 0x18b || opcode == 0x1a2;
      // The hardware takes it through the pipe of shared memory once, also where all lanes go to global memory.
      if (generic) parts.shared.wavefronts += parts.global.requests;
      out->global_atomic.add(parts.global);
      out->shared_atomic.add(parts.shared);
      break;
    }
    case Class::kReduction: out->global_reduction.add(c); break;
    case Class::kGenericLoad: case Class::kGenericStore: {
      const GenericCounts parts = split_generic(c);
      const bool load = class_of(word) == Class::kGenericLoad;
      (load ? out->global_load : out->global_store).add(parts.global);
      (load ? out->shared_load : out->shared_store).add(parts.shared);
      break;
    }
    case Class::kBulkLoad: out->bulk_load.add(c); break;
    case Class::kBulkStore: out->bulk_store.add(c); break;
    case Class::kBulkReduction: out->bulk_reduction.add(c); break;
    default: break;
  }
  const auto threads = static_cast<double>(c.predicated_on_threads);
  if (const char* floating = floating_name(opcode)) out->floating_threads[floating] += threads;
  const simt::sass_machine::Pipe pipe = simt::sass_machine::pipe_of(opcode);
  if (pipe == simt::sass_machine::Pipe::kImad || (pipe == simt::sass_machine::Pipe::kAlu && opcode != 0x002)) out->integer_threads += threads;
  if (opcode == 0x147 || opcode == 0x14d || opcode == 0x144 || opcode == 0x150) out->control_threads += threads;
  if (opcode >= 0x104 && opcode <= 0x113 && opcode != 0x108 && opcode != 0x109) out->conversion_threads += threads;
  const auto metrics = executed_metrics();
  out->executed.resize(metrics.size());
  for (size_t k = 0; k < metrics.size(); ++k)
    if (metrics[k].holds(word)) out->executed[k] += static_cast<double>(c.executions);
  if (opcode == 0x147) out->branch.add(c);
  else
    out->branch.divergent_branches += c.divergent_branches;  // of calls through pointers
  if (opcode >= 0x1b4 && opcode <= 0x1bc) out->copy_engine += static_cast<double>(c.executions);
}

GenericCounts split_generic(const simt::InstructionCounts& c) {
  GenericCounts out{c, c};
  out.shared.requests = c.shared_requests;
  out.shared.sectors = out.shared.ideal_sectors = 0;
  out.global.requests = c.requests - c.shared_requests;
  out.global.shared_requests = out.global.wavefronts = out.global.ideal_wavefronts = 0;
  return out;
}

}  // namespace warplens::report
