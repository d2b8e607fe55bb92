#include "warplens/run/ptx/tensor_memory.h"

#include <algorithm>

namespace warplens::simt::ptx_machine {

std::optional<uint32_t> TensorMemory::allocate(uint32_t columns, uint32_t row) {
  uint32_t first = 0;
  for (const auto& [begin, piece] : pieces_) {
    if (first + columns <= begin) break;
    first = begin + piece.columns;
  }
  if (first + columns > kColumns) return {};
  pieces_[first] = {columns, row};
  words_.resize(size_t{kColumns} * kRows);
  std::fill_n(column(first), size_t{columns} * kRows, 0);
  return first;
}

bool TensorMemory::release(uint32_t first, uint32_t columns) {
  const auto found = pieces_.find(first);
  if (found == pieces_.end() || found->second.columns != columns) return false;
  pieces_.erase(found);
  return true;
}

bool TensorMemory::holds(uint32_t first, uint32_t columns) const {
  const uint64_t end = uint64_t{first} + columns;
  for (const auto& [begin, piece] : pieces_) {
    if (first >= begin && first < begin + piece.columns) first = begin + piece.columns;
    if (first >= end) return true;
  }
  return first >= end;
}

uint32_t TensorMemory::allocated_columns() const {
  uint32_t sum = 0;
  for (const auto& [begin, piece] : pieces_) sum += piece.columns;
  return sum;
}

}  // namespace warplens::simt::ptx_machine
