// Modifiers of floating-point arithmetic and of conversions.
#pragma once
#include <cstdint>

namespace warplens::simt {

enum RealFlags : uint16_t { kFtz = 1, kSat = 2, kNanResult = 4, kXorSign = 8, kAbs = 16, kRelu = 32, kSatFinite = 64 };
/// To integers the same: .rni, ...
enum Rounding : uint8_t { kNearest, kZero, kDown, kUp, kNearestAway };

}  // namespace warplens::simt
