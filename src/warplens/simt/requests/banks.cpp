#include "warplens/simt/requests/banks.h"

namespace warplens::simt {

Wavefronts count_wavefronts(const Address* offsets, uint32_t mask, uint32_t size, Joins joins) {
  Wavefronts sum;
  each_bank_group(offsets, mask, size, joins, [&](uint32_t group) {
    uint32_t passes = 0;
    each_served_word(offsets, group, size, false,
                     [&](uint32_t pass, uint32_t, uint32_t) { passes = std::max(passes, pass + 1); });
    sum.actual += passes;
    sum.ideal += 1;
  });
  return sum;
}

}  // namespace warplens::simt
