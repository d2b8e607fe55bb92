// Dumps of the flight recorder: any bytes give a report or an error, and run nothing.
#include "warplens/hangs/analysis.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  std::vector<warplens::hangs::Dump> dumps;
  for (const char* name : {"rank_0", "rank_1"}) {
    auto dump = warplens::hangs::read_dump(name, bytes);
    if (!dump.ok()) return 0;
    dumps.push_back(std::move(dump).value());
  }
  warplens::hangs::analyse(dumps);
  return 0;
}
