// Matrix instructions that are rare: sparse ones, integers of four bits and single bits, and small shapes.
#pragma once
#include "warplens/run/sass/decoder.h"

namespace warplens::simt::sass_machine {

/// Makes HMMA, IMMA and BMMA ready where their operands are taken apart element by element. False: a modifier that is
/// not known.
bool prepare_product(Decoder& decoder, Op& op);

}  // namespace warplens::simt::sass_machine
