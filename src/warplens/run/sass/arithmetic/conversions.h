// Conversions between any two number formats, lane by lane, as the emulator makes them: bit for bit an H200's.
#pragma once
#include "warplens/run/sass/decoder.h"

namespace warplens::simt::sass_machine {

/// F2F, F2I, I2F, FRND: prepares `op`, whose source is set. False if a modifier is unknown.
bool prepare_any_conversion(Op& op);

extern const Row kConversionRows[];  // F2FP, F2IP, I2I, I2IP

}  // namespace warplens::simt::sass_machine
