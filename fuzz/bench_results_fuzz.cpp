#include "warplens/bench/results/results.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  const auto results = warplens::bench::parse_results({reinterpret_cast<const char*>(data), size});
  if (results.ok() && !warplens::bench::parse_results(warplens::bench::to_json(*results)).ok()) __builtin_trap();
  return 0;
}
