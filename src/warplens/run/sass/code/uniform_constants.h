// LDCU: words of constant memory to uniform registers, compute capability 10.0 and later.
#pragma once
#include "warplens/run/sass/decoder.h"

namespace warplens::simt::sass_machine {

extern const Row kUniformConstantRows[];

}  // namespace warplens::simt::sass_machine
