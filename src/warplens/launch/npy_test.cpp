#include "warplens/launch/npy.h"

#include <gmock/gmock.h>

#include <random>

namespace warplens::launch {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string npy(const std::string& header, const std::string& data) {
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header + data;
}

TEST(Npy, WritesWhatItReads) {
  const std::vector<uint8_t> bytes = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  for (const std::vector<uint64_t>& shape : std::vector<std::vector<uint64_t>>{{6}, {2, 3}, {1, 6, 1}}) {
    const std::string file = format_npy(DType::kI16, shape, bytes);
    EXPECT_EQ((file.size() - bytes.size()) % 64, 0u);
    const Result<Array> array = parse_npy(file);
    ASSERT_TRUE(array.ok()) << array.status().message();
    EXPECT_EQ(array->dtype, DType::kI16);
    EXPECT_EQ(array->shape, shape);
    EXPECT_EQ(array->bytes, bytes);
  }
}

TEST(Npy, ScalarsHaveNoDimensions) {
  const Result<Array> array = parse_npy(format_npy(DType::kF64, {}, std::vector<uint8_t>(8)));
  ASSERT_TRUE(array.ok());
  EXPECT_TRUE(array->shape.empty());
  EXPECT_EQ(array->bytes.size(), 8u);
}

TEST(Npy, FortranOrderIsTurned) {
  const Result<Array> array =
      parse_npy(npy("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }", "\1\4\2\5\3\6"));
  ASSERT_TRUE(array.ok()) << array.status().message();
  EXPECT_THAT(array->bytes, ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(Npy, BigEndianIsTurned) {
  const Result<Array> array =
      parse_npy(npy("{\"descr\": \">u2\", 'fortran_order': False, 'shape': (2,)}", std::string("\0\1\2\3", 4)));
  ASSERT_TRUE(array.ok()) << array.status().message();
  EXPECT_THAT(array->bytes, ElementsAre(1, 0, 3, 2));
}

TEST(Npy, ErrorsSayWhatIsWrong) {
  const auto message = [](const std::string& file) { return parse_npy(file).status().message(); };
  EXPECT_THAT(message("PK\3\4"), HasSubstr("it is not a .npy file"));
  EXPECT_EQ(message(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }", "12345678")),
            "the file ends at byte 75, 8 bytes before the end of its data");
  EXPECT_THAT(message(npy("{'descr': '<c8', 'fortran_order': False, 'shape': (4,), }", "")),
              HasSubstr("its elements are '<c8'"));
  EXPECT_THAT(message(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (4,), }", "")),
              HasSubstr("records"));
  EXPECT_THAT(message(npy("{'fortran_order': False, 'shape': (4,), }", "")), HasSubstr("has no 'descr'"));
  EXPECT_THAT(message(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", "")),
              HasSubstr("the dimension '-1'"));
  EXPECT_THAT(message(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", "")),
              HasSubstr("impossible"));
}

TEST(Npy, MutatedFilesNeverCrash) {
  const std::string good = format_npy(DType::kF32, {2, 3}, std::vector<uint8_t>(24, 7));
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    std::string bad = good;
    for (int i = 0; i < 3; ++i) bad[random() % bad.size()] = static_cast<char>(random());
    bad.resize(random() % (bad.size() + 1));
    const Result<Array> array = parse_npy(bad);
    EXPECT_TRUE(array.ok() || !array.status().message().empty());
  }
}

}  // namespace
}  // namespace warplens::launch
