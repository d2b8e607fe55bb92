#include "warplens/isa/ptx/parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>

#include "tests/source_path.h"
#include "warplens/base/files.h"
#include "warplens/isa/ptx/print.h"

namespace warplens::ptx {
namespace {

using testing::HasSubstr;

const std::string kData = tests::source_path("tests/data/ptx");

std::string contents(const std::filesystem::path& path) {
  std::string out;
  gzFile file = gzopen(path.c_str(), "rb");  // reads plain files too
  char buffer[1 << 16];
  for (int n = 0; (n = gzread(file, buffer, sizeof buffer)) > 0;) out.append(buffer, static_cast<size_t>(n));
  gzclose(file);
  return out;
}

Module parsed(const std::string& text) {
  auto module = parse(text, "test.ptx");
  EXPECT_TRUE(module.ok()) << module.status().message();
  return module.ok() ? std::move(*module) : Module{};
}

Module kernel(const std::string& body) {
  return parsed(
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u8 b, "
      ".param .align 16 .b8 s[20]) {\n.reg .b32 %r<10>, x; .reg .b64 %rd<4>; .reg .pred %p<3>;\n" +
      body + "\n}");
}

std::string error_of(const std::string& body) {
  return parse(".version 8.0\n.target sm_90\n.entry k() {\n.reg .b32 %r<10>;\n" + body + "\n}", "k.ptx")
      .status()
      .message();
}

TEST(Parser, EveryFileReadsAndPrintsBackToItself) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kData)) {
    const Module module = parsed(contents(entry.path()));
    auto again = parse(print(module), "printed");
    ASSERT_TRUE(again.ok()) << entry.path() << "\n" << again.status().message();
    EXPECT_TRUE(module == *again) << entry.path();
    ++files;
  }
  EXPECT_GE(files, 46);
}

TEST(Parser, VariablesMayNameThemselvesAndLaterOnes) {
  const Module module = parsed(
      ".version 8.0\n.target sm_90\n.address_size 64\n.extern .global .align 8 .b64 ring;\n.extern .global .align 8 "
      ".b64 next[2];\n"
      ".global .align 8 .b64 first = next+8;\n.global .align 8 .b64 ring = ring;\n.global .align 8 .b64 next[2] = "
      "{first, ring};\n");
  const std::string text = print(module);
  const auto again = parse(text, "printed");
  ASSERT_TRUE(again.ok()) << again.status().message() << text;
  EXPECT_TRUE(module == *again) << text;
}

TEST(Parser, EveryInstructionOfTheFilesIsInTheTable) {
  std::vector<std::string> missing;
  for (const auto& entry : std::filesystem::directory_iterator(kData)) {
    for (const Mnemonic& mnemonic : parsed(contents(entry.path())).mnemonics) {
      if (mnemonic.form < 0) missing.push_back(mnemonic.text);
    }
  }
  EXPECT_THAT(missing, testing::ElementsAre("frobnicate.new.m64n8k1.b32"));
}

TEST(Parser, ResolvesOperands) {
  const Module module =
      kernel("ld.global.v2.b32 {%r1, _}, [%rd2+-8];\nsetp.lt.s32 %p1|%p2, x, -3;\n@!%p1 bra end;\nend: ret;");
  const Function& k = module.functions[0];
  ASSERT_EQ(k.instructions.size(), 4);
  const Operand* load = k.operands_of(k.instructions[0]);
  EXPECT_EQ(load[0].kind, OperandKind::kVector);
  EXPECT_EQ(k.register_name(k.operands[load[0].first].id), "%r1");
  EXPECT_EQ(k.operands[load[0].first + 1].kind, OperandKind::kSink);
  EXPECT_EQ(load[1].kind, OperandKind::kAddress);
  EXPECT_EQ(static_cast<int64_t>(load[1].value), -8);
  const Operand* compare = k.operands_of(k.instructions[1]);
  EXPECT_EQ(compare[0].kind, OperandKind::kPair);
  EXPECT_EQ(static_cast<int64_t>(compare[2].value), -3);
  EXPECT_TRUE(k.instructions[2].guard_negated);
  EXPECT_EQ(k.labels[k.operands_of(k.instructions[2])[0].id].instruction, 3);
}

TEST(Parser, IndexedVariablesAreAddresses) {
  const Module module =
      kernel(".shared .align 4 .v2 .f32 a[8];\nmov.u64 %rd0, a[0];\nmov.u64 %rd1, a[3];\nld.shared.u32 x, [a[2]+4];");
  const Function& function = module.functions[0];
  EXPECT_EQ(function.operands_of(function.instructions[0])[1].value, 0u);
  EXPECT_EQ(function.operands_of(function.instructions[1])[1].value, 24u);
  EXPECT_EQ(function.operands_of(function.instructions[2])[1].value, 20u);
}

TEST(Parser, DecodesMnemonicsOnce) {
  const Module module = kernel(
      "ld.relaxed.gpu.shared::cluster.v4.f32 {%r1,%r2,%r3,%r4}, [%r5];\nld.relaxed.gpu.shared::cluster.v4.f32 "
      "{%r1,%r2,%r3,%r4}, [%r5];");
  ASSERT_EQ(module.mnemonics.size(), 1);
  const Mnemonic& load = module.mnemonics[0];
  EXPECT_EQ(load.opcode, Opcode::kLd);
  EXPECT_EQ(load.space(), Space::kSharedCluster);
  EXPECT_EQ(load.vector, 4);
  EXPECT_EQ(load.type(), Type::kF32);
  EXPECT_TRUE(load.has(Mod::kRelaxed));
  EXPECT_EQ(load.category, Category::kLoad);
}

TEST(Parser, ScopesHideNames) {
  const Module module = kernel("{ .reg .b32 x; mov.b32 x, 1; l: bra l; }\nmov.b32 x, 2;\nl: bra l;");
  const Function& k = module.functions[0];
  const auto target = [&](int i) { return k.operands_of(k.instructions[i])[0].id; };
  EXPECT_NE(target(0), target(2));
  EXPECT_EQ(k.labels[target(1)].instruction, 1);
  EXPECT_EQ(k.labels[target(3)].instruction, 3);
}

TEST(Parser, LaysOutKernelParameters) {
  const Module module = kernel("ret;");
  const Function& k = module.functions[0];
  EXPECT_EQ(k.parameters[1].offset, 8);
  EXPECT_EQ(k.parameters[2].offset, 16);
  EXPECT_EQ(k.parameter_bytes(), 36);
}

TEST(Parser, FollowsInlining) {
  const Module module = parsed(
      ".version 8.0\n.target sm_90\n.file 1 \"a.py\"\n.entry k() {\n.loc 1 10 1\n"
      ".loc 1 5 2, function_name $f, inlined_at 1 10 1\nret;\n}");
  const Function& k = module.functions[0];
  const DebugLocation& inner = k.debug_locations[k.instructions[0].debug];
  EXPECT_EQ(inner.line, 5);
  EXPECT_EQ(k.debug_locations[inner.inlined_at].line, 10);
  EXPECT_EQ(module.file_name(1), "a.py");
}

TEST(Parser, KnowsACallerThatIsNamedLater) {
  const Module module = parsed(
      ".version 8.0\n.target sm_90\n.file 1 \"a.py\"\n.entry k() {\n"
      ".loc 1 5 2, function_name $f, inlined_at 1 10 1\nret;\n.loc 1 10 1\nret;\n}");
  const Function& k = module.functions[0];
  EXPECT_EQ(k.debug_locations.size(), 2);
  EXPECT_EQ(k.debug_locations[k.instructions[0].debug].inlined_at, k.instructions[1].debug);
  EXPECT_EQ(parsed(print(module)), module);
}

TEST(Parser, ReadsInitialisers) {
  const Module module = parsed(
      ".version 8.0\n.target sm_90\n.global .b16 a[2][2] = {{1}, {2, 3}};\n"
      ".global .u64 p[] = {a, generic(a)+2};\n.const .f64 f = 0.5;");
  EXPECT_EQ(module.variables[0].data, (std::vector<uint8_t>{1, 0, 0, 0, 2, 0, 3, 0}));
  EXPECT_EQ(module.variables[1].size_bytes, 16);
  ASSERT_EQ(module.variables[1].relocations.size(), 2);
  EXPECT_TRUE(module.variables[1].relocations[1].generic);
  EXPECT_EQ(module.variables[1].relocations[1].addend, 2);
  EXPECT_EQ(module.variables[2].data[7], 0x3f);
}

TEST(Parser, ErrorsShowTheLineAndACaret) {
  EXPECT_EQ(error_of("  add.s32 %r1, %r2, %q3;"),
            "k.ptx:5:21: error: nothing named '%q3' is declared here\n  add.s32 %r1, %r2, %q3;\n                    ^");
  EXPECT_EQ(error_of("\tadd.s32 %r1, %r2;"),
            "k.ptx:5:2: error: 'add.s32' takes the operands 'd, a, b'; here are 2\n\tadd.s32 %r1, %r2;\n\t^");
  EXPECT_THAT(error_of("mov.b32 %r1, 0x1ffffffffffffffff;"), HasSubstr("does not fit 64 bits"));
  EXPECT_THAT(error_of("mov.b32 %r1, 0f3F8;"), HasSubstr("0f takes 8 hexadecimal digits"));
  EXPECT_THAT(error_of("bra lop;\nloop: ret;"), HasSubstr("did you mean 'loop'?"));
  EXPECT_THAT(error_of("x: x: ret;"), HasSubstr("'x' is declared twice"));
  EXPECT_THAT(error_of("@%r1 ret;"), HasSubstr("expected a predicate register"));
  EXPECT_THAT(parse("", "k.ptx").status().message(), HasSubstr("k.ptx:1:1: error: expected .version"));
  for (const char* version : {"2147483648.0", "8.2147483648"})
    EXPECT_THAT(parse(std::string(".version ") + version, "k.ptx").status().message(),
                HasSubstr("a version such as 8.0"));
  EXPECT_THAT(error_of("ret"), HasSubstr("expected an operand or ';', found '}'"));
}

TEST(Parser, RefusesWhatWouldTakeAllMemory) {
  EXPECT_THAT(error_of(".reg .b32 %big<4000000000>;"), HasSubstr("registers in one module"));
  EXPECT_THAT(error_of(".shared .b8 s[1099511627776][1099511627776];"), HasSubstr("larger than 2^40"));
  EXPECT_THAT(error_of(std::string(100000, '{')), HasSubstr("nested too deeply"));
  EXPECT_THAT(error_of("mov.b32 %r1, " + std::string(100000, '(')), HasSubstr("nested too deeply"));
}

}  // namespace
}  // namespace warplens::ptx
