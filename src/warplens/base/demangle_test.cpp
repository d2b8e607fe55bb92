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

TEST(Demangle, NamesThatStandForGigabytesStay) {
  // void (*)(int, int), then functions of two of the one before: the text doubles each time.
  std::string name = "_Z1fPFviiE";
  const auto add = [&](int level) {
    const int last = 2 * level;
    const std::string of = "S" +
                           (last < 10 ? std::string(1, static_cast<char>('0' + last))
                                      : std::string(1, static_cast<char>('A' + last - 10))) +
                           "_";
    name += "PFv" + of + of + "E";
  };
  add(0);
  EXPECT_EQ(demangled(name), "f(void (*)(int, int), void (*)(void (*)(int, int), void (*)(int, int)))");
  for (int level = 1; level < 18; ++level) add(level);
  EXPECT_EQ(demangled(name), name);
  EXPECT_EQ(short_name(name), name);
}

}  // namespace
}  // namespace warplens
