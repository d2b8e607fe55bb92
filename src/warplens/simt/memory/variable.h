// A variable of a module, in device memory.
#pragma once
#include <cstdint>

#include "warplens/simt/memory/memory.h"

namespace warplens::simt {

/// Where it is on the device, which is where the host finds it too.
struct Variable {
  Address address = 0;
  uint64_t size_bytes = 0;
  bool names_functions = false;  // its initialiser does: machine code uses the cubin's own, whose addresses it has
  bool constant = false;
};

}  // namespace warplens::simt
