#include "warplens/base/sha256.h"

#include <gtest/gtest.h>

namespace warplens {
namespace {

// Vectors of FIPS 180-4.
TEST(Sha256, KnownDigests) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesEqualTheWhole) {
  const std::string text(300, 'x');
  Sha256 pieces;
  for (size_t at = 0, step = 1; at < text.size(); at += step++) pieces.add(std::string_view(text).substr(at, step));
  EXPECT_EQ(pieces.hex(), sha256_hex(text));
}

TEST(Sha256, FieldsKeepTheirBorders) {
  EXPECT_NE(Sha256().add_field("ab").add_field("c").hex(), Sha256().add_field("a").add_field("bc").hex());
}

}  // namespace
}  // namespace warplens
