// cuSPARSE: descriptors of matrices and vectors, made, asked and changed. The functions for constant data do the same.
#include "warplens/libraries/cusparse/descriptors.h"

using namespace warplens::libraries;

namespace warplens::libraries {

Matrix DenseDescriptor::seen(int op) const {
  Matrix out = column_major(values, number, leading, by_rows ? (op == 0 ? 1 : 0) : op);
  out.conjugate = op == 2;
  out.batch_step = batch_step;
  return out;
}

}  // namespace warplens::libraries

namespace {

int create(SparseDescriptor** out, SparseLayout layout, int64_t rows, int64_t columns, int64_t stored, Indices outer,
           Indices inner, void* values, int number) {
  if (rows < 0 || columns < 0 || stored < 0 || outer.bytes == 0 || inner.bytes == 0) return kSparseInvalidValue;
  if (size_bytes(static_cast<Number>(number)) == 0) return kSparseNotSupported;
  SparseDescriptor made;
  made.layout = layout;
  made.rows = rows;
  made.columns = columns;
  made.stored = stored;
  made.outer = outer;
  made.inner = inner;
  made.values = values;
  made.number = static_cast<Number>(number);
  return Sparse::make(out, made);
}

int set_pointers(SparseDescriptor* m, void* outer, void* inner, void* values) {
  if (m == nullptr) return kSparseInvalidValue;
  m->outer.data = outer;
  m->inner.data = inner;
  m->values = values;
  return kSparseSuccess;
}

int set_batch(SparseDescriptor* m, int batches, int64_t outer, int64_t inner, int64_t values) {
  if (m == nullptr || batches < 1) return kSparseInvalidValue;
  m->batches = batches;
  m->outer_step = outer;
  m->inner_step = inner;
  m->value_step = values;
  return kSparseSuccess;
}

template <typename T>
void give(T* out, T value) {
  if (out != nullptr) *out = value;
}

int get_compressed(const SparseDescriptor* m, int64_t* rows, int64_t* columns, int64_t* stored, void** outer,
                   void** inner, void** values, int* outer_type, int* inner_type, int* base, int* number) {
  if (m == nullptr) return kSparseInvalidValue;
  give(rows, m->rows);
  give(columns, m->columns);
  give(stored, m->stored);
  give(outer, m->outer.data);
  give(inner, m->inner.data);
  give(values, m->values);
  give(outer_type, index_type(m->outer.bytes));
  give(inner_type, index_type(m->inner.bytes));
  give(base, static_cast<int>(m->inner.base));
  give(number, static_cast<int>(m->number));
  return kSparseSuccess;
}

}  // namespace

#define COMPRESSED(Name, layout)                                                                                      \
  CUDA_API int cusparseCreate##Name(SparseDescriptor** out, int64_t rows, int64_t columns, int64_t stored,            \
                                    void* outer, void* inner, void* values, int outer_type, int inner_type, int base, \
                                    int number) {                                                                     \
    return create(out, layout, rows, columns, stored, {outer, index_bytes(outer_type), base},                         \
                  {inner, index_bytes(inner_type), base}, values, number);                                            \
  }
COMPRESSED(Csr, SparseLayout::kCsr)
COMPRESSED(ConstCsr, SparseLayout::kCsr)
COMPRESSED(Csc, SparseLayout::kCsc)
COMPRESSED(ConstCsc, SparseLayout::kCsc)
#undef COMPRESSED

#define COORDINATES(Name)                                                                                             \
  CUDA_API int cusparseCreate##Name(SparseDescriptor** out, int64_t rows, int64_t columns, int64_t stored, void* row, \
                                    void* column, void* values, int type, int base, int number) {                     \
    return create(out, SparseLayout::kCoo, rows, columns, stored, {row, index_bytes(type), base},                     \
                  {column, index_bytes(type), base}, values, number);                                                 \
  }
COORDINATES(Coo)
COORDINATES(ConstCoo)
#undef COORDINATES

#define BLOCKS(Name)                                                                                                   \
  CUDA_API int cusparseCreate##Name(SparseDescriptor** out, int64_t rows, int64_t columns, int64_t stored,             \
                                    int64_t block_rows, int64_t block_columns, void* outer, void* inner, void* values, \
                                    int outer_type, int inner_type, int base, int number, int order) {                 \
    const int status = create(out, SparseLayout::kCsr, rows, columns, stored, {outer, index_bytes(outer_type), base},  \
                              {inner, index_bytes(inner_type), base}, values, number);                                 \
    if (status != kSparseSuccess) return status;                                                                       \
    (*out)->block_rows = block_rows;                                                                                   \
    (*out)->block_columns = block_columns;                                                                             \
    (*out)->blocks_by_column = order == 1;                                                                             \
    return kSparseSuccess;                                                                                             \
  }
BLOCKS(Bsr)
BLOCKS(ConstBsr)
#undef BLOCKS

CUDA_API int cusparseDestroySpMat(const SparseDescriptor* m) { return Sparse::destroy(m); }
CUDA_API int cusparseCsrSetPointers(SparseDescriptor* m, void* outer, void* inner, void* values) {
  return set_pointers(m, outer, inner, values);
}
CUDA_API int cusparseCscSetPointers(SparseDescriptor* m, void* outer, void* inner, void* values) {
  return set_pointers(m, outer, inner, values);
}
CUDA_API int cusparseCooSetPointers(SparseDescriptor* m, void* outer, void* inner, void* values) {
  return set_pointers(m, outer, inner, values);
}
CUDA_API int cusparseCsrSetStridedBatch(SparseDescriptor* m, int batches, int64_t offsets, int64_t others) {
  return set_batch(m, batches, offsets, others, others);
}
CUDA_API int cusparseCooSetStridedBatch(SparseDescriptor* m, int batches, int64_t step) {
  return set_batch(m, batches, step, step, step);
}
CUDA_API int cusparseBsrSetStridedBatch(SparseDescriptor* m, int batches, int64_t offsets, int64_t columns,
                                        int64_t values) {
  return set_batch(m, batches, offsets, columns, values);
}
#define GET(Name)                                                                                                     \
  CUDA_API int cusparse##Name(const SparseDescriptor* m, int64_t* rows, int64_t* columns, int64_t* stored,            \
                              void** outer, void** inner, void** values, int* outer_type, int* inner_type, int* base, \
                              int* number) {                                                                          \
    return get_compressed(m, rows, columns, stored, outer, inner, values, outer_type, inner_type, base, number);      \
  }
GET(CsrGet)
GET(ConstCsrGet)
GET(CscGet)
GET(ConstCscGet)
#undef GET
#define GET(Name)                                                                                                      \
  CUDA_API int cusparse##Name(const SparseDescriptor* m, int64_t* rows, int64_t* columns, int64_t* stored, void** row, \
                              void** column, void** values, int* type, int* base, int* number) {                       \
    return get_compressed(m, rows, columns, stored, row, column, values, type, nullptr, base, number);                 \
  }
GET(CooGet)
GET(ConstCooGet)
#undef GET
CUDA_API int cusparseSpMatGetSize(const SparseDescriptor* m, int64_t* rows, int64_t* columns, int64_t* stored) {
  return get_compressed(m, rows, columns, stored, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
}
CUDA_API int cusparseSpMatGetFormat(const SparseDescriptor* m, int* format) {
  if (m == nullptr) return kSparseInvalidValue;
  constexpr int kBsr = 6;
  const int layout = m->layout == SparseLayout::kCsr ? 1 : m->layout == SparseLayout::kCsc ? 2 : 3;
  return Sparse::answer(format, m->block_size() > 1 ? kBsr : layout);
}
CUDA_API int cusparseSpMatGetIndexBase(const SparseDescriptor* m, int* base) {
  return m == nullptr ? kSparseInvalidValue : Sparse::answer(base, static_cast<int>(m->inner.base));
}
CUDA_API int cusparseSpMatGetStridedBatch(const SparseDescriptor* m, int* batches) {
  return m == nullptr ? kSparseInvalidValue : Sparse::answer(batches, static_cast<int>(m->batches));
}
CUDA_API int cusparseSpMatSetAttribute(SparseDescriptor* m, int which, const int* value, size_t bytes) {
  if (m == nullptr || value == nullptr || bytes != sizeof *value || which < 0 || which > 1) return kSparseInvalidValue;
  (which == 0 ? m->fill : m->diagonal) = *value;
  return kSparseSuccess;
}
CUDA_API int cusparseSpMatGetAttribute(const SparseDescriptor* m, int which, int* value, size_t bytes) {
  if (m == nullptr || bytes != sizeof *value || which < 0 || which > 1) return kSparseInvalidValue;
  return Sparse::answer(value, which == 0 ? m->fill : m->diagonal);
}

CUDA_API int cusparseCreateDnMat(DenseDescriptor** out, int64_t rows, int64_t columns, int64_t leading, void* values,
                                 int number, int order) {
  if (rows < 0 || columns < 0 || (order != 1 && order != 2)) return kSparseInvalidValue;
  if (size_bytes(static_cast<Number>(number)) == 0) return kSparseNotSupported;
  return Sparse::make(out, {rows, columns, leading, values, static_cast<Number>(number), order == 2});
}
CUDA_API int cusparseCreateConstDnMat(DenseDescriptor** out, int64_t rows, int64_t columns, int64_t leading,
                                      void* values, int number, int order) {
  return cusparseCreateDnMat(out, rows, columns, leading, values, number, order);
}
CUDA_API int cusparseDestroyDnMat(const DenseDescriptor* m) { return Sparse::destroy(m); }
CUDA_API int cusparseDnMatGet(const DenseDescriptor* m, int64_t* rows, int64_t* columns, int64_t* leading,
                              void** values, int* number, int* order) {
  if (m == nullptr) return kSparseInvalidValue;
  give(rows, m->rows);
  give(columns, m->columns);
  give(leading, m->leading);
  give(values, m->values);
  give(number, static_cast<int>(m->number));
  give(order, m->by_rows ? 2 : 1);
  return kSparseSuccess;
}
CUDA_API int cusparseConstDnMatGet(const DenseDescriptor* m, int64_t* rows, int64_t* columns, int64_t* leading,
                                   void** values, int* number, int* order) {
  return cusparseDnMatGet(m, rows, columns, leading, values, number, order);
}
CUDA_API int cusparseDnMatSetStridedBatch(DenseDescriptor* m, int batches, int64_t step) {
  if (m == nullptr || batches < 1) return kSparseInvalidValue;
  m->batches = batches;
  m->batch_step = step;
  return kSparseSuccess;
}
CUDA_API int cusparseDnMatGetStridedBatch(const DenseDescriptor* m, int* batches, int64_t* step) {
  if (m == nullptr) return kSparseInvalidValue;
  give(batches, m->batches);
  give(step, m->batch_step);
  return kSparseSuccess;
}

CUDA_API int cusparseCreateDnVec(VectorDescriptor** out, int64_t size, void* values, int number) {
  if (size < 0) return kSparseInvalidValue;
  if (size_bytes(static_cast<Number>(number)) == 0) return kSparseNotSupported;
  return Sparse::make(out, {size, values, static_cast<Number>(number)});
}
CUDA_API int cusparseCreateConstDnVec(VectorDescriptor** out, int64_t size, void* values, int number) {
  return cusparseCreateDnVec(out, size, values, number);
}
CUDA_API int cusparseDestroyDnVec(const VectorDescriptor* v) { return Sparse::destroy(v); }
CUDA_API int cusparseDnVecGet(const VectorDescriptor* v, int64_t* size, void** values, int* number) {
  if (v == nullptr) return kSparseInvalidValue;
  give(size, v->size);
  give(values, v->values);
  give(number, static_cast<int>(v->number));
  return kSparseSuccess;
}
CUDA_API int cusparseConstDnVecGet(const VectorDescriptor* v, int64_t* size, void** values, int* number) {
  return cusparseDnVecGet(v, size, values, number);
}

CUDA_API int cusparseCreateSpVec(SparseVectorDescriptor** out, int64_t size, int64_t stored, void* indices,
                                 void* values, int type, int base, int number) {
  if (size < 0 || stored < 0 || index_bytes(type) == 0) return kSparseInvalidValue;
  if (size_bytes(static_cast<Number>(number)) == 0) return kSparseNotSupported;
  return Sparse::make(out, {size, stored, {indices, index_bytes(type), base}, values, static_cast<Number>(number)});
}
CUDA_API int cusparseCreateConstSpVec(SparseVectorDescriptor** out, int64_t size, int64_t stored, void* indices,
                                      void* values, int type, int base, int number) {
  return cusparseCreateSpVec(out, size, stored, indices, values, type, base, number);
}
CUDA_API int cusparseDestroySpVec(const SparseVectorDescriptor* v) { return Sparse::destroy(v); }
CUDA_API int cusparseSpVecGet(const SparseVectorDescriptor* v, int64_t* size, int64_t* stored, void** indices,
                              void** values, int* type, int* base, int* number) {
  if (v == nullptr) return kSparseInvalidValue;
  give(size, v->size);
  give(stored, v->stored);
  give(indices, v->indices.data);
  give(values, v->values);
  give(type, index_type(v->indices.bytes));
  give(base, static_cast<int>(v->indices.base));
  give(number, static_cast<int>(v->number));
  return kSparseSuccess;
}

#define VALUES(Object, Kind)                                                                 \
  CUDA_API int cusparse##Object##GetValues(const Kind* object, void** values) {              \
    return object == nullptr ? kSparseInvalidValue : Sparse::answer(values, object->values); \
  }                                                                                          \
  CUDA_API int cusparseConst##Object##GetValues(const Kind* object, void** values) {         \
    return cusparse##Object##GetValues(object, values);                                      \
  }                                                                                          \
  CUDA_API int cusparse##Object##SetValues(Kind* object, void* values) {                     \
    if (object == nullptr) return kSparseInvalidValue;                                       \
    object->values = values;                                                                 \
    return kSparseSuccess;                                                                   \
  }
VALUES(SpMat, SparseDescriptor)
VALUES(DnMat, DenseDescriptor)
VALUES(DnVec, VectorDescriptor)
VALUES(SpVec, SparseVectorDescriptor)
#undef VALUES
