#include "warplens/isa/ptx/only_kernels.h"

#include <gtest/gtest.h>

namespace warplens::ptx {
namespace {

constexpr std::string_view kText = R"(.version 9.0
.target sm_90
.address_size 64
.global .u32 counter;
	// .globl	one
.visible .entry one(.param .u64 a)
.maxntid 128
{
	.loc 1 3 0 // a } in a comment
	{ ret; }
}
.func (.reg .u32 r) twice(.reg .u32 a) { ret; }
.weak .entry two()
{
	ret;
}
.visible .entry three() { ret; }
	.file	1 "a {.cu"
)";

TEST(OnlyKernels, LeavesOutTheOthers) {
  const std::string text = only_kernels(kText, {"two"});
  EXPECT_EQ(text.find(" one("), std::string::npos);
  EXPECT_EQ(text.find(" three("), std::string::npos);
  for (const char* kept : {".weak .entry two()\n{\n\tret;\n}", "counter", "twice", ".file\t1"})
    EXPECT_NE(text.find(kept), std::string::npos) << kept;
}

TEST(OnlyKernels, KeepsAllThatAreNamed) {
  EXPECT_EQ(only_kernels(kText, {"one", "two", "three"}), kText);
  EXPECT_EQ(only_kernels(kText, {}), kText);
}

TEST(OnlyKernels, KeepsWhatDebugInformationPointsInto) {
  const std::string text = std::string(kText) + ".section .debug_info { .b64 $L__func_begin0 }\n";
  EXPECT_EQ(only_kernels(text, {"two"}), text);
}

}  // namespace
}  // namespace warplens::ptx
