#include "warplens/run/ptx/memory/stack.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "warplens/base/set_bits.h"
#include "warplens/base/text.h"
#include "warplens/run/ptx/call_nodes.h"
#include "warplens/run/ptx/limits.h"
#include "warplens/run/ptx/warp.h"

namespace warplens::simt::ptx_machine {
namespace {

/// Where each lane's stack ends, in the function that runs.
std::array<uint32_t, kLanes>& tops_of(CallNode& node) {
  if (!node.tops) {
    node.tops = std::make_unique<std::array<uint32_t, kLanes>>();
    node.tops->fill(node.local_top);
  }
  return *node.tops;
}

void settle(CallNode& node) { node.local_top = *std::max_element(node.tops->begin(), node.tops->end()); }

uint64_t read(Warp& w, uint32_t slot, const Op& op, uint32_t lane) {
  return op.size == 8 ? w.lanes<uint64_t>(slot)[lane] : w.lanes<uint32_t>(slot)[lane];
}

void write(Warp& w, uint32_t slot, const Op& op, uint32_t lane, uint32_t value) {
  if (op.size == 8) w.lanes<uint64_t>(slot)[lane] = value;
  else w.lanes<uint32_t>(slot)[lane] = value;
}

void clear(Warp& w, uint32_t lane, uint32_t from, uint32_t to) {
  for (uint32_t word = from / 4; word < to / 4; ++word)
    std::memset(w.local + (uint64_t{word} * kLanes + lane) * 4, 0, 4);
}

}  // namespace

void run_alloca(Warp& w, const Op& op) {
  CallNode& node = *w.node;
  auto& tops = tops_of(node);
  const auto alignment = static_cast<uint64_t>(op.value);
  for (const uint32_t lane : set_bits(w.mask)) {
    const uint64_t bytes = read(w, op.a, op, lane);
    const uint64_t begin = (tops[lane] + alignment - 1) / alignment * alignment;
    if (bytes > kLocalLimit || begin + bytes > kLocalLimit)
      return raise(w, op, Fault::Kind::kStackOverflow, lane, 0,
                   fmt::format("stack overflow: alloca of {} bytes above {} bytes of local memory", bytes, begin));
    const auto end = static_cast<uint32_t>((begin + bytes + 3) / 4 * 4);
    grow_local(w, end);
    clear(w, lane, static_cast<uint32_t>(begin), end);
    tops[lane] = end;
    write(w, op.d, op, lane, static_cast<uint32_t>(begin));
  }
  settle(node);
}

void run_stack_save(Warp& w, const Op& op) {
  const auto& tops = tops_of(*w.node);
  for (const uint32_t lane : set_bits(w.mask)) write(w, op.d, op, lane, tops[lane]);
}

void run_stack_restore(Warp& w, const Op& op) {
  CallNode& node = *w.node;
  auto& tops = tops_of(node);
  const uint32_t least = node.local_base + w.program->functions[node.function].local_bytes;
  for (const uint32_t lane : set_bits(w.mask)) {
    const uint64_t end = read(w, op.a, op, lane);
    if (end < least || end > tops[lane])
      return raise(w, op, Fault::Kind::kInvalid, lane, end,
                   fmt::format("stackrestore of {:#x}, which no stacksave of this function gave", end));
    tops[lane] = static_cast<uint32_t>(end);
  }
  settle(node);
}

}  // namespace warplens::simt::ptx_machine
