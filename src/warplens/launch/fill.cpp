#include "warplens/launch/fill.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "warplens/base/random.h"
#include "warplens/base/text.h"
#include "warplens/base/threads.h"

namespace warplens::launch {
namespace {

struct FillName {
  FillKind kind;
  const char* name;
};
constexpr FillName kNames[] = {
    {FillKind::kZeros, "zeros"},   {FillKind::kOnes, "ones"},       {FillKind::kConstant, "constant"},
    {FillKind::kArange, "arange"}, {FillKind::kUniform, "uniform"}, {FillKind::kNormal, "normal"},
    {FillKind::kHash, "hash"},     {FillKind::kValues, "values"},   {FillKind::kUninitialised, "uninitialised"}};

double unit(uint64_t seed, uint64_t index) { return unit_interval(splitmix(seed + (index + 1) * kSplitMixStep)); }

/// lowbias32 of Wellons' hash prospector.
uint32_t hash32(uint32_t x) {
  x = (x ^ x >> 16) * 0x7feb352d;
  x = (x ^ x >> 15) * 0x846ca68b;
  return x ^ x >> 16;
}

double element(const Fill& fill, bool is_float, uint64_t i) {
  const double low = fill.low.value_or(0), high = fill.high.value_or(is_float ? 1 : 256);
  const uint64_t seed = fill.seed.value_or(0);
  switch (fill.kind) {
    case FillKind::kZeros:
    case FillKind::kUninitialised: return 0;
    case FillKind::kOnes: return 1;
    case FillKind::kConstant: return fill.value;
    case FillKind::kArange: return fill.value + static_cast<double>(i) * fill.step;
    case FillKind::kUniform: {
      const double v = low + (high - low) * unit(seed, i);
      return is_float ? v : std::floor(v);
    }
    case FillKind::kNormal: {
      const double radius = std::sqrt(-2 * std::log(1 - unit(seed, 2 * i)));
      return fill.mean + fill.deviation * radius * std::cos(2 * std::numbers::pi * unit(seed, 2 * i + 1));
    }
    case FillKind::kValues: return fill.values.empty() ? 0 : fill.values[i % fill.values.size()];
    case FillKind::kHash: {
      const uint32_t h = hash32(static_cast<uint32_t>(i + seed));
      if (!is_float && !fill.low && !fill.high) return h;
      const uint64_t mask = (uint64_t{1} << fill.bits) - 1;
      const double v = low + (high - low) * static_cast<double>(h & mask) / static_cast<double>(mask + 1);
      return is_float ? v : std::floor(v);
    }
  }
  return 0;
}

}  // namespace

std::optional<FillKind> find_fill(std::string_view name) {
  for (const FillName& row : kNames) {
    if (name == row.name) return row.kind;
  }
  return std::nullopt;
}

std::string fill_names() {
  std::vector<std::string> names;
  for (const FillName& row : kNames) names.emplace_back(row.name);
  return join(names, ", ");
}

void fill(const Fill& fill, DType dtype, std::span<uint8_t> bytes) {
  if (fill.kind == FillKind::kZeros || fill.kind == FillKind::kUninitialised) {
    std::ranges::fill(bytes, uint8_t{0});
    return;
  }
  const DTypeInfo& type = info(dtype);
  const size_t count = bytes.size() / type.size_bytes;
  constexpr size_t kChunk = 1 << 16;
  parallel_for((count + kChunk - 1) / kChunk, default_threads(), [&](size_t chunk) {
    for (size_t i = chunk * kChunk; i < std::min(count, (chunk + 1) * kChunk); ++i)
      store(dtype, element(fill, type.is_float, i), bytes.data() + i * type.size_bytes);
  });
}

}  // namespace warplens::launch
