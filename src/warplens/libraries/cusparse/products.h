// The shared part of the calls of products.
#pragma once
#include "warplens/libraries/cusparse/descriptors.h"

namespace warplens::libraries {

inline int64_t rows_of(const SparseMatrix& a, int op) {
  return op == 0 ? a.rows * a.block_rows : a.columns * a.block_columns;
}
inline int64_t columns_of(const SparseMatrix& a, int op) { return rows_of(a, op == 0 ? 1 : 0); }

inline std::string sizes(const char* what, const SparseMatrix& a, int op, int64_t columns) {
  return fmt::format("{} {} {} {}x{}x{}", what, layout_name(a), name(a.number), rows_of(a, op), columns,
                     columns_of(a, op));
}

int queue_product(const SparseHandle* h, const char* what, SparseProduct p, const Scalar& alpha, const Scalar& beta);

inline bool is_operation(int op) { return op >= 0 && op <= 2; }

}  // namespace warplens::libraries
