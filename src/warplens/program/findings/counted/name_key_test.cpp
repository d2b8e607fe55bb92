#include "warplens/program/findings/counted/name_key.h"

#include <gtest/gtest.h>

namespace warplens::findings {
namespace {

TEST(NameKey, OneKernelHasOneKeyInEverySpelling) {
  const auto whole = [](const char* name) { return name_key(name, NameDetail::kWhole); };
  EXPECT_EQ(whole("_Z6squarePKfPfi"), whole("square(const float *, float *, int)"));
  EXPECT_EQ(whole("void add<float, 4>(float const*, float*)"),
            whole("void add<float, (int)4>(const float *, float *)"));
  EXPECT_EQ(whole("void (anonymous namespace)::k<3ul, true>(int)"),
            whole("<unnamed>::k<(unsigned long)3, (bool)1>(int)"));
  EXPECT_EQ(whole("k<-1>()"), whole("k<(int)-1>()"));
  EXPECT_NE(whole("k<-1>()"), whole("k<1>()"));
  EXPECT_NE(whole("void add<float>(float*)"), whole("void add<double>(double*)"));
}

TEST(NameKey, LessDetailComparesLess) {
  const char* full = "void at::native::vectorized_elementwise_kernel<4, at::native::AbsFunctor<float>>(int, float*)";
  EXPECT_EQ(name_key(full, NameDetail::kFunction), name_key("vectorized_elementwise_kernel", NameDetail::kFunction));
  EXPECT_EQ(name_key("square(float*)", NameDetail::kTemplate), name_key("square", NameDetail::kTemplate));
  EXPECT_NE(name_key("a<1>(int)", NameDetail::kTemplate), name_key("a<2>(int)", NameDetail::kTemplate));
  EXPECT_EQ(name_key("a::B<int>::run(float)", NameDetail::kFunction), name_key("run", NameDetail::kFunction));
  EXPECT_EQ(name_key("f((lambda)())", NameDetail::kFunction), name_key("f", NameDetail::kFunction));
  EXPECT_EQ(name_key("", NameDetail::kFunction), "");
  EXPECT_EQ(name_key("<<((>", NameDetail::kFunction), "");
}

}  // namespace
}  // namespace warplens::findings
