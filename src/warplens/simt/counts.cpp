#include "warplens/simt/counts.h"

namespace warplens::simt {

void InstructionCounts::add(const InstructionCounts& other) {
  executions += other.executions;
  active_threads += other.active_threads;
  predicated_on_threads += other.predicated_on_threads;
  requests += other.requests;
  sectors += other.sectors;
  ideal_sectors += other.ideal_sectors;
  bytes += other.bytes;
  wavefronts += other.wavefronts;
  ideal_wavefronts += other.ideal_wavefronts;
  shared_requests += other.shared_requests;
  generic_shared_bytes += other.generic_shared_bytes;
  generic_local_requests += other.generic_local_requests;
  generic_local_sectors += other.generic_local_sectors;
  generic_local_ideal_sectors += other.generic_local_ideal_sectors;
  generic_local_bytes += other.generic_local_bytes;
  divergent_branches += other.divergent_branches;
  taken_threads += other.taken_threads;
  divergent_threads += other.divergent_threads;
  atomic_distinct_addresses += other.atomic_distinct_addresses;
  atomic_max_multiplicity += other.atomic_max_multiplicity;
  atomic_sector_serial += other.atomic_sector_serial;
}

}  // namespace warplens::simt
