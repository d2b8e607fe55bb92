#include "warplens/run/sass/counting/clock.h"

namespace warplens::simt::sass_machine {

Cycles cycles_of(Latency latency) {
  switch (latency) {
    case Latency::kGlobal: return {33, 325, 745};
    case Latency::kGlobalAtomic: return {280, 280, 735};  // done at L2
    case Latency::kLocal:
    case Latency::kMatrix: return {33, 33, 33};
    case Latency::kShared: return {23, 23, 23};
    case Latency::kSharedAtomic: return {60, 60, 60};
    case Latency::kConstant: return {40, 40, 40};
    case Latency::kExchange: return {24, 24, 24};
    case Latency::kSpecial: return {22, 22, 22};
    case Latency::kConvert64: return {30, 30, 30};
    case Latency::kDouble: return {16, 16, 16};
    case Latency::kRegister: return {20, 20, 20};
    case Latency::kFixed: return {14, 14, 14};
  }
  return {};
}

}  // namespace warplens::simt::sass_machine
