#include "warplens/libraries/math/structured.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "warplens/base/text.h"

namespace warplens::libraries {
namespace {

/// The elements of one group; all of them are inside the matrix.
template <typename Byte>
struct Group {
  const StructuredShape& shape;
  Byte* data;

  Byte* element(int64_t i) const { return data + i * shape.depth_step * size_bytes(shape.number); }
  float value(int64_t i) const {
    float out = 0;
    load(shape.number, element(i), 1, 1, &out);
    return out;
  }
};

template <typename Byte>
Group<Byte> group_at(const StructuredShape& shape, Byte* dense, int64_t line, int64_t depth) {
  return {shape, dense + (line * shape.line_step + depth * shape.depth_step) * size_bytes(shape.number)};
}

/// Bit i: element i is kept. Those that are not zero come first, then the last ones.
struct Choice {
  unsigned bits = 0;
  int64_t lost = 0;
};
Choice kept_of(const Group<const char>& group, int64_t elements) {
  Choice out;
  const int most = static_cast<int>(elements / 2);
  for (int64_t i = 0; i < elements; ++i) {
    if (group.value(i) == 0) continue;
    if (std::popcount(out.bits) == most) ++out.lost;
    else out.bits |= 1u << i;
  }
  for (int64_t i = elements; std::popcount(out.bits) < most;) out.bits |= 1u << --i;
  return out;
}

/// Two places of two bits. An f32 element counts as two halves, as in the machine's metadata.
unsigned places_of(unsigned bits, int64_t elements) {
  if (elements == 2) bits = (bits & 1) != 0 ? 0b0011 : 0b1100;
  const auto first = static_cast<unsigned>(std::countr_zero(bits));
  return first | (static_cast<unsigned>(std::countr_zero(bits & (bits - 1))) << 2);
}
unsigned bits_of(unsigned places, int64_t elements) {
  const unsigned bits = (1u << (places & 3)) | (1u << (places >> 2));
  return elements == 2 ? 1u << std::countr_zero(bits) / 2 : bits;
}

constexpr int64_t kBitsOfPlaces = 4;
int64_t groups_of(const StructuredShape& s) { return s.lines * s.depth / group_of(s.number); }
int64_t kept_bytes(const StructuredShape& s) { return s.lines * s.depth / 2 * size_bytes(s.number); }

/// All ways to keep half of each row and of each column of a tile; bit `width * row + column`: kept.
std::vector<unsigned> tiles(int64_t width) {
  const auto w = static_cast<unsigned>(width);
  std::vector<unsigned> out;
  for (unsigned bits = 0; bits < 1u << (w * w); ++bits) {
    bool even = true;
    for (unsigned i = 0; i < w && even; ++i) {
      unsigned column = 0;
      for (unsigned row = 0; row < w; ++row) column |= (bits >> (w * row + i) & 1) << row;
      even = std::popcount(bits >> (w * i) & ((1u << w) - 1)) == static_cast<int>(w / 2) &&
             std::popcount(column) == static_cast<int>(w / 2);
    }
    if (even) out.push_back(bits);
  }
  return out;
}
/// The same for one group.
std::vector<unsigned> strips(int64_t width) {
  std::vector<unsigned> out;
  for (unsigned bits = 0; bits < 1u << width; ++bits)
    if (std::popcount(bits) == width / 2) out.push_back(bits);
  return out;
}

/// The choice with the largest sum of magnitudes.
unsigned best(const std::vector<unsigned>& choices, const std::vector<float>& values) {
  const auto sum = [&](unsigned bits) {
    double out = 0;
    for (size_t i = 0; i < values.size(); ++i)
      if ((bits >> i & 1) != 0) out += std::abs(values[i]);
    return out;
  };
  return *std::ranges::max_element(choices, {}, sum);
}

}  // namespace

int64_t compressed_bytes(const StructuredShape& shape) {
  constexpr int64_t kBitsOfByte = 8;
  return kept_bytes(shape) + (groups_of(shape) * kBitsOfPlaces + kBitsOfByte - 1) / kBitsOfByte;
}

int64_t compress(const StructuredShape& shape, const void* dense, void* compressed) {
  const int64_t elements = group_of(shape.number), bytes = size_bytes(shape.number);
  auto* values = static_cast<char*>(compressed);
  auto* const places = reinterpret_cast<uint8_t*>(values) + kept_bytes(shape);
  std::memset(places, 0, static_cast<size_t>(compressed_bytes(shape) - kept_bytes(shape)));
  int64_t lost = 0, number = 0;
  for (int64_t line = 0; line < shape.lines; ++line) {
    for (int64_t depth = 0; depth < shape.depth; depth += elements, ++number) {
      const auto group = group_at(shape, static_cast<const char*>(dense), line, depth);
      const Choice kept = kept_of(group, elements);
      lost += kept.lost;
      for (int64_t i = 0; i < elements; ++i) {
        if ((kept.bits >> i & 1) == 0) continue;
        std::memcpy(values, group.element(i), static_cast<size_t>(bytes));
        values += bytes;
      }
      places[number / 2] |= static_cast<uint8_t>(places_of(kept.bits, elements) << (number % 2 * kBitsOfPlaces));
    }
  }
  return lost;
}

void expand(const StructuredShape& shape, const void* compressed, void* dense) {
  const int64_t elements = group_of(shape.number), bytes = size_bytes(shape.number);
  const auto* values = static_cast<const char*>(compressed);
  const auto* const places = reinterpret_cast<const uint8_t*>(values) + kept_bytes(shape);
  int64_t number = 0;
  for (int64_t line = 0; line < shape.lines; ++line) {
    for (int64_t depth = 0; depth < shape.depth; depth += elements, ++number) {
      const auto group = group_at(shape, static_cast<char*>(dense), line, depth);
      const unsigned bits = bits_of(places[number / 2] >> (number % 2 * kBitsOfPlaces) & 0xf, elements);
      for (int64_t i = 0; i < elements; ++i) {
        if ((bits >> i & 1) == 0) {
          std::memset(group.element(i), 0, static_cast<size_t>(bytes));
          continue;
        }
        std::memcpy(group.element(i), values, static_cast<size_t>(bytes));
        values += bytes;
      }
    }
  }
}

Status prune(const StructuredShape& shape, Prune how, const void* dense, void* pruned) {
  const int64_t width = group_of(shape.number), height = how == Prune::kTile ? width : 1;
  if (shape.depth % width != 0 || shape.lines % height != 0)
    return unsupported(
        fmt::format("pruning {} by {} elements: not a multiple of {} by {}", shape.lines, shape.depth, height, width));
  const std::vector<unsigned> choices = how == Prune::kTile ? tiles(width) : strips(width);
  std::vector<float> values(static_cast<size_t>(width * height));
  for (int64_t line = 0; line < shape.lines; line += height) {
    for (int64_t depth = 0; depth < shape.depth; depth += width) {
      for (int64_t i = 0; i < width * height; ++i)
        values[static_cast<size_t>(i)] =
            group_at(shape, static_cast<const char*>(dense), line + i / width, depth).value(i % width);
      const unsigned keep = best(choices, values);
      for (int64_t i = 0; i < width * height; ++i) {
        const auto from = group_at(shape, static_cast<const char*>(dense), line + i / width, depth);
        const auto to = group_at(shape, static_cast<char*>(pruned), line + i / width, depth);
        const auto bytes = static_cast<size_t>(size_bytes(shape.number));
        if ((keep >> i & 1) != 0) std::memmove(to.element(i % width), from.element(i % width), bytes);
        else std::memset(to.element(i % width), 0, bytes);
      }
    }
  }
  return {};
}

bool is_pruned(const StructuredShape& shape, const void* dense) {
  const int64_t elements = group_of(shape.number);
  for (int64_t line = 0; line < shape.lines; ++line)
    for (int64_t depth = 0; depth < shape.depth; depth += elements)
      if (kept_of(group_at(shape, static_cast<const char*>(dense), line, depth), elements).lost > 0) return false;
  return true;
}

}  // namespace warplens::libraries
