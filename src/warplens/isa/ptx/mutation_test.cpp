// Damaged PTX never crashes or hangs the parser, and what it still accepts prints back to itself.
#include <gtest/gtest.h>

#include <random>

#include "tests/source_path.h"
#include "warplens/base/files.h"
#include "warplens/isa/ptx/parser.h"
#include "warplens/isa/ptx/print.h"

namespace warplens::ptx {
namespace {

std::string mutated(std::string text, std::mt19937& random) {
  const auto below = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); };
  for (size_t n = 1 + below(3); n > 0 && !text.empty(); --n) {
    const size_t at = below(text.size());
    const size_t length = std::min(text.size() - at, 1 + below(40));
    switch (below(4)) {
      case 0: text[at] = static_cast<char>(below(256)); break;
      case 1: text.erase(at, length); break;
      case 2: text.insert(below(text.size()), text.substr(at, length)); break;
      default: text.resize(at); break;
    }
  }
  return text;
}

TEST(Mutation, DamagedTextIsRefusedOrPrintsBack) {
  const auto original = read_file(tests::source_path("tests/data/ptx/syntax.ptx"));
  ASSERT_TRUE(original.ok());
  std::mt19937 random(1);
  int accepted = 0;
  for (int i = 0; i < 3000; ++i) {
    const auto module = parse(mutated(*original, random), "mutated");
    if (!module.ok()) {
      EXPECT_NE(module.status().message().find("mutated:"), std::string::npos);
      continue;
    }
    ++accepted;
    const std::string printed = print(*module);
    const auto again = parse(printed, "printed");
    ASSERT_TRUE(again.ok()) << i << "\n" << again.status().message();
    EXPECT_TRUE(*module == *again) << i << "\n" << printed;
  }
  EXPECT_GT(accepted, 100);
}

}  // namespace
}  // namespace warplens::ptx
