// The initial contents of a buffer. Every element depends only on its index and the seed, so any language can make the
// same inputs (docs/kernel.md shows them in Python).
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "warplens/launch/dtype.h"

namespace warplens::launch {

enum class FillKind : uint8_t { kZeros, kOnes, kConstant, kArange, kUniform, kNormal, kHash, kValues, kUninitialised };

/// With u(i) number i of SplitMix64 from `seed`, in [0, 1) (base/random.h):
///   zeros, ones, constant (value); arange: value + i * step
///   uniform: low + (high - low) * u(i), rounded down for integers
///   normal:  mean + deviation * sqrt(-2 ln(1 - u(2i))) * cos(2 pi u(2i + 1))
///   hash:    low + (high - low) * (h(i) mod 2^bits) / 2^bits, where h(i) = lowbias32((i + seed) mod 2^32); integers
///   with
///            neither low nor high given take h(i) itself. One line of CUDA reproduces it.
///   values:  those given, again from the first when there are more elements
///   uninitialised: zeros that --check init counts as never written
struct Fill {
  FillKind kind = FillKind::kZeros;
  double value = 0, step = 1;
  std::optional<double> low, high;  // by default 0 and 1 for floats, 0 and 256 for integers
  double mean = 0, deviation = 1;
  std::optional<uint64_t> seed = {};  // by default the number of its buffer, from 0: two buffers differ
  uint32_t bits = 24;                 // of hash, 1 to 32
  std::vector<double> values = {};
};

std::optional<FillKind> find_fill(std::string_view name);
std::string fill_names();

/// Fills `bytes`, a whole number of elements.
void fill(const Fill& fill, DType dtype, std::span<uint8_t> bytes);

}  // namespace warplens::launch
