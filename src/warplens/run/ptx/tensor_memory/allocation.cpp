// tcgen05.alloc, dealloc, relinquish_alloc_permit, and what happens outside of what they allocated.
#include <bit>
#include <cstring>

#include "warplens/base/text.h"
#include "warplens/run/ptx/checks/checker.h"
#include "warplens/run/ptx/memory/resolve.h"
#include "warplens/run/ptx/tensor_memory/handlers.h"

namespace warplens::simt::ptx_machine {
namespace {

uint32_t first_lane(const Warp& w) { return static_cast<uint32_t>(std::countr_zero(w.mask)); }

TensorMemory& memory_of(Cta& cta) {
  if (!cta.tensor_memory) cta.tensor_memory = std::make_unique<TensorMemory>();
  return *cta.tensor_memory;
}

/// "columns 0 to 127 and 256 to 287"
std::string allocated_text(const TensorMemory* memory) {
  if (memory == nullptr || memory->pieces().empty()) return "nothing";
  std::string out = "columns ";
  bool first = true;
  for (const auto& [begin, piece] : memory->pieces()) {
    out += fmt::format("{}{} to {}", first ? "" : " and ", begin, begin + piece.columns - 1);
    first = false;
  }
  return out;
}

bool columns_sound(Warp& w, const Op& op, uint32_t columns) {
  if (columns >= TensorMemory::kUnit && columns <= TensorMemory::kColumns && std::has_single_bit(columns)) return true;
  raise(w, op, Fault::Kind::kInvalid, first_lane(w), columns,
        fmt::format("{} columns of tensor memory: it must be 32, 64, 128, 256 or 512", columns));
  return false;
}

}  // namespace

void run_tensor_alloc(Warp& w, const Op& op) {
  const uint32_t lane = first_lane(w), columns = w.lanes<uint32_t>(op.b)[lane];
  if (!columns_sound(w, op, columns)) return;
  TensorMemory& memory = memory_of(*w.cta);
  if (memory.relinquished)
    return raise(w, op, Fault::Kind::kInvalid, lane, 0,
                 "tcgen05.alloc after tcgen05.relinquish_alloc_permit: the block has given up its right to allocate");
  const Address to = w.lanes<uint64_t>(op.a)[lane];
  if (to % 4 != 0) return raise_misaligned(w, op, lane, to, 4);
  uint8_t* bytes = resolve_generic(w, op, lane, to, 4, true);
  if (bytes == nullptr) return raise_address(w, op, lane, to, 4, "shared", true);
  const auto first = memory.allocate(columns, op.row);
  if (!first)
    return raise(w, op, Fault::Kind::kDeadlock, lane, 0,
                 fmt::format("tcgen05.alloc would wait for ever for {} columns of tensor memory: the block holds {} of "
                             "{} ({})",
                             columns, memory.allocated_columns(), TensorMemory::kColumns, allocated_text(&memory)));
  if (w.checks) {
    Touch t;
    t.lane = lane;
    t.at = to;
    t.size_bytes = 4;
    t.writes = true;
    ThreadChecker& checker = *w.cta->cluster->grid->checker;
    if (!checker.touch(w, op, t)) return;
    checker.meet(w, w.mask);  // it is the store of all lanes
  }
  std::memcpy(bytes, &*first, 4);
}

void run_tensor_dealloc(Warp& w, const Op& op) {
  const uint32_t lane = first_lane(w), columns = w.lanes<uint32_t>(op.b)[lane];
  const TensorAddress at(w.lanes<uint32_t>(op.a)[lane]);
  if (!columns_sound(w, op, columns)) return;
  TensorMemory& memory = memory_of(*w.cta);
  if (at.lane == 0 && memory.release(at.column, columns)) return;
  raise(w, op, Fault::Kind::kInvalid, lane, at.column,
        fmt::format("tcgen05.dealloc of {} columns of tensor memory at {:#x}, where no such allocation begins: the "
                    "block holds {}",
                    columns, at.lane << 16 | at.column, allocated_text(&memory)));
}

void run_tensor_relinquish(Warp& w, const Op&) { memory_of(*w.cta).relinquished = true; }

uint32_t* tensor_columns(Warp& w, const Op& op, uint32_t lane, Cta& cta, uint32_t first, uint32_t columns) {
  TensorMemory* memory = cta.tensor_memory.get();
  if (memory != nullptr && memory->holds(first, columns)) return memory->column(first);
  raise(w, op, Fault::Kind::kIllegalAddress, lane, first,
        fmt::format("columns {} to {} of tensor memory, which are not all allocated: the block holds {}", first,
                    uint64_t{first} + columns - 1, allocated_text(memory)));
  return nullptr;
}

bool leaves_tensor_memory(Cluster& cluster) {
  for (const auto& cta : cluster.ctas) {
    if (!cta->tensor_memory || cta->tensor_memory->pieces().empty()) continue;
    Op op;
    op.row = cta->tensor_memory->pieces().begin()->second.row;
    Warp& w = *cta->warps.front();
    w.mask = 1;
    raise(w, op, Fault::Kind::kInvalid, 0, 0,
          fmt::format("the block ends with tensor memory allocated here ({}): tcgen05.dealloc must free it",
                      allocated_text(cta->tensor_memory.get())));
    return true;
  }
  return false;
}

TensorBlocks tensor_blocks(Warp& w, const Op& op, uint32_t lane, bool pair) {
  TensorBlocks out;
  if (!pair) {
    out.each[out.count++] = w.cta;
    return out;
  }
  const auto& ctas = w.cta->cluster->ctas;
  const uint32_t even = w.cta->rank & ~1u;
  if (even + 1 >= ctas.size()) {
    raise(w, op, Fault::Kind::kInvalid, lane, 0, ".cta_group::2 in a block without a partner in its cluster");
    return out;
  }
  out.each[0] = ctas[even].get();
  out.each[1] = ctas[even + 1].get();
  out.count = 2;
  return out;
}

}  // namespace warplens::simt::ptx_machine
