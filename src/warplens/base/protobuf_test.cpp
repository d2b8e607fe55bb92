#include "warplens/base/protobuf.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace warplens::protobuf {
namespace {

using std::string_view_literals::operator""sv;

TEST(Protobuf, FieldsOfEveryKind) {
  Message message(
      "\x08\xac\x02\x12\x03"
      "abc\x19\x00\x00\x00\x00\x00\x00\xf8\x3f\x25\x00\x00\x20\x40"sv);
  Field field;
  ASSERT_TRUE(message.next(&field));
  EXPECT_EQ(field.number, 1U);
  EXPECT_EQ(field.value, 300U);
  ASSERT_TRUE(message.next(&field));
  EXPECT_EQ(field.bytes, "abc");
  ASSERT_TRUE(message.next(&field));
  EXPECT_EQ(field.as_double(), 1.5);
  ASSERT_TRUE(message.next(&field));
  EXPECT_EQ(field.as_float(), 2.5F);
  EXPECT_FALSE(message.next(&field));
  EXPECT_FALSE(message.damaged());
}

TEST(Protobuf, ClaimsBeyondTheMessageAreDamage) {
  // A gigabyte's length, a number without an end, half a fixed field, a group.
  for (const std::string_view bad : {"\x12\x80\x80\x80\x80\x04"
                                     "x"sv,
                                     "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"sv, "\x19\x01"sv, "\x0b"sv}) {
    Message message(bad);
    Field field;
    EXPECT_FALSE(message.next(&field));
    EXPECT_TRUE(message.damaged());
    EXPECT_FALSE(message.next(&field));
  }
}

TEST(Protobuf, AnythingEnds) {
  std::mt19937 dice(5);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes(dice() % 64, '\0');
    for (char& c : bytes) c = static_cast<char>(dice());
    Message message(bytes);
    size_t fields = 0;
    for (Field field; message.next(&field);) ++fields;
    EXPECT_LE(fields, bytes.size());
  }
}

}  // namespace
}  // namespace warplens::protobuf
