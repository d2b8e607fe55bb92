#include "warplens/emulator/matrix/math.h"

#include <gtest/gtest.h>

#include <random>

namespace warplens::emulator {
namespace {

using ptx::Type;

uint32_t random_bits(std::mt19937& rng, Type type) {
  const int bits = ptx::bits(type);
  const uint32_t any = static_cast<uint32_t>(rng()) & (bits == 32 ? ~0u : (1u << bits) - 1);
  if (rng() % 8 == 0) return 0;
  if (rng() % 64 == 0 || bits < 16) return any;  // infinities and NaNs among them
  switch (type) {                                // near one, so that sums cancel and terms are cut
    case Type::kF16:
      return (any & 0x83ff) | (10 + rng() % 8) << 10;
    case Type::kBf16:
      return (any & 0x807f) | (118 + rng() % 16) << 7;
    default:
      return (any & 0x807fffff) | (118 + rng() % 16) << 23;
  }
}

/// What lanes compute must be what the model says, whatever the bits are.
TEST(MatrixMath, LanesAgreeWithTheModel) {
  std::mt19937 rng(5);
  for (const int architecture : {70, 80, 89, 90, 100}) {
    for (const Type type : {Type::kF16, Type::kBf16, Type::kTf32, Type::kE4m3, Type::kE5m2, Type::kE2m1}) {
      for (const Type c_type : {Type::kF32, Type::kF16}) {
        for (const bool warpgroup : {false, true}) {
          const int m = 5, n = 24, k = 32;
          std::vector<uint32_t> a(m * k), b(n * k), c(m * n);
          for (uint32_t& x : a) x = random_bits(rng, type);
          for (uint32_t& x : b) x = random_bits(rng, type);
          for (uint32_t& x : c) x = random_bits(rng, c_type);
          std::vector<uint32_t> plain = c;
          MatrixProduct product{m, n, k, type, type, c_type, a.data(), b.data(), c.data()};
          product.negate = warpgroup;
          const DotModel model = dot_model(architecture, type, warpgroup);
          multiply_float(product, model);
          product.c = plain.data();
          multiply_float_plainly(product, model);
          for (size_t i = 0; i < c.size(); ++i)
            ASSERT_EQ(c[i], plain[i]) << "sm_" << architecture << " type " << ptx::text(type) << " to "
                                      << ptx::text(c_type) << " element " << i;
        }
      }
    }
  }
}

}  // namespace
}  // namespace warplens::emulator
