// Memory snapshots: any bytes give a report or an error, and run nothing.
#include "warplens/memory/analysis.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto snapshot = warplens::memory::read_snapshot(std::string(reinterpret_cast<const char*>(data), size));
  if (snapshot.ok()) warplens::memory::analyse(*snapshot);
  return 0;
}
