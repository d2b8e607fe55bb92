#include "warplens/base/demangle.h"

#include <gtest/gtest.h>

namespace warplens {
namespace {

TEST(Demangle, NamesAndSignatures) {
  EXPECT_EQ(demangled("_Z6squarePfi"), "square(float*, int)");
  EXPECT_EQ(short_name("_ZN2ns5scaleIfLi4EEEvPT_"), "ns::scale<float, 4>");
  EXPECT_EQ(short_name("_ZN12_GLOBAL__N_11kEv"), "(anonymous namespace)::k");
  EXPECT_EQ(short_name("plain"), "plain");
}

}  // namespace
}  // namespace warplens
