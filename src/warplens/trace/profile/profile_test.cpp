#include "warplens/trace/profile/profile.h"

#include <gtest/gtest.h>

namespace warplens {
namespace {

TEST(Strings, InternsEachTextOnce) {
  Strings strings;
  EXPECT_EQ(strings.intern(""), StringId::kEmpty);
  const StringId first = strings.intern("aten::mm");
  for (int i = 0; i < 5000; ++i) strings.intern("name" + std::to_string(i));
  EXPECT_EQ(strings.intern("aten::mm"), first);
  EXPECT_EQ(strings.find("name4999"), StringId{5001});
  EXPECT_EQ(strings.find("absent"), StringId::kEmpty);
  EXPECT_EQ(strings[first], "aten::mm");
  EXPECT_EQ(strings.size(), 5002u);
}

TEST(Strings, AdoptsTextsWithoutCopying) {
  const std::string text = "mapped";
  Strings strings;
  strings.adopt({text});
  EXPECT_EQ(strings[StringId{1}].data(), text.data());
  EXPECT_EQ(strings.intern("mapped"), StringId{1});
}

TEST(Column, OwnsBorrowsAndMoves) {
  Column<int64_t> column;
  column.push_back(3);
  column.push_back(4);
  Column<int64_t> moved = std::move(column);
  EXPECT_EQ(moved.size(), 2u);
  EXPECT_EQ(moved[1], 4);
  const int64_t values[] = {7, 8, 9};
  moved.borrow(values);
  EXPECT_EQ(moved.values().data(), values);
}

TEST(Integrity, CountsAndKeepsTheWorstSeverity) {
  Integrity integrity;
  integrity.add("dropped", Severity::kInfo, 2, "first", "advice");
  integrity.add("dropped", Severity::kError, 3, "second", "other");
  ASSERT_NE(integrity.find("dropped"), nullptr);
  EXPECT_EQ(integrity.find("dropped")->count, 5);
  EXPECT_EQ(integrity.find("dropped")->severity, Severity::kError);
  EXPECT_EQ(integrity.find("dropped")->detail, "first");
  EXPECT_EQ(integrity.find("absent"), nullptr);
}

}  // namespace
}  // namespace warplens
