// cuSPARSE: calls whose result is sparse. Its size is known after the first of them; later ones copy it out.
#include <algorithm>
#include <memory>

#include "warplens/libraries/cusparse/descriptors.h"

using namespace warplens;
using namespace warplens::libraries;

namespace {

/// cusparseSpGEMMDescr_t: the product, once it is computed.
struct ProductState {
  std::shared_ptr<CompressedRows> result;
};

int compute_product(const SparseHandle* h, int op_a, int op_b, const void* alpha, const SparseDescriptor* a,
                    const SparseDescriptor* b, const void* beta, SparseDescriptor* c, int compute,
                    ProductState* state) {
  if (a == nullptr || b == nullptr || c == nullptr || alpha == nullptr || state == nullptr) return kSparseInvalidValue;
  const Scalar by = h->scalar(alpha, compute);
  if (beta != nullptr && h->scalar(beta, compute).now() != 0.0) {
    tell_refused("cusparseSpGEMM", "with a beta that is not 0, the program gets CUSPARSE_STATUS_NOT_SUPPORTED");
    return kSparseNotSupported;
  }
  const auto made = std::make_shared<CompressedRows>();
  SparseCall call{.name = fmt::format("spgemm {} {} {}x{}x{}", layout_name(*a), name(a->number), c->rows, c->columns,
                                      op_a == 0 ? a->columns : a->rows)};
  call.flops = 2.0 * static_cast<double>(a->stored + b->stored);
  touch(call.touches, *a, false);
  touch(call.touches, *b, false);
  call.run = [left = SparseMatrix(*a), right = SparseMatrix(*b), op_a, op_b, by, made]() -> Status {
    WL_ASSIGN(*made, multiply(left, op_a, right, op_b, by.now()));
    return {};
  };
  const int status = queue_sparse(h, std::move(call));
  if (status != kSparseSuccess) return status;
  if (made->offsets.empty()) return kSparseExecutionFailed;  // it went wrong, or the stream is captured
  state->result = made;
  c->stored = made->stored();
  return kSparseSuccess;
}

/// Writes a result that is known into the memory of `to`.
int store_result(const SparseHandle* h, const char* what, const std::shared_ptr<CompressedRows>& result,
                 const SparseMatrix& to) {
  if (result == nullptr || result->stored() > to.stored) return kSparseInvalidValue;
  SparseCall call{.name = fmt::format("{} {} {} {}x{}", what, layout_name(to), name(to.number), to.rows, to.columns)};
  SparseMatrix written = to;
  written.stored = result->stored();
  call.touches = {touched(to.outer.data, written.outer_count(), to.outer.bytes, true),
                  touched(to.inner.data, written.stored, to.inner.bytes, true),
                  touched(to.values, written.stored, size_bytes(to.number), true)};
  call.run = [result, to]() -> Status {
    result->store_to(to);
    return {};
  };
  return queue_sparse(h, std::move(call));
}

/// Writes where the elements of a known result are.
int store_structure(const SparseHandle* h, const std::shared_ptr<CompressedRows>& result, const SparseMatrix& to) {
  if (h == nullptr) return kSparseNotInitialized;
  if (result == nullptr || result->stored() > to.stored || to.layout != SparseLayout::kCsr) return kSparseInvalidValue;
  SparseCall call{.name = fmt::format("spgemm structure {}x{}", to.rows, to.columns)};
  call.touches = {touched(to.outer.data, to.outer_count(), to.outer.bytes, true),
                  touched(to.inner.data, result->stored(), to.inner.bytes, true)};
  call.run = [result, to]() -> Status {
    for (size_t i = 0; i < result->offsets.size(); ++i) to.outer.set(static_cast<int64_t>(i), result->offsets[i]);
    for (size_t k = 0; k < result->columns.size(); ++k) to.inner.set(static_cast<int64_t>(k), result->columns[k]);
    return {};
  };
  return queue_sparse(h, std::move(call));
}

/// C = alpha op(A) op(B) + beta C, where C has the product's structure already.
int compute_again(const SparseHandle* h, int op_a, int op_b, const void* alpha, const SparseDescriptor* a,
                  const SparseDescriptor* b, const void* beta, const SparseDescriptor* c, int compute) {
  if (h == nullptr) return kSparseNotInitialized;
  if (a == nullptr || b == nullptr || c == nullptr || alpha == nullptr || beta == nullptr) return kSparseInvalidValue;
  const Scalar by = h->scalar(alpha, compute), kept = h->scalar(beta, compute);
  SparseCall call{.name = fmt::format("spgemm {} {} {}x{}", layout_name(*a), name(a->number), c->rows, c->columns),
                  .flops = 2.0 * static_cast<double>(a->stored + b->stored)};
  touch(call.touches, *a, false);
  touch(call.touches, *b, false);
  touch(call.touches, *c, true);
  call.run = [left = SparseMatrix(*a), right = SparseMatrix(*b), to = SparseMatrix(*c), op_a, op_b, by,
              kept]() -> Status {
    WL_ASSIGN(const CompressedRows made, multiply(left, op_a, right, op_b, by.now()));
    if (made.stored() != to.stored)
      return invalid_input(fmt::format("the result has room for {} elements and needs {}", to.stored, made.stored()));
    const auto count = static_cast<size_t>(to.stored);
    std::vector<std::complex<double>> values(count), before(count);
    load(to.number, made.values.data(), 1, to.stored, values.data());
    if (kept.now() != 0.0) load(to.number, to.values, 1, to.stored, before.data());
    for (size_t k = 0; k < count; ++k) values[k] += kept.now() * before[k];
    store(values.data(), to.stored, to.number, to.values, 1);
    return {};
  };
  return queue_sparse(h, std::move(call));
}

/// The sum's structure alone, from matrices whose values are not looked at.
int count_sum(const SparseHandle* h, SparseMatrix a, SparseMatrix b, const MatrixKind* kind, int* offsets, int* total) {
  if (h == nullptr) return kSparseNotInitialized;
  if (offsets == nullptr || total == nullptr) return kSparseInvalidValue;
  SparseCall call{.name = fmt::format("csrgeam count {}x{}", a.rows, a.columns)};
  for (const SparseMatrix* m : {&a, &b}) {
    call.touches.push_back(touched(m->outer.data, m->outer_count(), sizeof(int), false));
    call.touches.push_back(touched(m->inner.data, m->stored, sizeof(int), false));
  }
  call.touches.push_back(touched(offsets, a.rows + 1, sizeof(int), true));
  if (h->pointer_mode != 0) call.touches.push_back(touched(total, 1, sizeof(int), true));
  const int64_t base = kind == nullptr ? 0 : kind->base;
  call.run = [a, b, offsets, total, base]() mutable -> Status {
    std::vector<float> zeros(static_cast<size_t>(std::max<int64_t>({a.stored, b.stored, 1})));
    a.values = b.values = zeros.data();
    WL_ASSIGN(const CompressedRows sum, add(a, b, 1, 1));
    const Indices to{offsets, sizeof(int), base};
    for (size_t i = 0; i < sum.offsets.size(); ++i) to.set(static_cast<int64_t>(i), sum.offsets[i]);
    *total = static_cast<int>(sum.stored());
    return {};
  };
  return queue_sparse(h, std::move(call));
}

/// The rows' offsets are those that count_sum() wrote.
int store_sum(const SparseHandle* h, const SparseMatrix& a, const SparseMatrix& b, const void* alpha, const void* beta,
              SparseMatrix to) {
  if (h == nullptr) return kSparseNotInitialized;
  const bool counted = __cudaWarplensHolds(touched(to.outer.data, to.outer_count(), sizeof(int), false));
  if (alpha == nullptr || beta == nullptr || !counted) return kSparseInvalidValue;
  const Scalar by = h->scalar(alpha, static_cast<int>(a.number)), other = h->scalar(beta, static_cast<int>(a.number));
  SparseCall call{.name = fmt::format("csrgeam {} {}x{}", name(a.number), a.rows, a.columns),
                  .flops = static_cast<double>(a.stored + b.stored)};
  touch(call.touches, a, false);
  touch(call.touches, b, false);
  to.stored = to.outer.at(to.rows);
  call.touches.push_back(touched(to.outer.data, to.outer_count(), sizeof(int), true));
  call.touches.push_back(touched(to.inner.data, to.stored, sizeof(int), true));
  call.touches.push_back(touched(to.values, to.stored, size_bytes(to.number), true));
  call.run = [=]() -> Status {
    WL_ASSIGN(const CompressedRows sum, add(a, b, by.now(), other.now()));
    if (sum.stored() != to.stored)
      return invalid_input(fmt::format("the result has room for {} elements and needs {}", to.stored, sum.stored()));
    sum.store_to(to);
    return {};
  };
  return queue_sparse(h, std::move(call));
}

}  // namespace

CUDA_API int cusparseSpGEMM_createDescr(ProductState** out) { return Sparse::make(out); }
CUDA_API int cusparseSpGEMM_destroyDescr(ProductState* state) { return Sparse::destroy(state); }
CUDA_API int cusparseSpGEMM_workEstimation(const SparseHandle* h, int, int, const void*, const void*, const void*,
                                           const void*, const void*, int, int, ProductState*, size_t* bytes,
                                           const void* buffer) {
  return buffer != nullptr ? kSparseSuccess : Sparse::answer_workspace(h, bytes);
}
CUDA_API int cusparseSpGEMM_compute(const SparseHandle* h, int op_a, int op_b, const void* alpha,
                                    const SparseDescriptor* a, const SparseDescriptor* b, const void* beta,
                                    SparseDescriptor* c, int compute, int, ProductState* state, size_t* bytes,
                                    const void* buffer) {
  if (h == nullptr) return kSparseNotInitialized;
  if (buffer == nullptr) return Sparse::answer_workspace(h, bytes);
  return compute_product(h, op_a, op_b, alpha, a, b, beta, c, compute, state);
}
CUDA_API int cusparseSpGEMM_copy(const SparseHandle* h, int, int, const void*, const void*, const void*, const void*,
                                 const SparseDescriptor* c, int, int, const ProductState* state) {
  if (c == nullptr || state == nullptr) return kSparseInvalidValue;
  return store_result(h, "spgemm copy", state->result, *c);
}

// A product whose structure serves for several products.
CUDA_API int cusparseSpGEMMreuse_workEstimation(const SparseHandle* h, int, int, const void*, const void*, const void*,
                                                int, ProductState*, size_t* bytes, const void* buffer) {
  return buffer != nullptr ? kSparseSuccess : Sparse::answer_workspace(h, bytes);
}
CUDA_API int cusparseSpGEMMreuse_nnz(const SparseHandle* h, int op_a, int op_b, const SparseDescriptor* a,
                                     const SparseDescriptor* b, SparseDescriptor* c, int, ProductState* state,
                                     size_t* second_bytes, const void* second, size_t* third_bytes, const void*,
                                     size_t* fourth_bytes, const void*) {
  if (h == nullptr) return kSparseNotInitialized;
  if (second == nullptr) {
    for (size_t* bytes : {second_bytes, third_bytes, fourth_bytes})
      if (const int status = Sparse::answer_workspace(h, bytes); status != kSparseSuccess) return status;
    return kSparseSuccess;
  }
  if (a == nullptr) return kSparseInvalidValue;
  SparseHandle by_host = *h;
  by_host.pointer_mode = 0;
  const std::complex<double> one = 1;
  constexpr int kOneType = static_cast<int>(Number::kC64);
  return compute_product(&by_host, op_a, op_b, &one, a, b, nullptr, c, kOneType, state);
}
CUDA_API int cusparseSpGEMMreuse_copy(const SparseHandle* h, int, int, const void*, const void*,
                                      const SparseDescriptor* c, int, const ProductState* state, size_t* bytes,
                                      const void* buffer) {
  if (buffer == nullptr) return Sparse::answer_workspace(h, bytes);
  if (c == nullptr || state == nullptr) return kSparseInvalidValue;
  return store_structure(h, state->result, *c);
}
CUDA_API int cusparseSpGEMMreuse_compute(const SparseHandle* h, int op_a, int op_b, const void* alpha,
                                         const SparseDescriptor* a, const SparseDescriptor* b, const void* beta,
                                         const SparseDescriptor* c, int compute, int, const ProductState*) {
  return compute_again(h, op_a, op_b, alpha, a, b, beta, c, compute);
}

CUDA_API int cusparseXcsrgeam2Nnz(const SparseHandle* h, int m, int n, const MatrixKind* kind_a, int stored_a,
                                  const int* offsets_a, const int* indices_a, const MatrixKind* kind_b, int stored_b,
                                  const int* offsets_b, const int* indices_b, const MatrixKind* kind, int* offsets,
                                  int* total, void*) {
  return count_sum(h, compressed_rows(kind_a, m, n, stored_a, nullptr, offsets_a, indices_a, Number::kF32),
                   compressed_rows(kind_b, m, n, stored_b, nullptr, offsets_b, indices_b, Number::kF32), kind, offsets,
                   total);
}
#define SUM(letter, T)                                                                                              \
  CUDA_API int cusparse##letter##csrgeam2_bufferSizeExt(                                                            \
      const SparseHandle* h, int, int, const void*, const void*, int, const void*, const int*, const int*,          \
      const void*, const void*, int, const void*, const int*, const int*, const void*, const void*, const int*,     \
      const int*, size_t* bytes) {                                                                                  \
    return Sparse::answer_workspace(h, bytes);                                                                      \
  }                                                                                                                 \
  CUDA_API int cusparse##letter##csrgeam2(                                                                          \
      const SparseHandle* h, int m, int n, const void* alpha, const MatrixKind* kind_a, int stored_a,               \
      const void* values_a, const int* offsets_a, const int* indices_a, const void* beta, const MatrixKind* kind_b, \
      int stored_b, const void* values_b, const int* offsets_b, const int* indices_b, const MatrixKind* kind,       \
      void* values, int* offsets, int* indices, void*) {                                                            \
    return store_sum(h, compressed_rows(kind_a, m, n, stored_a, values_a, offsets_a, indices_a, kNumberOf<T>),      \
                     compressed_rows(kind_b, m, n, stored_b, values_b, offsets_b, indices_b, kNumberOf<T>), alpha,  \
                     beta, compressed_rows(kind, m, n, 0, values, offsets, indices, kNumberOf<T>));                 \
  }
SUM(S, float)
SUM(D, double)
SUM(C, std::complex<float>)
SUM(Z, std::complex<double>)
#undef SUM

CUDA_API int cusparseDenseToSparse_bufferSize(const SparseHandle* h, const void*, const void*, int, size_t* bytes) {
  return Sparse::answer_workspace(h, bytes);
}
/// Writes the rows' offsets, and tells how many elements there are.
CUDA_API int cusparseDenseToSparse_analysis(const SparseHandle* h, const DenseDescriptor* dense, SparseDescriptor* to,
                                            int, void*) {
  if (h == nullptr) return kSparseNotInitialized;
  if (dense == nullptr || to == nullptr) return kSparseInvalidValue;
  if (to->layout == SparseLayout::kCsc || to->block_size() > 1) {
    tell_refused("cusparseDenseToSparse", "to CSC or blocks, the program gets CUSPARSE_STATUS_NOT_SUPPORTED");
    return kSparseNotSupported;
  }
  SparseCall call{.name = fmt::format("dense2sparse {} {}x{}", name(dense->number), dense->rows, dense->columns)};
  touch(call.touches, dense->seen(), dense->rows, dense->columns, 1, false);
  const bool offsets = to->layout == SparseLayout::kCsr;
  if (offsets) call.touches.push_back(touched(to->outer.data, to->outer_count(), to->outer.bytes, true));
  const auto count = std::make_shared<int64_t>(-1);
  call.run = [from = *dense, outer = to->outer, offsets, count]() -> Status {
    WL_ASSIGN(const CompressedRows found, from_dense(from.seen(), from.rows, from.columns));
    for (size_t i = 0; offsets && i < found.offsets.size(); ++i) outer.set(static_cast<int64_t>(i), found.offsets[i]);
    *count = found.stored();
    return {};
  };
  if (const int status = queue_sparse(h, std::move(call)); status != kSparseSuccess) return status;
  if (*count < 0) return kSparseExecutionFailed;
  to->stored = *count;
  return kSparseSuccess;
}
CUDA_API int cusparseDenseToSparse_convert(const SparseHandle* h, const DenseDescriptor* dense,
                                           const SparseDescriptor* to, int, void*) {
  if (h == nullptr) return kSparseNotInitialized;
  if (dense == nullptr || to == nullptr) return kSparseInvalidValue;
  SparseCall call{.name = fmt::format("dense2sparse {} {}x{}", name(dense->number), dense->rows, dense->columns)};
  touch(call.touches, dense->seen(), dense->rows, dense->columns, 1, false);
  call.touches.push_back(touched(to->inner.data, to->stored, to->inner.bytes, true));
  call.touches.push_back(touched(to->values, to->stored, size_bytes(to->number), true));
  call.run = [from = *dense, into = SparseMatrix(*to)]() -> Status {
    WL_ASSIGN(const CompressedRows found, from_dense(from.seen(), from.rows, from.columns));
    if (found.stored() != into.stored) return invalid_input("the dense matrix changed after its analysis");
    found.store_to(into);
    return {};
  };
  return queue_sparse(h, std::move(call));
}

CUDA_API int cusparseSparseToDense_bufferSize(const SparseHandle* h, const void*, const void*, int, size_t* bytes) {
  return Sparse::answer_workspace(h, bytes);
}
CUDA_API int cusparseSparseToDense(const SparseHandle* h, const SparseDescriptor* a, const DenseDescriptor* dense, int,
                                   void*) {
  if (h == nullptr) return kSparseNotInitialized;
  if (a == nullptr || dense == nullptr) return kSparseInvalidValue;
  SparseCall call{
      .name = fmt::format("sparse2dense {} {} {}x{}", layout_name(*a), name(a->number), dense->rows, dense->columns)};
  touch(call.touches, *a, false);
  touch(call.touches, dense->seen(), dense->rows, dense->columns, 1, true);
  call.run = [from = SparseMatrix(*a), to = *dense] { return to_dense(from, to.seen()); };
  return queue_sparse(h, std::move(call));
}
