// PTX text: parses or is refused; what parses prints back to itself.
#include <cstdint>
#include <cstdlib>

#include "mutate_ptx.h"
#include "warplens/isa/ptx/parser.h"
#include "warplens/isa/ptx/print.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto module = warplens::ptx::parse({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!module.ok()) return 0;
  const auto again = warplens::ptx::parse(warplens::ptx::print(*module), "printed");
  if (!again.ok() || !(*module == *again)) std::abort();
  return 0;
}
