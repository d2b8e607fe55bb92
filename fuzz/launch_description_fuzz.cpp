// Launch files: parsing never crashes, and what parses stands the checks again.
#include <cstdlib>

#include "mutate_json.h"
#include "warplens/launch/description.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto parsed = warplens::launch::parse_description({reinterpret_cast<const char*>(data), size}, "folder");
  if (parsed.ok() && !warplens::launch::check_description(*parsed).ok()) std::abort();
  return 0;
}
