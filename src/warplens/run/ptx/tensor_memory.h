// Tensor memory of a block (sm_100): 128 lanes by 512 columns of 32 bits, handed out by columns.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace warplens::simt::ptx_machine {

class TensorMemory {
 public:
  static constexpr uint32_t kRows = 128, kColumns = 512, kUnit = 32;

  /// The first of `columns` adjacent free columns, filled with zeros; nothing if there are not enough. `row`: of the
  /// instruction.
  std::optional<uint32_t> allocate(uint32_t columns, uint32_t row);
  /// False when no allocation of that size begins there.
  bool release(uint32_t first, uint32_t columns);
  /// True if all of these columns are allocated.
  bool holds(uint32_t first, uint32_t columns) const;

  /// The kRows words of a column.
  uint32_t* column(uint32_t i) { return words_.data() + i * kRows; }

  struct Piece {
    uint32_t columns, row;
  };
  const std::map<uint32_t, Piece>& pieces() const { return pieces_; }  // by first column
  uint32_t allocated_columns() const;

  bool relinquished = false;  // the block may allocate no more

 private:
  std::vector<uint32_t> words_;  // column by column
  std::map<uint32_t, Piece> pieces_;
};

/// An address of tensor memory.
struct TensorAddress {
  uint32_t lane, column;
  explicit TensorAddress(uint32_t bits) : lane(bits >> 16), column(bits & 0xffff) {}
};

}  // namespace warplens::simt::ptx_machine
