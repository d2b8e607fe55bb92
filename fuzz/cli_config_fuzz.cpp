// Settings of any text: read, or refused with a message. Devices are left out: each would stay in the catalogue.
#include <cstdlib>

#include "memory_file.h"
#include "warplens/base/text.h"
#include "warplens/cli/config.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static fuzz::MemoryFile file;
  if (warplens::contains({reinterpret_cast<const char*>(data), size}, "device")) return 0;
  if (!file.set(data, size)) std::abort();
  const auto config = warplens::cli::read_config(file.path());
  if (!config.ok() && config.status().message().empty()) std::abort();
  return 0;
}
