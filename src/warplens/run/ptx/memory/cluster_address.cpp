#include "warplens/run/ptx/memory/cluster_address.h"

#include "warplens/base/set_bits.h"
#include "warplens/run/ptx/memory/resolve.h"

namespace warplens::simt::ptx_machine {
namespace {

constexpr Address kOffset = kSharedWindow - 1;

Address address_of(Warp& w, const Op& op, uint32_t lane) {
  return op.size == 4 ? w.lanes<uint32_t>(op.a)[lane] : w.lanes<uint64_t>(op.a)[lane];
}

}  // namespace

void run_mapa(Warp& w, const Op& op) {
  const auto blocks = static_cast<uint32_t>(w.cta->cluster->ctas.size());
  for (const uint32_t lane : set_bits(w.mask)) {
    const Address address = address_of(w, op, lane);
    const uint32_t rank = w.lanes<uint32_t>(op.b)[lane];
    if (rank >= blocks)
      return raise(w, op, Fault::Kind::kInvalid, lane, address, "mapa to a block that the cluster does not have");
    const Address mapped = (address & ~kOffset) | (address & kInBlock) | block_window(rank);
    if (op.size == 4) w.lanes<uint32_t>(op.d)[lane] = static_cast<uint32_t>(mapped);
    else w.lanes<uint64_t>(op.d)[lane] = mapped;
  }
}

void run_getctarank(Warp& w, const Op& op) {
  for (const uint32_t lane : set_bits(w.mask))
    w.lanes<uint32_t>(op.d)[lane] = static_cast<uint32_t>(rank_of(address_of(w, op, lane) & kOffset, w.cta->rank));
}

}  // namespace warplens::simt::ptx_machine
