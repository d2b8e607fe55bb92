// Tables and reports of Nsight Compute that are anything.
#include "warplens/counters/measured_report.h"
#include "warplens/counters/ncu/ncu.h"
#include "warplens/counters/program_report.h"

namespace {

using namespace warplens;

void read(const std::string& bytes) {
  Result<counters::Counts> counts = counters::ncu::read(bytes);
  if (!counts.ok()) return;
  for (counters::CountedDevice& device : counts->devices) device.compute = 90;
  const auto report = counters::program_report(*counts, {});
  if (report.ok()) counters::to_json(*report);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string all(reinterpret_cast<const char*>(data), size);
  read(all);
  read(std::string("NVR\0\x02\0\0\0\x08\x07", 10) + all);
  read("\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"CC\",\"gpu__time_duration.sum\"\n" + all);
  return 0;
}
