#include "warplens/launch/parameters.h"

#include <gtest/gtest.h>

#include <cstring>

#include "warplens/ptx/parser.h"

namespace warplens::launch {
namespace {

uint64_t address_of(std::string_view name) { return name == "x" ? 0x1000 : 0x2000; }

template <typename T>
T at(const std::vector<uint8_t>& block, size_t offset) {
  T value;
  std::memcpy(&value, block.data() + offset, sizeof value);
  return value;
}

Result<std::vector<uint8_t>> no_maps(const TensorMapSpec&, uint64_t) { return unsupported("no tensor maps here"); }

Argument i32(int32_t value) {
  Argument argument{.bytes = std::vector<uint8_t>(sizeof value), .text = "i32"};
  std::memcpy(argument.bytes.data(), &value, sizeof value);
  return argument;
}

/// struct { int n; struct { float* x; int k; } inner; char c; } as a compiler lays it out, in 32 bytes.
Argument nested() {
  const Argument inner{.text = "struct", .members = {{.buffer = "x", .offset_bytes = 4}, i32(7)}};
  return {.text = "struct", .members = {i32(5), inner, {.bytes = {9}, .text = "u8"}}};
}

TEST(Parameters, StructsAreLaidOutAsInCpp) {
  const std::vector<uint8_t> block = pack_naturally({i32(1), nested(), i32(2)}, address_of, no_maps).value();
  ASSERT_EQ(block.size(), 8u + 32 + 4);
  EXPECT_EQ(at<int32_t>(block, 0), 1);
  EXPECT_EQ(at<int32_t>(block, 8), 5);
  EXPECT_EQ(at<uint64_t>(block, 16), 0x1004u);
  EXPECT_EQ(at<int32_t>(block, 24), 7);
  EXPECT_EQ(block[32], 9);
  EXPECT_EQ(at<int32_t>(block, 40), 2);
}

TEST(Parameters, AStructOfAnotherSizeIsNamed) {
  const Result<ptx::Module> module = ptx::parse(
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .align 8 .b8 p[24]) { ret; }", "k.ptx");
  ASSERT_TRUE(module.ok()) << module.status().message();
  const Result<std::vector<uint8_t>> block = pack_parameters(*module->function("k"), {nested()}, address_of, no_maps);
  EXPECT_EQ(block.status().message(), "args[0] is struct (32 bytes), but parameter 0 of k takes 24 bytes");
}

}  // namespace
}  // namespace warplens::launch
