// cuSPARSE's descriptors of matrices and vectors.
#pragma once
#include "warplens/libraries/cusparse/handle.h"

namespace warplens::libraries {

/// A sparse matrix, and what a solution reads of it.
struct SparseDescriptor : SparseMatrix {
  int fill = 0, diagonal = 0;  // cusparseFillMode_t (1: upper), cusparseDiagType_t (1: unit)
};

struct DenseDescriptor {
  int64_t rows = 0, columns = 0, leading = 0;
  void* values = nullptr;
  Number number = Number::kF32;
  bool by_rows = false;
  int batches = 1;
  int64_t batch_step = 0;

  /// op() of it as the product sees it.
  Matrix seen(int op = 0) const;
  int64_t seen_rows(int op) const { return op == 0 ? rows : columns; }
  int64_t seen_columns(int op) const { return op == 0 ? columns : rows; }
};

struct VectorDescriptor {
  int64_t size = 0;
  void* values = nullptr;
  Number number = Number::kF32;

  /// As a matrix of one column.
  Matrix seen() const { return column_major(values, number, size); }
};

struct SparseVectorDescriptor {
  int64_t size = 0, stored = 0;
  Indices indices;
  void* values = nullptr;
  Number number = Number::kF32;
};

/// Bytes of a cusparseIndexType_t; 0: there is none.
inline int index_bytes(int type) { return type == 1 ? 2 : type == 2 ? 4 : type == 3 ? 8 : 0; }
inline int index_type(int bytes) { return bytes == 2 ? 1 : bytes == 4 ? 2 : 3; }

/// A matrix of compressed rows, as the older functions describe it.
inline SparseMatrix compressed_rows(const MatrixKind* kind, int rows, int columns, int stored, const void* values,
                                    const int* offsets, const int* indices, Number number) {
  SparseMatrix out;
  out.rows = rows;
  out.columns = columns;
  out.stored = stored;
  const int64_t base = kind == nullptr ? 0 : kind->base;
  out.outer = {const_cast<int*>(offsets), sizeof(int), base};
  out.inner = {const_cast<int*>(indices), sizeof(int), base};
  out.values = const_cast<void*>(values);
  out.number = number;
  return out;
}

}  // namespace warplens::libraries
