#include "warplens/run/ptx/convert.h"

#include "warplens/base/set_bits.h"
#include "warplens/run/ptx/warp.h"
#include "warplens/simt/conversion.h"

namespace warplens::simt::ptx_machine {

void run_convert(Warp& w, const Op& op) {
  const Conversion c{op.types.to, op.types.from, op.rounding, op.flags, op.types.whole};
  const auto read = [&](uint32_t slot, uint32_t lane) -> uint64_t {
    return op.vector == 8 ? w.lanes<uint64_t>(slot)[lane] : w.lanes<uint32_t>(slot)[lane];
  };
  const int from_bits = ptx::bits(c.from);
  const uint64_t used = from_bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << from_bits) - 1;
  for (const uint32_t lane : set_bits(w.mask)) {
    const uint64_t result = convert(read(op.a, lane) & used, op.b == kNoSlot ? 0 : read(op.b, lane) & used, c);
    if (op.size == 8) w.lanes<uint64_t>(op.d)[lane] = result;
    else w.lanes<uint32_t>(op.d)[lane] = static_cast<uint32_t>(result);
  }
}

}  // namespace warplens::simt::ptx_machine
