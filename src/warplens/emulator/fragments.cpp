#include "warplens/emulator/fragments.h"

namespace warplens::emulator {
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

}  // namespace warplens::emulator
