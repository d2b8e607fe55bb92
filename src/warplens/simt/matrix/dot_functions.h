// Products of matrices by lanes, compiled once for each instruction set.
#pragma once
#include "warplens/simt/matrix/math.h"

namespace warplens::simt {

/// Elements of a matrix in the lanes' form: exact values, and the exponents that their bits hold (the smallest one for
/// a subnormal number). False if there is an infinity or a NaN, whose value is then irrelevant.
using DotUnpackFunction = bool (*)(const uint32_t* bits, int count, ptx::Type type, const NumberFormat& format,
                                   float* values, int32_t* exponents);

/// One column of a product by all rows; the inner dimension at once in chunks as the model says.
struct DotColumn {
  int pitch = 0, k = 0;  // pitch: rows, a multiple of 16
  DotModel model;
  bool half = false, negate = false;  // half: the sum is rounded to f16 after each chunk
  const float* a = nullptr;           // k columns of `pitch` rows
  const int32_t* a_exponents = nullptr;
  const float* b = nullptr;  // k values
  const int32_t* b_exponents = nullptr;
  float* c = nullptr;      // `pitch` values, in and out
  int32_t* far = nullptr;  // `pitch`; not 0 where the terms are too large or small for this: c is then wrong
};
using DotColumnFunction = void (*)(const DotColumn& column);

/// D = A * B + C where mma.m16n8's registers of 32 lanes hold them; with several tiles of 8 columns. C and D are f32.
struct TileProduct {
  int k = 0, tiles = 1;
  int each = 2;  // elements a register of A and B
  ptx::Type a_type{}, b_type{};
  DotModel model;
  bool negate = false;
  const uint32_t* a[8] = {};          // k / (2 * each)
  const uint32_t* b[8] = {};          // k / (4 * each) a tile
  const uint32_t* dense_a = nullptr;  // instead of registers: k columns of 16 elements
  const uint32_t* dense_b = nullptr;  // instead of registers: 8 columns of k elements a tile
  float (*c)[32] = nullptr;           // 4 a tile; also receive D
};
/// False if the product has infinities or NaNs or is otherwise out of the lanes' range; C is then lost.
using DotTilesFunction = bool (*)(const TileProduct& product);

struct DotFunctions {
  DotColumnFunction column;
  DotUnpackFunction unpack;
  DotTilesFunction tiles;
};
/// Those of lane_isa().
const DotFunctions& dot_functions();

}  // namespace warplens::simt
