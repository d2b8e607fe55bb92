// One engine: a launch does the same whether its module is PTX, machine code, or both, and says which of them ran.
#include "warplens/session/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "tests/source_path.h"
#include "warplens/base/files.h"
#include "warplens/isa/ptx/parser.h"
#include "warplens/run/sass/processor.h"

namespace warplens::session {
namespace {

constexpr uint32_t kWordsOfRun = 16384;
constexpr const char* kKernel = "scramble";  // of words: p, count, a mask and bits to set

std::string file(const char* name) { return *read_file(tests::source_path("tests/data/sass/hopper/") + name); }
std::string cubin() { return file("hopper_async.sm_90a.cubin"); }
std::shared_ptr<const ptx::Module> text() {
  return std::make_shared<const ptx::Module>(*ptx::parse(file("hopper_async.ptx"), "hopper_async.ptx"));
}

enum class Form { kPtx, kCode, kBoth };

class Engine : public ::testing::TestWithParam<Form> {
 protected:
  void SetUp() override {
    if (!simt::sass_machine::processor_can()) GTEST_SKIP() << "machine code needs AVX2";
    Result<std::unique_ptr<Module>> made = GetParam() == Form::kPtx    ? Module::load(text(), {"", "sm_90a", cubin()})
                                           : GetParam() == Form::kCode ? Module::load_code(cubin(), &memory)
                                                                       : Module::load_code(cubin(), &memory, text());
    ASSERT_TRUE(made.ok()) << made.status().message();
    module = std::move(*made);
    words = reinterpret_cast<uint32_t*>(*module->memory.allocate(4 * kWordsOfRun, "words"));
    for (uint32_t i = 0; i < kWordsOfRun; ++i) words[i] = i * 2654435761u;
  }

  Result<Outcome> run(uint64_t pointer, uint8_t checks = 0) {
    simt::Launch launch;
    launch.grid = {kWordsOfRun / 256, 1, 1};
    launch.block = {256, 1, 1};
    launch.checks = checks;
    launch.parameters.resize(20);
    const uint32_t numbers[] = {kWordsOfRun, 0xffffffff, 0};
    std::memcpy(launch.parameters.data(), &pointer, 8);
    std::memcpy(launch.parameters.data() + 8, numbers, 12);
    const Wanted wanted{.of_program = GetParam() != Form::kPtx};
    if (GetParam() == Form::kPtx) return session::run(*module, kKernel, launch, wanted);
    WL_ASSIGN(Kernel* const kernel, module->kernel(kKernel));
    return session::run(*kernel, launch, wanted);
  }
  Result<Outcome> run() { return run(reinterpret_cast<uint64_t>(words)); }

  simt::Memory memory;
  std::unique_ptr<Module> module;
  uint32_t* words = nullptr;
};

/// FNV-1a of what the kernel leaves, the same for all forms.
uint64_t sum_of(const uint32_t* words) {
  uint64_t sum = 0xcbf29ce484222325;
  for (uint32_t i = 0; i < kWordsOfRun; ++i) sum = (sum ^ words[i]) * 0x100000001b3;
  return sum;
}

TEST_P(Engine, LeavesTheSameResults) {
  static uint64_t first = 0;
  const uint64_t before = sum_of(words);
  const auto ran = run();
  ASSERT_TRUE(ran.ok()) << ran.status().message();
  EXPECT_FALSE(ran->result.fault);
  const uint64_t sum = sum_of(words);
  EXPECT_NE(sum, before);
  if (first == 0) first = sum;
  EXPECT_EQ(sum, first);
}

TEST_P(Engine, SaysWhatRan) {
  const auto plain = run();
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(plain->by_machine_code, GetParam() != Form::kPtx);
  const auto checked = run(reinterpret_cast<uint64_t>(words), simt::kCheckAll);
  ASSERT_TRUE(checked.ok());
  EXPECT_EQ(checked->precision(), GetParam() == Form::kCode ? simt::Precision::kWarp : simt::Precision::kThread);
  EXPECT_TRUE(checked->result.reports.empty());
}

TEST_P(Engine, NamesAFaultAndItsPlace) {
  const auto ran = run(8);
  ASSERT_TRUE(ran.ok()) << ran.status().message();
  ASSERT_TRUE(ran->result.fault);
  EXPECT_EQ(ran->result.fault->kind, simt::FaultKind::kIllegalAddress);
  EXPECT_THAT(ran->result.fault->text(), testing::HasSubstr("kernel 'scramble' block (0,0,0) thread (0,0,0)"));
}

TEST_P(Engine, ChecksFindTheSameDefect) {
  const auto ran = run(reinterpret_cast<uint64_t>(words + 256), simt::kCheckMemory);
  ASSERT_TRUE(ran.ok()) << ran.status().message();
  ASSERT_FALSE(ran->result.reports.empty());
  const simt::Report& found = ran->result.reports[0];
  EXPECT_EQ(found.id, "out-of-bounds");
  EXPECT_THAT(found.message, testing::StartsWith("write of 4 bytes at 0x"));
  EXPECT_THAT(found.message, testing::EndsWith(": right past the end of 'words' of 65536 bytes"));
}

INSTANTIATE_TEST_SUITE_P(Forms, Engine, ::testing::Values(Form::kPtx, Form::kCode, Form::kBoth));

TEST(Kernels, AreKeptWhereNobodyCanChangeTheirConstants) {
  simt::Memory memory;
  const auto loaded = Module::load_code(cubin(), &memory);
  Module* const module = loaded->get();
  Kernel* const kernel = *module->kernel(kKernel);
  EXPECT_FALSE(kernel->stale);
  module->constants_changed();
  EXPECT_TRUE(kernel->stale);
  EXPECT_EQ(*module->kernel(kKernel), kernel);
  EXPECT_FALSE(kernel->stale);
}

TEST(Kernels, ThatAreNotThereAreNamed) {
  simt::Memory memory;
  const auto loaded = Module::load_code(cubin(), &memory);
  Module* const module = loaded->get();
  EXPECT_EQ(module->kernel("no_such").status().message(), "the cubin has no kernel no_such");
}

}  // namespace
}  // namespace warplens::session
