#include "warplens/simt/matrix/math.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "warplens/simt/lanes/values.h"
#include "warplens/simt/matrix/dot_functions.h"
#include "warplens/simt/matrix/fragments.h"

namespace warplens::simt {
namespace {

using ptx::Type;

uint32_t random_bits(std::mt19937& rng, Type type) {
  const int bits = ptx::bits(type);
  const uint32_t any = static_cast<uint32_t>(rng()) & (bits == 32 ? ~0u : (1u << bits) - 1);
  if (rng() % 8 == 0) return 0;
  if (rng() % 64 == 0 || bits < 16) return any;  // infinities and NaNs among them
  switch (type) {                                // near one, so that sums cancel and terms are cut
    case Type::kF16: return (any & 0x83ff) | (10 + rng() % 8) << 10;
    case Type::kBf16: return (any & 0x807f) | (118 + rng() % 16) << 7;
    default: return (any & 0x807fffff) | (118 + rng() % 16) << 23;
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

/// Registers of a 16 x 8 product, as mma.m16n8 lays them out, beside the dense matrices.
struct TileCase {
  MatrixInfo info;
  std::vector<uint32_t> a, b, c, a_words, b_words;
  float sums[4][kLanes];

  TileCase(std::mt19937& rng, Type type, int k) : info{16, 8, static_cast<uint16_t>(k), type, type} {
    info.c = info.d = Type::kF32;
    a = fill(rng, type, 16 * k);
    b = fill(rng, type, 8 * k);
    c = fill(rng, Type::kF32, 16 * 8);
    a_words = words(a, 0);
    b_words = words(b, 1);
    const std::vector<uint16_t> places = dense_places(info, 2);
    for (uint32_t i = 0; i < places.size(); ++i) sums[i / kLanes][i % kLanes] = std::bit_cast<float>(c[places[i]]);
  }

  static std::vector<uint32_t> fill(std::mt19937& rng, Type type, int count) {
    std::vector<uint32_t> out;
    while (static_cast<int>(out.size()) < count) {
      const uint32_t bits = random_bits(rng, type);
      const NumberFormat f = number_format(type);
      const uint32_t field = bits << (32 - ptx::bits(type)) << 1 >> (32 - f.exponent_bits);
      // What is out of reach makes all of a tile go the plain way: infinities, terms beyond f32's.
      const bool near = f.exponent_bits < 8 ? field + 1 < 1u << f.exponent_bits : field > 90 && field < 160;
      if (near || bits == 0) out.push_back(bits);
    }
    return out;
  }
  std::vector<uint32_t> words(const std::vector<uint32_t>& dense, int operand) const {
    const auto bits = static_cast<uint32_t>(ptx::bits(info.a)), each = 32 / bits;
    const std::vector<uint16_t> places = dense_places(info, operand);
    std::vector<uint32_t> out(places.size() / each);
    for (uint32_t i = 0; i < places.size(); ++i)
      out[i / kLanes / each * kLanes + i % kLanes] |= dense[places[i]] << (i / kLanes % each * bits);
    return out;
  }
  bool multiply(const DotModel& model) {
    TileProduct p{info.k, 1, 32 / ptx::bits(info.a), info.a, info.b, model};
    for (size_t i = 0; i * kLanes < a_words.size(); ++i) p.a[i] = a_words.data() + i * kLanes;
    for (size_t i = 0; i * kLanes < b_words.size(); ++i) p.b[i] = b_words.data() + i * kLanes;
    p.c = sums;
    return dot_functions().tiles(p);
  }
};

TEST(MatrixMath, TilesInRegistersAgreeWithTheModel) {
  std::mt19937 rng(6);
  for (const int architecture : {75, 80, 89, 90, 100}) {
    for (const Type type : {Type::kF16, Type::kBf16, Type::kTf32, Type::kE4m3, Type::kE5m2}) {
      if (runs_on_half_units(architecture, type)) continue;
      const DotModel model = dot_model(architecture, type, false);
      int done = 0;
      for (int round = 0; round < 60; ++round) {
        TileCase one(rng, type, 256 / ptx::bits(type) / (1 + round % 2));
        if (!one.multiply(model)) continue;
        ++done;
        MatrixProduct product{16, 8, one.info.k, type, type, Type::kF32, one.a.data(), one.b.data(), one.c.data()};
        multiply_float_plainly(product, model);
        const std::vector<uint16_t> places = dense_places(one.info, 2);
        for (uint32_t i = 0; i < places.size(); ++i)
          ASSERT_EQ(std::bit_cast<uint32_t>(one.sums[i / kLanes][i % kLanes]), one.c[places[i]])
              << "sm_" << architecture << " type " << ptx::text(type) << " element " << i;
      }
      const bool fits = model.chunk << (model.fraction_bits - 13) <= 1 << 16;
      EXPECT_TRUE(done > 40 || !fits) << "sm_" << architecture << " type " << ptx::text(type) << ": " << done;
    }
  }
}

}  // namespace
}  // namespace warplens::simt
