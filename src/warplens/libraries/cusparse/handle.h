// cuSPARSE's handle, and what its calls share.
#pragma once
#include "warplens/base/text.h"
#include "warplens/cuda_api/visible.h"
#include "warplens/libraries/math/sparse.h"
#include "warplens/libraries/queue/objects.h"
#include "warplens/libraries/queue/queue.h"
#include "warplens/libraries/queue/sparse_status.h"

namespace warplens::libraries {

using Sparse =
    Objects<{.missing = kSparseNotInitialized, .invalid = kSparseInvalidValue, .no_memory = kSparseAllocFailed}>;

struct SparseHandle {
  void* stream = nullptr;
  int pointer_mode = 0;

  Scalar scalar(const void* pointer, int number) const {
    return {pointer, static_cast<Number>(number), pointer_mode != 0};
  }
};

/// cusparseMatDescr_t: how the older functions see a matrix.
struct MatrixKind {
  int type = 0, fill = 0, diagonal = 0, base = 0;
};

/// One call: "spmm csr f32 64x64x8", its arithmetic, what it reads and writes.
struct SparseCall {
  std::string name;
  double flops = 0;
  std::vector<TouchedMemory> touches;
  std::function<Status()> run;
};
int queue_sparse(const SparseHandle* handle, SparseCall call);

/// A row of memory.
TouchedMemory touched(const void* data, int64_t elements, int element_bytes, bool written);
/// The arrays of a matrix; `written`: its values.
void touch(std::vector<TouchedMemory>& out, const SparseMatrix& matrix, bool written);
/// A dense matrix of a batch: from its first byte to its last.
void touch(std::vector<TouchedMemory>& out, const Matrix& matrix, int64_t rows, int64_t columns, int64_t batches,
           bool written);

const char* layout_name(const SparseMatrix& matrix);

}  // namespace warplens::libraries
