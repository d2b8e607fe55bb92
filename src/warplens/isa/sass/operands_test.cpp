#include "warplens/isa/sass/operands.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <sstream>

#include "tests/source_path.h"
#include "warplens/base/files.h"
#include "warplens/base/text.h"

namespace warplens::sass {
namespace {

/// Numbers by their value: nvdisasm writes more digits.
std::string without_digits(const std::string& operands) {
  std::vector<std::string> out;
  for (const std::string_view part : split(operands, ',')) {
    const std::optional<double> number = parse_double(trim(part));
    out.push_back(number ? fmt::format("{}", static_cast<float>(*number)) : std::string(trim(part)));
  }
  return join(out, ", ");
}

struct Sample {
  int architecture = 0;
  Word word;
  uint32_t address = 0;
  std::string name, operands;
};

/// Kept by scripts/sass/operand_samples.py, with nvdisasm's text.
std::vector<Sample> samples() {
  const auto text = read_file(tests::source_path("tests/data/sass/operands.txt"));
  EXPECT_TRUE(text.ok());
  std::vector<Sample> out;
  if (!text.ok()) return out;
  for (const std::string_view line : split(*text, '\n')) {
    std::istringstream in{std::string(line)};
    Sample each;
    in >> std::dec >> each.architecture >> std::hex >> each.word.low >> each.word.high >> each.address >> each.name;
    if (!in) continue;
    std::getline(in >> std::ws, each.operands);
    out.push_back(std::move(each));
  }
  return out;
}

TEST(Operands, AreThoseOfNvdisasm) {
  std::set<std::string> known, unknown;
  size_t compared = 0;
  for (const Sample& each : samples()) {
    const Disassembled instruction = disassemble(each.word, each.address, each.architecture);
    const auto operands = operands_text(instruction, each.word, each.architecture);
    (operands ? known : unknown).insert(each.name);
    if (!operands) continue;
    ++compared;
    EXPECT_EQ(without_digits(*operands), without_digits(each.operands))
        << each.name << fmt::format(" {:016x} {:016x} sm_{}", each.word.low, each.word.high, each.architecture);
  }
  EXPECT_GT(compared, 2000u);
  EXPECT_GT(known.size(), 120u) << "names that have a row";
  for (const char* common : {"FFMA", "IMAD", "LDG", "STG", "LDS", "STS", "HMMA", "BRA", "LDC", "ISETP"})
    EXPECT_FALSE(unknown.contains(common)) << common;
}

TEST(Operands, AreToldToBeUnknownWhereNoRowKnowsThem) {
  EXPECT_EQ(whole_text({0x0000000002057235, 0}, 0, 90), "HFMA2.MMA R5, R2, R0, R0");
  EXPECT_EQ(whole_text({0x1ff, 0}, 0, 90), "@P0 0x1ff \u2026");
  EXPECT_EQ(whole_text({0x00000000000079c5, 0x004fcc0000000000}, 0, 90), "WARPGROUP.ARRIVE \u2026");
}

TEST(Operands, OfAnyWordAreText) {
  std::mt19937_64 random(1);
  for (int k = 0; k < 200000; ++k) {
    const Word word{random(), random()};
    for (const int architecture : {75, 80, 90, 100, 120})
      EXPECT_FALSE(whole_text(word, static_cast<uint32_t>(random()), architecture).empty());
  }
}

}  // namespace
}  // namespace warplens::sass
