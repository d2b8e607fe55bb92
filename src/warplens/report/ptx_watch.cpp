#include "warplens/report/ptx_watch.h"

#include <algorithm>

#include "warplens/run/ptx/memory/access.h"

namespace warplens::counters {

void PtxWatch::access(const emulator::AccessEvent& event) {
  using Space = emulator::AccessEvent::Space;
  if (event.mask == 0 || event.space == Space::kLocal) return;
  const bool shared = event.space == Space::kShared;
  kernel::InstructionCounts counts;
  const bool store = event.kind == emulator::AccessEvent::Kind::kStore;
  shared ? emulator::count_shared(counts, event.addresses, event.mask, event.size_bytes, store)
         : emulator::count_global(counts, event.addresses, event.mask, event.size_bytes);
  kernel::AccessSample sample;
  sample.space = shared ? kernel::AccessSample::Space::kShared : kernel::AccessSample::Space::kGlobal;
  sample.store = event.kind != emulator::AccessEvent::Kind::kLoad;
  sample.instruction = event.index;
  sample.block = {event.block % grid_[0], event.block / grid_[0] % grid_[1], event.block / (grid_[0] * grid_[1])};
  sample.warp = event.warp;
  sample.lanes = event.mask;
  sample.size_bytes = event.size_bytes;
  std::copy(event.addresses, event.addresses + 32, sample.addresses.begin());
  sample.cost = shared ? counts.wavefronts : counts.sectors;
  sample.ideal = shared ? counts.ideal_wavefronts : counts.ideal_sectors;
  const std::lock_guard lock(mutex_);
  kernel::keep_costliest(&samples_, sample);
}

}  // namespace warplens::counters
