#include "warplens/isa/cubin/cubin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/source_path.h"
#include "warplens/base/files.h"
#include "warplens/isa/cubin/elf.h"

namespace warplens::cubin {
namespace {

std::string data(const std::string& name) {
  auto bytes = read_file(tests::source_path("tests/data/cubin/") + name);
  EXPECT_TRUE(bytes.ok()) << bytes.status().message();
  return bytes.ok() ? std::move(*bytes) : "";
}

TEST(Cubin, TellsWhatPtxItWasCompiledFrom) {
  const std::string bytes = data("resources.sm_90.cubin");
  const auto elf = read_elf(bytes);
  ASSERT_TRUE(elf.ok()) << elf.status().message();
  EXPECT_EQ(ptx_architecture_of(*elf), 90);
  std::string other = bytes;
  const auto at = static_cast<size_t>(elf->section(".note.nv.cuinfo")->bytes.data() - bytes.data());
  other[at + 26] = 75;
  const auto compiled_from_75 = read_elf(other);
  EXPECT_EQ(ptx_architecture_of(*compiled_from_75), 75);
  EXPECT_EQ(architecture_of(*compiled_from_75), 90);
  Elf without = *elf;
  without.by_name.erase(".note.nv.cuinfo");
  EXPECT_EQ(ptx_architecture_of(without), 90);
}

/// resources.cu compiled for each architecture; the numbers are those of `cuobjdump -res-usage` and -sass.
class CubinOf : public testing::TestWithParam<int> {};

TEST_P(CubinOf, HasTheResourcesThatTheCompilerReports) {
  const std::string bytes = data("resources.sm_" + std::to_string(GetParam()) + ".cubin");
  const auto cubin = read_cubin(bytes);
  ASSERT_TRUE(cubin.ok()) << cubin.status().message();
  EXPECT_EQ(cubin->architecture, GetParam());
  const Function* kernel = cubin->function("resources");
  ASSERT_NE(kernel, nullptr);
  EXPECT_TRUE(kernel->is_kernel);
  EXPECT_EQ(kernel->shared_bytes, 2048);
  EXPECT_EQ(kernel->frame_bytes, 256);
  EXPECT_GT(kernel->registers, 8);
  EXPECT_EQ(kernel->max_threads, (std::array<uint32_t, 3>{128, 1, 1}));
  ASSERT_EQ(kernel->parameters.size(), 3);
  EXPECT_EQ(kernel->parameters[2].offset, 16);
  EXPECT_EQ(kernel->parameters[2].size_bytes, 4);
  EXPECT_EQ(kernel->parameter_bytes, 20);
}

TEST_P(CubinOf, HasItsMemoryInstructionsWithLines) {
  const std::string bytes = data("resources.sm_" + std::to_string(GetParam()) + ".cubin");
  const auto cubin = read_cubin(bytes);
  ASSERT_TRUE(cubin.ok());
  const Function* kernel = cubin->function("resources");
  ASSERT_NE(kernel, nullptr);
  int wide = 0, local = 0, shared = 0, loops = 0;
  for (const SassInstruction& each : kernel->instructions) {
    EXPECT_TRUE(each.known()) << each.full_name();
    if (each.opcode == sass::Opcode::kLdg && each.width_bytes == 16) {
      ++wide;
      EXPECT_EQ(kernel->lines[each.line].line, 7);
      EXPECT_THAT(kernel->lines[each.line].file, testing::EndsWith("resources.cu"));
      EXPECT_GT(each.ptx_line, 0);
    }
    local += each.space() == sass::MemorySpace::kLocal ? 1 : 0;
    shared += each.space() == sass::MemorySpace::kShared ? 1 : 0;
    loops += each.has_target && each.target < each.address ? 1 : 0;
  }
  EXPECT_EQ(wide, 1);
  EXPECT_GT(local, 1);
  EXPECT_GE(shared, 2);
  EXPECT_GE(loops, 1);
}

INSTANTIATE_TEST_SUITE_P(Architectures, CubinOf, testing::Values(80, 90, 120));

/// inlined.cu: line 5 calls functions of cuda_fp16.h, which `readelf --debug-dump=rawline` shows, and one of its own.
TEST(Cubin, ChargesCodeOfTheToolkitToTheLineThatCallsIt) {
  const std::string bytes = data("inlined.sm_90.cubin");
  const auto cubin = read_cubin(bytes);
  ASSERT_TRUE(cubin.ok());
  const Function* kernel = cubin->function("inlined");
  ASSERT_NE(kernel, nullptr);
  bool has_call = false, has_own = false;
  for (const SassInstruction& each : kernel->instructions) {
    EXPECT_THAT(kernel->lines[each.line].file, testing::EndsWith("inlined.cu"));
    has_call |= each.opcode == sass::Opcode::kHadd2 && kernel->lines[each.line].line == 5;
    has_own |= each.opcode == sass::Opcode::kFmul && kernel->lines[each.line].line == 2;
  }
  EXPECT_TRUE(has_call);
  EXPECT_TRUE(has_own);
}

TEST(Cubin, RefusesWhatItIsNot) {
  EXPECT_THAT(read_cubin("hello").status().message(), testing::HasSubstr("no ELF file"));
  std::string bytes = data("resources.sm_90.cubin");
  bytes[18] = 62;
  EXPECT_THAT(read_cubin(bytes).status().message(), testing::HasSubstr("machine 62, not for NVIDIA GPUs"));
}

TEST(Cubin, SurvivesDamage) {
  const std::string original = data("resources.sm_90.cubin");
  std::mt19937 random(1);
  int read = 0;
  for (int i = 0; i < 500; ++i) {
    std::string bytes = original;
    for (int n = 0; n < 8; ++n) bytes[random() % bytes.size()] = static_cast<char>(random());
    if (i % 5 == 0) bytes.resize(random() % bytes.size());
    read += read_cubin(bytes).ok() ? 1 : 0;
  }
  EXPECT_GT(read, 50);
}

}  // namespace
}  // namespace warplens::cubin
