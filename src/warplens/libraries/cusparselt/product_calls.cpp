// cuSPARSELt: pruning, compression, and products of a structured matrix with a dense one.
#include "warplens/base/text.h"
#include "warplens/libraries/cusparselt/descriptors.h"

using namespace warplens;
using namespace warplens::libraries;

namespace {

using A = SparseLtAttribute;

/// A pass over a structured matrix in memory, in stream order. `written`: bytes that it writes.
struct Pass {
  const char* name;
  StructuredShape shape;
  const void* from;
  void* to;
  int64_t written;
  std::function<Status()> run;
};

int queue_pass(void* stream, Pass pass) {
  const StructuredShape& s = pass.shape;
  const bool by_lines = s.depth_step == 1;
  const TouchedMemory read = touched_matrix(pass.from, size_bytes(s.number), by_lines ? s.depth : s.lines,
                                            by_lines ? s.lines : s.depth, by_lines ? s.line_step : s.depth_step, false);
  const auto bytes = static_cast<uint64_t>(pass.written);
  const std::vector<TouchedMemory> touches = {read, {pass.to, bytes, bytes, 1, true}};
  const auto moved = static_cast<double>(read.width_bytes * read.rows + bytes);
  const int error = queue(stream, {.name = fmt::format("{} {} {}x{}", pass.name, name(s.number), s.lines, s.depth),
                                   .time = streaming_time(moved, 0, *device()),
                                   .touches = [touches] { return touches; },
                                   .run = std::move(pass.run)});
  return error == 0 ? kSparseSuccess : kSparseExecutionFailed;
}

int queue_compression(const StructuredShape& shape, const void* dense, void* compressed, void* stream) {
  if (dense == nullptr || compressed == nullptr) return kSparseInvalidValue;
  return queue_pass(stream, {"compress", shape, dense, compressed, compressed_bytes(shape), [=]() -> Status {
                               if (const int64_t lost = compress(shape, dense, compressed); lost > 0)
                                 __cudaWarplensTell(fmt::format(
                                     "cusparseLtSpMMACompress leaves out {} elements that are not zero: more than half "
                                     "of their group. Prune the matrix first",
                                     lost));
                               return {};
                             }});
}

int queue_pruning(const StructuredShape& shape, const void* from, void* to, int how, void* stream) {
  constexpr int kTile = 0, kStrip = 1;
  if (from == nullptr || to == nullptr || (how != kTile && how != kStrip)) return kSparseInvalidValue;
  const int64_t bytes =
      ((shape.lines - 1) * shape.line_step + (shape.depth - 1) * shape.depth_step + 1) * size_bytes(shape.number);
  return queue_pass(stream, {"prune", shape, from, to, bytes,
                             [=] { return prune(shape, how == kTile ? Prune::kTile : Prune::kStrip, from, to); }});
}

int queue_prune_check(const StructuredShape& shape, const void* from, int* out, void* stream) {
  if (from == nullptr || out == nullptr) return kSparseInvalidValue;
  return queue_pass(stream, {"prune check", shape, from, out, sizeof(int), [=]() -> Status {
                               *out = is_pruned(shape, from) ? 0 : 1;
                               return {};
                             }});
}

StructuredShape structured_of(const SparseLtMatmul& matmul) {
  return matmul.a.structured ? matmul.a.lines(true, matmul.op_a) : matmul.b.lines(false, matmul.op_b);
}

/// The operand of the product; a compressed one has lost its order in memory.
Matrix operand(const SparseLtMatrix& matrix, const void* data, int op, bool left) {
  Matrix out = matrix.dense(data, op);
  if (!matrix.structured) return out;
  const int64_t depth = matrix.lines(left, op).depth;
  out.row_step = left ? depth : 1;
  out.column_step = left ? 1 : depth;
  out.structured = true;
  return out;
}

Epilogue epilogue_of(const SparseLtMatmul& matmul) {
  Epilogue out;
  out.activation = matmul.number(A::kRelu) != 0   ? Activation::kRelu
                   : matmul.number(A::kGelu) != 0 ? Activation::kGelu
                                                  : Activation::kNone;
  const bool whole = matmul.c.number == Number::kI8 || matmul.c.number == Number::kI32;
  out.bias = matmul.pointer(A::kBias);
  out.bias_number = whole ? Number::kF32 : matmul.c.number;
  out.bias_batch_step = matmul.wide(A::kBiasStep);
  const auto scale = [&](A mode, A pointer) {
    return Factors{matmul.number(mode) != 0 ? static_cast<const float*>(matmul.pointer(pointer)) : nullptr, false};
  };
  out.a = scale(A::kAScaleMode, A::kAScale);
  out.b = scale(A::kBScaleMode, A::kBScale);
  out.c = scale(A::kCScaleMode, A::kCScale);
  out.d = scale(A::kDScaleMode, A::kDScale);
  return out;
}

}  // namespace

CUDA_API int cusparseLtMatmul(const void* handle, const SparseLtPlan* plan, const void* alpha, const void* a,
                              const void* b, const void* beta, const void* c, void* d, void*, void* const* streams,
                              int32_t stream_count) {
  if (handle == nullptr) return kSparseNotInitialized;
  if (plan == nullptr || alpha == nullptr || beta == nullptr || a == nullptr || b == nullptr || d == nullptr)
    return kSparseInvalidValue;
  Product p{.m = plan->m(), .n = plan->n(), .k = plan->k(), .batches = plan->d.batches};
  p.a = operand(plan->a, a, plan->op_a, true);
  p.b = operand(plan->b, b, plan->op_b, false);
  p.c = plan->c.dense(c, 0);
  p.d = plan->d.dense(d, 0);
  p.tf32 = p.a.number == Number::kF32;
  p.epilogue = epilogue_of(*plan);
  static constexpr float kOne = 1;
  const bool vector = plan->number(A::kAlphaVector) != 0;
  if (vector && p.epilogue.a.values != nullptr) {
    tell_refused("cusparseLtMatmul", "a vector of alphas with a scale of A: the program gets an error");
    return kSparseNotSupported;
  }
  if (vector) p.epilogue.a = {static_cast<const float*>(alpha), true};
  void* const stream = streams != nullptr && stream_count > 0 ? streams[0] : nullptr;
  const int error =
      queue_product(stream, p, Scalar(vector ? &kOne : alpha, Number::kF32, false), Scalar(beta, Number::kF32, false));
  return error == 0 ? kSparseSuccess : kSparseExecutionFailed;
}
/// There is one algorithm, so the search is the product.
CUDA_API int cusparseLtMatmulSearch(const void* handle, SparseLtPlan* plan, const void* alpha, const void* a,
                                    const void* b, const void* beta, const void* c, void* d, void* workspace,
                                    void* const* streams, int32_t stream_count) {
  return cusparseLtMatmul(handle, plan, alpha, a, b, beta, c, d, workspace, streams, stream_count);
}

CUDA_API int cusparseLtSpMMACompressedSize(const void*, const SparseLtPlan* plan, size_t* compressed, size_t* buffer) {
  if (plan == nullptr || compressed == nullptr || buffer == nullptr) return kSparseInvalidValue;
  *compressed = static_cast<size_t>(compressed_bytes(structured_of(*plan)));
  *buffer = 0;
  return kSparseSuccess;
}
CUDA_API int cusparseLtSpMMACompressedSize2(const void*, const SparseLtMatrix* matrix, size_t* compressed,
                                            size_t* buffer) {
  if (matrix == nullptr || compressed == nullptr || buffer == nullptr) return kSparseInvalidValue;
  *compressed = static_cast<size_t>(compressed_bytes(matrix->lines(true, 0)));
  *buffer = 0;
  return kSparseSuccess;
}
CUDA_API int cusparseLtSpMMACompress(const void*, const SparseLtPlan* plan, const void* dense, void* compressed, void*,
                                     void* stream) {
  return plan != nullptr ? queue_compression(structured_of(*plan), dense, compressed, stream) : kSparseInvalidValue;
}
CUDA_API int cusparseLtSpMMACompress2(const void*, const SparseLtMatrix* matrix, int is_a, int op, const void* dense,
                                      void* compressed, void*, void* stream) {
  return matrix != nullptr ? queue_compression(matrix->lines(is_a != 0, op), dense, compressed, stream)
                           : kSparseInvalidValue;
}

CUDA_API int cusparseLtSpMMAPrune(const void*, const SparseLtMatmul* matmul, const void* from, void* to, int how,
                                  void* stream) {
  return matmul != nullptr ? queue_pruning(structured_of(*matmul), from, to, how, stream) : kSparseInvalidValue;
}
CUDA_API int cusparseLtSpMMAPrune2(const void*, const SparseLtMatrix* matrix, int is_a, int op, const void* from,
                                   void* to, int how, void* stream) {
  return matrix != nullptr ? queue_pruning(matrix->lines(is_a != 0, op), from, to, how, stream) : kSparseInvalidValue;
}
CUDA_API int cusparseLtSpMMAPruneCheck(const void*, const SparseLtMatmul* matmul, const void* from, int* out,
                                       void* stream) {
  return matmul != nullptr ? queue_prune_check(structured_of(*matmul), from, out, stream) : kSparseInvalidValue;
}
CUDA_API int cusparseLtSpMMAPruneCheck2(const void*, const SparseLtMatrix* matrix, int is_a, int op, const void* from,
                                        int* out, void* stream) {
  return matrix != nullptr ? queue_prune_check(matrix->lines(is_a != 0, op), from, out, stream) : kSparseInvalidValue;
}
