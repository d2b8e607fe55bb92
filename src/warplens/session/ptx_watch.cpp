#include "warplens/session/ptx_watch.h"

#include <algorithm>

#include "warplens/simt/numbering.h"
#include "warplens/simt/requests/count.h"

namespace warplens::session {

void PtxWatch::access(const simt::AccessEvent& event) {
  using Space = simt::AccessEvent::Space;
  if (event.mask == 0 || event.space == Space::kLocal) return;
  const bool shared = event.space == Space::kShared;
  simt::InstructionCounts counts;
  simt::AccessSample sample;
  if (event.kind == simt::AccessEvent::Kind::kStore) sample.joins = simt::Joins::kNever;
  shared ? simt::count_shared(counts, event.addresses, event.mask, event.size_bytes, sample.joins)
         : simt::count_global(counts, event.addresses, event.mask, event.size_bytes);
  sample.space = shared ? simt::AccessSample::Space::kShared : simt::AccessSample::Space::kGlobal;
  sample.store = event.kind != simt::AccessEvent::Kind::kLoad;
  sample.instruction = event.index;
  sample.block = simt::place_in(grid_, event.block);
  sample.warp = event.warp;
  sample.lanes = event.mask;
  sample.size_bytes = event.size_bytes;
  std::copy(event.addresses, event.addresses + 32, sample.addresses.begin());
  sample.cost = shared ? counts.wavefronts : counts.sectors;
  sample.ideal = shared ? counts.ideal_wavefronts : counts.ideal_sectors;
  const std::lock_guard lock(mutex_);
  simt::keep_costliest(&samples_, sample);
}

}  // namespace warplens::session
