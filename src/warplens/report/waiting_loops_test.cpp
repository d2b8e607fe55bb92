#include "warplens/report/waiting_loops.h"

#include <gtest/gtest.h>

namespace warplens::report {
namespace {

using simt::sass_machine::MachineCounts;
using simt::sass_machine::Program;

bool waits(const std::vector<sass::Word>& code, uint64_t executions = 1) {
  Program program{.architecture = 90, .code = code};
  MachineCounts counts;
  counts.instructions.resize(code.size());
  for (auto& count : counts.instructions) count.executions = executions;
  return ran_waiting_loop(program, counts);
}

// nvcc 13.0, sm_90: while (f[threadIdx.x] == 0) {} with a volatile f.
const std::vector<sass::Word> kWaits = {{0x0000000402007981, 0x000ea2000c1f5900},   // LDG.E.STRONG.SYS R0, [R2.64]
                                        {0x0000000000007946, 0x000fea0003800000},   // BSSY
                                        {0x000000ff0000720c, 0x004fda0003f05270},   // ISETP.NE.AND P0, PT, R0, RZ
                                        {0xfffffffc00f08947, 0x000fea000383ffff}};  // @!P0 BRA

TEST(WaitingLoops, ReadOneAddressUntilItChanges) {
  EXPECT_TRUE(waits(kWaits));
  EXPECT_FALSE(waits(kWaits, 0));  // did not run
}

TEST(WaitingLoops, HaveAnAddressThatStays) {
  std::vector<sass::Word> code = kWaits;
  code[1] = {0x0000000405027825, 0x002fd600078e0002};  // IMAD.WIDE R2, R5, 4, R2
  EXPECT_FALSE(waits(code));
}

TEST(WaitingLoops, DoNoWork) {
  std::vector<sass::Word> code = kWaits;
  code[1] = {0x0000000702007986, 0x000fe2000c101906};  // STG.E [R2.64], R7
  EXPECT_FALSE(waits(code));
}

TEST(WaitingLoops, LoadPastL1) {
  std::vector<sass::Word> code = kWaits;
  code[0] = {0x0000000402007981, 0x000ea2000c1e1900};  // LDG.E R0, [R2.64]
  EXPECT_FALSE(waits(code));
}

}  // namespace
}  // namespace warplens::report
