#include "warplens/base/demangled_size.h"

#include <cxxabi.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>

namespace warplens {
namespace {

TEST(DemangledSize, IsAnUpperBound) {
  const std::string names[] = {
      "_Z6squarePfi",
      "_ZN2ns5scaleIfLi4EEEvPT_",
      "_ZN12_GLOBAL__N_11kEv",
      "_ZZ4mainENKUlRKT_E_clIiEEDaS1_",
      "_Z1fRA16_KfDpT_",
      "_ZNSt6vectorIN2at6TensorESaIS1_EE17_M_realloc_insertIJRKS1_EEEvN9__gnu_cxx17__normal_iteratorIPS1_S3_EEDpOT_",
      "_ZN7cutlass13Kernel2IN4cute5tupleIJNS1_1CILi128EEES4_NS3_ILi64EEEEEEfS6_EEvT0_T1_PKS6_",
      "_ZN3ns11AC2ERKS0_",
  };
  for (const std::string& name : names) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                      std::free);
    const double most = most_demangled_characters(name);
    EXPECT_TRUE(std::isfinite(most)) << name;
    EXPECT_LT(most, 1 << 20) << name;
    const std::string readable = text != nullptr ? text.get() : "";
    EXPECT_GE(most, static_cast<double>(readable.size())) << readable;
  }
}

TEST(DemangledSize, SeesPartsThatRepeatParts) {
  std::string name = "_Z1fPFviiE", packed = "_Z1fISt4pairIiiEEvT_";
  for (const char* last : {"0", "2", "4", "6", "8", "A", "C", "E", "G", "I", "K", "M", "O", "Q", "S", "U", "W", "Y"})
    name += std::string("PFvS") + last + "_S" + last + "_E";
  EXPECT_GT(most_demangled_characters(name), 1 << 22);
  EXPECT_LT(most_demangled_characters(packed), 1 << 12);
  // What is not understood may repeat a little.
  EXPECT_EQ(most_demangled_characters("_Z1fQQQ"), 0);
  std::string unknown = "_Z1fQ";
  for (int i = 0; i < 20; ++i) unknown += "S_";
  EXPECT_TRUE(std::isinf(most_demangled_characters(unknown)));
  for (const std::string& broken :
       {std::string("_Z"), std::string("_ZN"), std::string("_Z99999999999999999999f"), "_Z" + std::string(5000, 'P'),
        "_Z" + std::string(5000, 'N'), std::string("_ZS"), std::string("_ZL"), std::string("_ZD"), std::string("_ZU")})
    most_demangled_characters(broken);
}

}  // namespace
}  // namespace warplens
