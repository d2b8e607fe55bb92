#include "warplens/isa/cubin/kernel_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/source_path.h"
#include "warplens/base/files.h"

namespace warplens::cubin {
namespace {

TEST(KernelNames, AreThoseOfTheEntryPoints) {
  const auto bytes = read_file(tests::source_path("tests/data/cubin/resources.sm_90.cubin"));
  ASSERT_TRUE(bytes.ok()) << bytes.status().message();
  const auto names = kernel_names(*bytes);
  ASSERT_TRUE(names.ok()) << names.status().message();
  EXPECT_THAT(*names, testing::ElementsAre("resources"));
}

TEST(KernelNames, RefusesWhatIsNoElf) { EXPECT_FALSE(kernel_names("PTX").ok()); }

}  // namespace
}  // namespace warplens::cubin
