// Stores and reductions to shared memory of the cluster that tell an mbarrier of their bytes: STAS, REDAS.

#include "warplens/base/set_bits.h"
#include "warplens/run/sass/lanes.h"
#include "warplens/run/sass/memory/bulk.h"
#include "warplens/run/sass/memory/memory.h"
#include "warplens/run/sass/memory/moves.h"

namespace warplens::simt::sass_machine {
namespace {

using simt::MbarrierOp, simt::AtomicOp;

/// A lane's pair of registers: where the bytes go, and the mbarrier.
void store_async(Warp& w, const Op& op, uint32_t on) {
  if (!on) return;
  const uint32_t *to = w.in(op.a), *barrier = to + kLanes, *values = w.in(op.b);
  Addresses at{};
  for (int i = 0; i < kLanes; ++i) at.value[i] = to[i];
  count_remote(w, at, on, 0, op.size_bytes, RemoteCounts::kStore);
  const Cycles time = issue_time(w, op, true);
  for (const uint32_t lane : set_bits(on)) {
    uint8_t* target = cluster_bytes(w, to[lane], op.size_bytes);
    if (!target) return;
    uint8_t bytes[16];
    get_lane(values, lane, bytes, op);
    simt::combine_bytes(target, bytes, op.size_bytes, static_cast<AtomicOp>(op.mode & 15),
                        static_cast<ptx::Type>(op.mode >> 8));
    if (!signal_mbarrier(w, barrier[lane], MbarrierOp::kComplete, op.size_bytes, time)) return;
  }
}

bool prepare_stas(Decoder& d, Op& op) {
  op.a = d.source(op.word.bits(24, 8));
  op.b = d.source(op.word.bits(32, 8));
  op.mode = kCopyMode;
  op.run = store_async;
  return set_size(op) && op.size_bytes >= 4 && op.word.bits(40, 24) == 0;
}
bool prepare_redas(Decoder& d, Op& op) {
  op.a = d.source(op.word.bits(24, 8));
  op.b = d.source(op.word.bits(32, 8));
  op.run = store_async;
  ptx::Type type;
  if (!reduction_type(op.word.bits(73, 2), &type) || op.word.bits(40, 24) != 0) return false;
  op.size_bytes = op.word.bit(74) ? 8 : 4;
  op.mode = static_cast<uint32_t>(reduction_of(op.word)) | static_cast<uint32_t>(type) << 8;
  return true;
}

}  // namespace

const Row kRemoteRows[] = {
    {Opcode::kStas, prepare_stas},
    {Opcode::kRedas, prepare_redas},
    {Opcode::kUnknown, nullptr},
};

}  // namespace warplens::simt::sass_machine
