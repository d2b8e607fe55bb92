// .npy files: parsing never crashes, and what was read is written and read back equal.
#include <cstdlib>

#include "warplens/launch/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warplens::launch;
  const auto array = parse_npy({reinterpret_cast<const char*>(data), size});
  if (!array.ok() || array->shape.size() > 1000) return 0;  // a header written by us has two bytes of length
  const auto again = parse_npy(format_npy(array->dtype, array->shape, array->bytes));
  if (!again.ok() || again->bytes != array->bytes || again->shape != array->shape) std::abort();
  return 0;
}
