#include "warplens/report/shapes/gathers.h"

#include <gtest/gtest.h>

namespace warplens::report {
namespace {

using simt::sass_machine::MachineCounts, simt::sass_machine::Program;

// nvcc 13.0, sm_90: y[i] = x[k[i]].
const std::vector<sass::Word> kLookup = {{0x0000000409027825, 0x001fcc00078e0202},   // IMAD.WIDE R2, R9, 0x4, R2
                                         {0x0000000402037981, 0x000e64000c1e1900},   // LDG.E R3, [R2.64]
                                         {0x0000000403047825, 0x002fcc00078e0204},   // IMAD.WIDE R4, R3, 0x4, R4
                                         {0x0000000404057981, 0x000ee2000c1e1900},   // LDG.E R5, [R4.64]
                                         {0x0000000409067825, 0x004fca00078e0206},   // IMAD.WIDE R6, R9, 0x4, R6
                                         {0x0000000506007986, 0x008fe2000c101904}};  // STG.E [R6.64], R5
constexpr size_t kIndex = 1, kElement = 3;

MachineCounts counts_of(size_t apart) {
  MachineCounts counts;
  counts.instructions.resize(kLookup.size());
  for (simt::InstructionCounts& c : counts.instructions) c.executions = 1, c.predicated_on_threads = 32;
  for (const size_t k : {kIndex, kElement}) {
    simt::InstructionCounts& c = counts.instructions[k];
    c.requests = 1, c.ideal_sectors = 4, c.sectors = k == apart ? 32 : 4;
  }
  return counts;
}

TEST(Gathers, AreLoadsAtIndicesThatAreLoaded) {
  const Program program{.architecture = 90, .code = kLookup};
  const std::vector<bool> found = find_gathers(program, counts_of(kElement));
  EXPECT_TRUE(found[kElement]);
  EXPECT_FALSE(found[kIndex]);
}

TEST(Gathers, AreNeitherStridesNorLoadsThatMeet) {
  const Program program{.architecture = 90, .code = kLookup};
  const std::vector<bool> found = find_gathers(program, counts_of(kIndex));
  EXPECT_FALSE(found[kIndex]);    // its address comes from the thread's number
  EXPECT_FALSE(found[kElement]);  // its lanes are together
}

}  // namespace
}  // namespace warplens::report
