#include "warplens/base/base64.h"

#include <gtest/gtest.h>

namespace warplens {
namespace {

// The examples of RFC 4648.
constexpr std::pair<const char*, const char*> kPairs[] = {{"", ""},
                                                          {"f", "Zg=="},
                                                          {"fo", "Zm8="},
                                                          {"foo", "Zm9v"},
                                                          {"foob", "Zm9vYg=="},
                                                          {"fooba", "Zm9vYmE="},
                                                          {"foobar", "Zm9vYmFy"}};

TEST(Base64, GoesThereAndBack) {
  for (const auto& [bytes, text] : kPairs) {
    EXPECT_EQ(base64(bytes), text);
    EXPECT_EQ(bytes_of_base64(text), bytes);
  }
  std::string all;
  for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
  EXPECT_EQ(bytes_of_base64(base64(all)), all);
  EXPECT_EQ(base64_of_hex("666f6f"), "Zm9v");
}

}  // namespace
}  // namespace warplens
