#include "warplens/build/compile/kernel_names.h"

#include <gmock/gmock.h>

namespace warplens::compile {
namespace {

using testing::ElementsAre;

const std::vector<std::string> kEntries = {"_Z6squarePfi", "_ZN2ns5scaleIfLi4EEEvPT_", "_ZN2ns5scaleIdLi4EEEvPT_",
                                           "plain"};

TEST(KernelNames, EntriesOfAText) {
  EXPECT_THAT(entry_names(".visible .entry a(\n.param .u64 p)\n{}\n// .entry no\n.entry\tb$1 ()"),
              ElementsAre("a", "b$1"));
}

TEST(KernelNames, ChoosesByAnyName) {
  for (const char* wanted : {"square", "_Z6squarePfi", "square(float*, int)"})
    EXPECT_EQ(*choose_kernel(kEntries, wanted), kEntries[0]);
  for (const char* wanted : {"ns::scale<float,4>", "scale<float, 4>"})
    EXPECT_EQ(*choose_kernel(kEntries, wanted), kEntries[1]);
  EXPECT_EQ(*choose_kernel({"only"}, ""), "only");
}

TEST(KernelNames, NumbersAreTheSameWithTheirSuffix) {
  const std::vector<std::string> entries = {"_Z5sgemmILj32EEvPf", "_Z5sgemmILj64EEvPf"};  // sgemm<32u>, sgemm<64u>
  for (const char* wanted : {"sgemm<32>", "sgemm<32u>", "sgemm< 32 >"})
    EXPECT_EQ(*choose_kernel(entries, wanted), entries[0]) << wanted;
  EXPECT_FALSE(choose_kernel(entries, "sgemm<3>").ok());
}

TEST(KernelNames, TheFirstOfAnInstancesArgumentsMayDo) {
  const std::vector<std::string> entries = {"_Z5sgemmILj32EfEvPKT0_PS0_i", "_Z5sgemmILj64EfEvPKT0_PS0_i"};
  EXPECT_EQ(*choose_kernel(entries, "sgemm<32>"), entries[0]);  // sgemm<32u, float>
  EXPECT_FALSE(choose_kernel(entries, "sgemm<3>").ok());
}

TEST(KernelNames, ErrorsListWhatThereIs) {
  EXPECT_EQ(
      choose_kernel(kEntries, "squar").status().message(),
      "no kernel 'squar' (did you mean 'square'?); it has: square, ns::scale<float, 4>, ns::scale<double, 4>, plain");
  EXPECT_EQ(choose_kernel(kEntries, "scale").status().message(),
            "'scale' means 2 kernels; name one: ns::scale<float, 4>(float*); ns::scale<double, 4>(double*)");
  EXPECT_FALSE(choose_kernel(kEntries, "").ok());
  EXPECT_FALSE(choose_kernel({}, "a").ok());
}

}  // namespace
}  // namespace warplens::compile
