#include "warplens/base/line_program.h"

#include <gtest/gtest.h>

namespace warplens {
namespace {

using namespace std::string_literals;

std::string number32(uint32_t value) { return {reinterpret_cast<const char*>(&value), 4}; }

/// A line program of two files, "own.cu" and "crt/intrinsics.hpp".
std::string line_program(const std::string& opcodes) {
  const std::string header =
      "\x01\x01\xfb\x0e\x0a\0\1\1\1\1\0\0\0\1"s + "crt\0\0"s + "own.cu\0\0\0\0"s + "intrinsics.hpp\0\1\0\0\0"s;
  const std::string after = "\2\0"s + number32(static_cast<uint32_t>(header.size())) + header + opcodes;
  return number32(static_cast<uint32_t>(after.size())) + after;
}

const std::string kStart = "\0\x09\x02"s + std::string(8, '\0');  // set the address to 0
const std::string kRow = "\1"s, kEnd = "\0\1\1"s, kSteps16 = "\2\x10"s;
std::string advance_line(int by) { return "\3"s + static_cast<char>(by & 0x7f); }  // -64 to 63
std::string file(char number) { return "\4"s + number; }
std::string inlined_into(char row) { return "\0\3\x90"s + row + "\0"s; }

TEST(LineProgram, InlinedCodeKnowsItsCaller) {
  const LineProgram program = read_line_program(
      line_program(kStart + advance_line(9) + kRow + kSteps16 + advance_line(2) + kRow + file(2) + inlined_into(2) +
                   advance_line(30) + kRow + file(1) + inlined_into(0) + advance_line(-28) + kSteps16 + kRow + kEnd));
  EXPECT_EQ(program.note, "");
  ASSERT_EQ(program.files.size(), 2u);
  EXPECT_EQ(program.files[1], "crt/intrinsics.hpp");
  ASSERT_EQ(program.sequences.size(), 1u);
  const std::vector<LineRow>& rows = program.sequences[0].rows;
  ASSERT_EQ(rows.size(), 4u);
  const LineRow* intrinsic = row_at(rows, 0x18);
  EXPECT_EQ(intrinsic->line, 42u);
  ASSERT_EQ(intrinsic->caller, 1u);
  EXPECT_EQ(program.calls[0].line, 12u);
  EXPECT_EQ(program.calls[0].file, 0u);
  EXPECT_EQ(row_at(rows, 0x20)->caller, 0u);
  EXPECT_EQ(row_at(rows, 0x20)->line, 14u);
}

TEST(LineProgram, NonsenseEndsIt) {
  const std::string whole = line_program(kStart + advance_line(9) + kRow + inlined_into(77) + kRow + kEnd);
  EXPECT_EQ(read_line_program(whole).calls.size(), 0u);
  for (size_t size = 0; size < whole.size(); ++size) read_line_program(whole.substr(0, size));
  EXPECT_EQ(read_line_program(whole.substr(0, whole.size() - 5)).note, "the line table is cut short");
}

}  // namespace
}  // namespace warplens
