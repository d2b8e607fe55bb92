#include "warplens/base/output_name.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace warplens {
namespace {

TEST(OutputName, IsFilledIn) {
  ::setenv("WARPLENS_TEST_RANK", "3", 1);
  EXPECT_EQ(expand_output_name("a%q{WARPLENS_TEST_RANK}.wlens"), "a3.wlens");
  EXPECT_EQ(expand_output_name("a%q{WARPLENS_TEST_NONE}b%q{"), "ab%q{");
  EXPECT_EQ(expand_output_name("%p"), std::to_string(::getpid()));
  char host[256] = {};
  ASSERT_EQ(::gethostname(host, sizeof host - 1), 0);
  EXPECT_EQ(expand_output_name("a.%h.wlens"), std::string("a.") + host + ".wlens");
  EXPECT_EQ(expand_output_name("100%"), "100%");
}

}  // namespace
}  // namespace warplens
