// Blocks of a grid and threads of a block by number: x runs first, then y, then z.
#pragma once
#include <array>
#include <cstdint>

namespace warplens::simt {

inline __attribute__((always_inline)) std::array<uint32_t, 3> place_in(const std::array<uint32_t, 3>& size,
                                                                       uint64_t number) {
  const uint64_t row = number / size[0];
  return {static_cast<uint32_t>(number % size[0]), static_cast<uint32_t>(row % size[1]),
          static_cast<uint32_t>(row / size[1])};
}
inline __attribute__((always_inline)) uint64_t number_in(const std::array<uint32_t, 3>& size,
                                                         const std::array<uint32_t, 3>& place) {
  return place[0] + size[0] * (place[1] + uint64_t{size[1]} * place[2]);
}

}  // namespace warplens::simt
