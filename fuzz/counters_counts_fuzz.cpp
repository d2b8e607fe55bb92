// Files of `warplens counters --keep`, changed in any way: a report in text, JSON and tables, or an error.
#include "mutate_json.h"
#include "warplens/counters/measured_report.h"
#include "warplens/counters/program_report.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warplens;
  const auto counts = counters::read_counts({reinterpret_cast<const char*>(data), size});
  if (!counts.ok()) return 0;
  const auto report = counters::program_report(*counts, {});
  if (report.ok() && !json::parse(counters::to_json(*report)).ok()) __builtin_trap();
  return 0;
}
