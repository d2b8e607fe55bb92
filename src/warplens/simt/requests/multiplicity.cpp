#include "warplens/simt/requests/multiplicity.h"

#include "warplens/base/set_bits.h"
#include "warplens/simt/lanes/values.h"

namespace warplens::simt {
namespace {

/// Addresses that grow from lane to lane: the number of sectors, 0 when they do not.
uint32_t sectors_in_order(const Address* addresses, uint32_t mask) {
  const auto first = static_cast<uint32_t>(__builtin_ctz(mask));
  Address last = addresses[first];
  uint32_t sectors = 1;
  for (const uint32_t lane : set_bits(mask & (mask - 1))) {
    const Address at = addresses[lane];
    if (at <= last) return 0;
    sectors += at >> 5 != last >> 5;
    last = at;
  }
  return sectors;
}

}  // namespace

void count_multiplicity(InstructionCounts& row, const Address* addresses, uint32_t mask) {
  if (const uint32_t sectors = sectors_in_order(addresses, mask)) {
    row.atomic_distinct_addresses += static_cast<uint32_t>(__builtin_popcount(mask));
    row.atomic_max_multiplicity += 1;
    row.atomic_sector_serial += sectors;
    return;
  }
  uint32_t distinct = 0, most = 0, serial = 0;
  struct Sector {
    Address sector;
    uint32_t most;
  } sectors[kLanes];
  uint32_t sector_count = 0;
  for (uint32_t left = mask; left;) {
    const Address at = addresses[__builtin_ctz(left)];
    uint32_t same = 0;
    for (uint32_t rest = left; rest; rest &= rest - 1) {
      if (addresses[__builtin_ctz(rest)] == at) same |= rest & (0u - rest);
    }
    left &= ~same;
    const auto lanes = static_cast<uint32_t>(__builtin_popcount(same));
    ++distinct;
    most = lanes > most ? lanes : most;
    uint32_t i = 0;
    while (i < sector_count && sectors[i].sector != at >> 5) ++i;
    if (i == sector_count) sectors[sector_count++] = {at >> 5, 0};
    if (lanes > sectors[i].most) {
      serial += lanes - sectors[i].most;
      sectors[i].most = lanes;
    }
  }
  row.atomic_distinct_addresses += distinct;
  row.atomic_max_multiplicity += most;
  row.atomic_sector_serial += serial;
}

}  // namespace warplens::simt
