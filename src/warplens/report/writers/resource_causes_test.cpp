#include "warplens/report/writers/resource_causes.h"

#include <gmock/gmock.h>

namespace warplens::report {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// A kernel that does nothing but take the load and store unit: `loads` of shared memory on a line, and shuffles.
ResourceCause unit_of(double loads, double shuffles) {
  KernelReport r;
  r.device = gpu::find_device("h200").value();
  r.work.blocks = 1320;
  r.work.needs.threads = 256;
  r.work.needs.registers = 32;
  r.work.memory = r.work.instructions = loads + shuffles;
  LineCounts line;
  line.file = "k.cu";
  line.line = 5;
  line.shared_load.executions = line.shared_load.requests = static_cast<uint64_t>(loads);
  line.all.executions = static_cast<uint64_t>(loads + shuffles);
  r.lines = {line};
  r.time = model::estimate_time(r.work, *r.device);
  for (const ResourceCause& cause : resource_causes(r))
    if (cause.resource.name == "load and store unit") return cause;
  return {};
}

TEST(ResourceCauses, ShufflesAreNoLoadsOfALine) {
  const ResourceCause loads = unit_of(4e7, 0), both = unit_of(3e7, 1e7), shuffles = unit_of(1e6, 3.9e7);
  EXPECT_THAT(loads.counts, Not(HasSubstr("shuffles")));
  EXPECT_THAT(loads.where, Not(IsEmpty()));
  EXPECT_THAT(both.counts, HasSubstr("10.0 M of them shuffles and similar"));
  EXPECT_THAT(both.where, Not(IsEmpty()));
  EXPECT_THAT(shuffles.counts, HasSubstr("39.0 M of them shuffles and similar"));
  EXPECT_THAT(shuffles.where, IsEmpty()) << "the line of few loads is not their place";
}

}  // namespace
}  // namespace warplens::report
