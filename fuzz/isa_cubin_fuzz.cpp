// Cubins: read or refused.
#include <cstdint>

#include "warplens/isa/cubin/cubin.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  (void)warplens::cubin::read_cubin({reinterpret_cast<const char*>(data), size}).ok();
  return 0;
}
