#include "warplens/run/sass/counting/clock.h"

#include "warplens/model/constants.h"

namespace warplens::simt::sass_machine {
namespace {

// The clock's header does without the table: every instruction's code includes it.
static_assert(kTakenBranchCycles == model::kTakenBranchCycles);
static_assert(barrier_cycles(0) == model::kBarrierCycles);
static_assert(barrier_cycles(32) == model::kBarrierCycles + 32 * model::kBarrierWarpCycles);

Cycles cycles(double l1, double l2, double dram) {
  return {static_cast<uint64_t>(l1), static_cast<uint64_t>(l2), static_cast<uint64_t>(dram)};
}
Cycles cycles(double whatever) { return cycles(whatever, whatever, whatever); }

}  // namespace

Cycles cycles_of(sass::Latency latency) {
  switch (latency) {
    case sass::Latency::kGlobal: return cycles(model::kL1Cycles, model::kL2Cycles, model::kDramCycles);
    case sass::Latency::kGlobalAtomic:
      return cycles(model::kAtomicCycles, model::kAtomicCycles, model::kAtomicDramCycles);  // done at L2
    case sass::Latency::kLocal:
    case sass::Latency::kMatrix: return cycles(model::kL1Cycles);
    case sass::Latency::kShared: return cycles(model::kSharedCycles);
    case sass::Latency::kSharedAtomic: return cycles(model::kSharedAtomicCycles);
    case sass::Latency::kConstant: return cycles(model::kConstantLoadCycles);
    case sass::Latency::kExchange: return cycles(model::kShuffleCycles);
    case sass::Latency::kSpecial: return cycles(model::kSpecialCycles);
    case sass::Latency::kConvert64: return cycles(model::kConvert64Cycles);
    case sass::Latency::kDouble: return cycles(model::kDoubleCycles);
    case sass::Latency::kRegister: return cycles(model::kRegisterCycles);
    case sass::Latency::kFixed: return cycles(model::kOtherCycles);
  }
  return {};
}

}  // namespace warplens::simt::sass_machine
