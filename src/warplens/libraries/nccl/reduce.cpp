#include "warplens/libraries/nccl/reduce.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "warplens/libraries/math/number.h"

namespace warplens::libraries {
namespace {

constexpr uint64_t kChunk = 4096;  // elements that stay in the processor's cache

template <typename T>
T combined(Reduction reduction, T a, T b) {
  switch (reduction) {
    case Reduction::kProduct: return static_cast<T>(a * b);
    case Reduction::kMost: return b > a || b != b ? b : a;  // NaN stays, as on a GPU
    case Reduction::kLeast: return b < a || b != b ? b : a;
    default: return static_cast<T>(a + b);
  }
}

/// `values` of the first rank and those of the others. T: the type that is computed in.
template <typename T>
void add(const Operation& operation, const T* values, uint64_t count, T* sum) {
  for (uint64_t i = 0; i < count; ++i) sum[i] = combined(operation.reduction, sum[i], values[i]);
}

template <typename T>
void finish(const Operation& operation, size_t ranks, uint64_t count, T* sum) {
  if (operation.reduction != Reduction::kMean) return;
  for (uint64_t i = 0; i < count; ++i) sum[i] = static_cast<T>(sum[i] / static_cast<T>(ranks));
}

template <typename T>
void scale(const Operation& operation, uint64_t count, T* values) {
  if (operation.reduction < Reduction::kFirstOwn) return;
  for (uint64_t i = 0; i < count; ++i) values[i] = static_cast<T>(values[i] * static_cast<T>(operation.factor));
}

template <typename T, typename Load, typename Store>
void reduce_as(const Operation& operation, std::span<const void* const> in, uint64_t count, Load load, Store store) {
  std::vector<T> sum(std::min(count, kChunk)), values(sum.size());
  for (uint64_t at = 0; at < count; at += kChunk) {
    const uint64_t now = std::min(kChunk, count - at);
    for (size_t rank = 0; rank < in.size(); ++rank) {
      T* const to = rank == 0 ? sum.data() : values.data();
      load(in[rank], at, now, to);
      scale(operation, now, to);
      if (rank != 0) add(operation, values.data(), now, sum.data());
    }
    finish(operation, in.size(), now, sum.data());
    store(sum.data(), at, now);
  }
}

template <typename T>
void reduce_plain(const Operation& operation, std::span<const void* const> in, uint64_t count, void* out) {
  reduce_as<T>(
      operation, in, count,
      [](const void* from, uint64_t at, uint64_t now, T* to) {
        std::copy_n(static_cast<const T*>(from) + at, now, to);
      },
      [&](const T* sum, uint64_t at, uint64_t now) { std::copy_n(sum, now, static_cast<T*>(out) + at); });
}

void reduce_short(const Operation& operation, std::span<const void* const> in, uint64_t count, void* out,
                  Number number) {
  const auto bytes = static_cast<uint64_t>(size_bytes(number));
  reduce_as<float>(
      operation, in, count,
      [&](const void* from, uint64_t at, uint64_t now, float* to) {
        load(number, static_cast<const char*>(from) + at * bytes, 1, static_cast<int64_t>(now), to);
      },
      [&](const float* sum, uint64_t at, uint64_t now) {
        store(sum, static_cast<int64_t>(now), number, static_cast<char*>(out) + at * bytes, 1);
      });
}

}  // namespace

void reduce(const Operation& operation, std::span<const void* const> in, uint64_t count, void* out) {
  switch (operation.element) {
    case Element::kI8: return reduce_plain<int8_t>(operation, in, count, out);
    case Element::kU8: return reduce_plain<uint8_t>(operation, in, count, out);
    case Element::kI32: return reduce_plain<int32_t>(operation, in, count, out);
    case Element::kU32: return reduce_plain<uint32_t>(operation, in, count, out);
    case Element::kI64: return reduce_plain<int64_t>(operation, in, count, out);
    case Element::kU64: return reduce_plain<uint64_t>(operation, in, count, out);
    case Element::kF32: return reduce_plain<float>(operation, in, count, out);
    case Element::kF64: return reduce_plain<double>(operation, in, count, out);
    case Element::kF16: return reduce_short(operation, in, count, out, Number::kF16);
    case Element::kBf16: return reduce_short(operation, in, count, out, Number::kBf16);
    case Element::kE4m3: return reduce_short(operation, in, count, out, Number::kE4m3);
    case Element::kE5m2: return reduce_short(operation, in, count, out, Number::kE5m2);
  }
}

double value_of(Element element, const void* data) {
  const auto as = [&]<typename T>(T) {
    T value;
    std::memcpy(&value, data, sizeof(value));
    return static_cast<double>(value);
  };
  switch (element) {
    case Element::kI8: return as(int8_t{});
    case Element::kU8: return as(uint8_t{});
    case Element::kI32: return as(int32_t{});
    case Element::kU32: return as(uint32_t{});
    case Element::kI64: return as(int64_t{});
    case Element::kU64: return as(uint64_t{});
    case Element::kF32: return as(float{});
    case Element::kF64: return as(double{});
    case Element::kF16: return load_one(Number::kF16, data).real();
    case Element::kBf16: return load_one(Number::kBf16, data).real();
    case Element::kE4m3: return load_one(Number::kE4m3, data).real();
    case Element::kE5m2: return load_one(Number::kE5m2, data).real();
  }
  return 0;
}

}  // namespace warplens::libraries
