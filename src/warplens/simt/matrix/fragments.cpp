#include "warplens/simt/matrix/fragments.h"

#include "warplens/simt/warp_size.h"

namespace warplens::simt {
namespace {

Element size_of_fragment(const MatrixInfo& info) {
  if (info.fragment == 0) return {info.m, info.k};
  return info.fragment == 1 ? Element{info.k, info.n} : Element{info.m, info.n};
}

ptx::Type type_of_fragment(const MatrixInfo& info) {
  return info.fragment == 0 ? info.a : info.fragment == 1 ? info.b : info.c;
}

}  // namespace

int fragment_elements(const MatrixInfo& info) {
  const Element size = size_of_fragment(info);
  return size.row * size.column / static_cast<int>(kLanes);
}

Element element_of_fragment(const MatrixInfo& info, int lane, int place) {
  const Element size = size_of_fragment(info);
  const bool tiled = info.m == 16 && info.n == 16 && info.k == 16 && ptx::bits(type_of_fragment(info)) >= 16;
  if (!tiled) {
    const int linear = lane * fragment_elements(info) + place;
    return {linear / size.column, linear % size.column};
  }
  if (info.fragment == 0) return element_of_a(info, 2, lane, place);
  const int in_tile = place % 4, tile = place / 4;
  if (info.fragment == 1) {
    const Element element = element_of_b(2, lane, in_tile);
    return {element.row, element.column + 8 * tile};
  }
  const Element element = element_of_c(lane, in_tile);
  return {element.row, element.column + 8 * tile};
}

int stored_bits(const MatrixInfo& info, ptx::Type type) {
  switch (type) {
    case ptx::Type::kE3m2:
    case ptx::Type::kE2m3:
    case ptx::Type::kE2m1: return info.packed ? 4 : 8;
    default: return ptx::bits(type) > 32 ? 32 : ptx::bits(type);
  }
}

Element element_of_operand(const MatrixInfo& info, int operand, int lane, int place) {
  if (info.opaque) {
    MatrixInfo one = info;
    one.fragment = static_cast<uint8_t>(operand);
    return element_of_fragment(one, lane, place);
  }
  if (operand == 0) return element_of_a(info, 32 / stored_bits(info, info.a), lane, place);
  return operand == 1 ? element_of_b(32 / stored_bits(info, info.b), lane, place) : element_of_c(lane, place);
}

std::vector<uint16_t> dense_places(const MatrixInfo& info, int operand) {
  const int rows = operand == 1 ? info.k : info.m;
  const int columns = operand != 0 ? info.n : info.sparse ? info.k / 2 : info.k;
  const int lanes = static_cast<int>(kLanes);
  std::vector<uint16_t> places;
  for (int place = 0; place < rows * columns / lanes; ++place) {
    for (int lane = 0; lane < lanes; ++lane) {
      const Element e = element_of_operand(info, operand, lane, place);
      places.push_back(static_cast<uint16_t>(e.column * rows + e.row));
    }
  }
  return places;
}

std::vector<uint16_t> fragment_places(const MatrixInfo& info) {
  std::vector<uint16_t> places;
  for (int place = 0; place < fragment_elements(info); ++place) {
    for (int lane = 0; lane < static_cast<int>(kLanes); ++lane) {
      const Element e = element_of_fragment(info, lane, place);
      places.push_back(static_cast<uint16_t>(e.row << 8 | e.column));
    }
  }
  return places;
}

}  // namespace warplens::simt
