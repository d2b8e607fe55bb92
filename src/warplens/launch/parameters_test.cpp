#include "warplens/launch/parameters.h"

#include <gtest/gtest.h>

#include <cstring>

#include "tests/source_path.h"
#include "warplens/isa/ptx/parser.h"
#include "warplens/launch/source.h"

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
  const ParameterLayout layout{"k", {{0, 4}, {8, 32}, {40, 4}}, 44};
  const std::vector<uint8_t> block = pack_parameters(layout, {i32(1), nested(), i32(2)}, address_of, no_maps).value();
  ASSERT_EQ(block.size(), 44u);
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
  const ParameterLayout layout = layout_of(*module->function("k"));
  const Result<std::vector<uint8_t>> block = pack_parameters(layout, {nested()}, address_of, no_maps);
  EXPECT_EQ(block.status().message(), "args[0] is struct (32 bytes), but parameter 0 of k takes 24 bytes");
}

TEST(Parameters, OfACubinLieWhereItSays) {
  Description description;
  description.source = tests::source_path("tests/data/cubin/tensor_map.sm_90a.cubin");
  description.launches.push_back({.kernel = "first_byte", .args = std::vector<Argument>(3)});
  const Result<Source> source = load_source(description, "");
  ASSERT_TRUE(source.ok()) << source.status().message();
  ASSERT_EQ(source->kernels.size(), 1u);
  const Result<ParameterLayout> layout = parameter_layout(*source, source->kernels[0]);
  ASSERT_TRUE(layout.ok()) << layout.status().message();
  EXPECT_EQ(layout->offsets(), (std::vector<size_t>{48, 176, 184}));  // bank 0 + 0x210 + 48 is a multiple of 64
  EXPECT_EQ(layout->slots[0].size_bytes, 128u);
  EXPECT_EQ(layout->size_bytes, 188u);
}

TEST(Parameters, ACubinMustSayWhereTheyLie) {
  cubin::Function kernel{.name = "k", .parameter_bytes = 8};
  EXPECT_EQ(layout_of(kernel).status().message(), "k: the cubin has no offsets of its parameters");
  kernel.parameters = {{0, 4, 8}};
  EXPECT_EQ(layout_of(kernel).status().message(),
            "k: parameter 0 ends at byte 12, but the parameters have only 8 bytes");
}

}  // namespace
}  // namespace warplens::launch
