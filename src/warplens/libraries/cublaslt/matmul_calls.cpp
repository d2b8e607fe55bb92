// cuBLASLt: products with epilogues, and the search for an algorithm, of which there is one here.
#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/cuda_api/visible.h"
#include "warplens/libraries/cublaslt/descriptors.h"
#include "warplens/libraries/queue/queue.h"

using namespace warplens;
using namespace warplens::libraries;

namespace {

using A = LtAttribute;

// Bits of cublasLtEpilogue_t.
enum EpilogueBit : int {
  kRelu = 2,
  kBias = 4,
  kReluBackward = 8,
  kBiasGradient = 16,
  kGelu = 32,
  kGeluBackward = 64,
  kAux = 128,
  kGradientOfA = 256,
  kGradientOfB = 512,
};
enum ScaleMode : int { kOne = 0, kEach = 3 };
enum PointerMode : int { kHost = 0, kDevice = 1, kAlphaVectorBetaZero = 3, kAlphaVectorBetaHost = 4 };

struct Layouts {
  const LtLayout *a, *b, *c, *d;
};

/// What is not computed here, in words; empty where all is.
std::string refusal(const LtMatmul& matmul, const Layouts& of) {
  for (const LtLayout* layout : {of.a, of.b, of.c, of.d}) {
    if (size_bytes(layout->number()) == 0) return fmt::format("element type {}", layout->type);
    constexpr int kRowMajor = 1;
    if (layout->order < 0 || layout->order > kRowMajor) return fmt::format("order {} of a matrix", layout->order);
    constexpr int kPointers = 1;
    if (layout->batch_mode < 0 || layout->batch_mode > kPointers)
      return fmt::format("batch mode {}", layout->batch_mode);
  }
  for (const A mode : {A::kAScaleMode, A::kBScaleMode}) {
    const int value = matmul.number(mode);
    if (value != kOne && value != kEach) return fmt::format("scale mode {}", value);
  }
  const int pointers = matmul.number(A::kPointerMode);
  const bool known =
      pointers == kHost || pointers == kDevice || pointers == kAlphaVectorBetaZero || pointers == kAlphaVectorBetaHost;
  return known ? std::string() : fmt::format("pointer mode {}", pointers);
}

int check(const LtMatmul* matmul, const Layouts& of) {
  if (matmul == nullptr || of.a == nullptr || of.b == nullptr || of.c == nullptr || of.d == nullptr)
    return kBlasInvalidValue;
  if (const std::string what = refusal(*matmul, of); !what.empty()) {
    tell_refused("cublasLtMatmul", (what + ": the program gets CUBLAS_STATUS_NOT_SUPPORTED").c_str());
    return kBlasNotSupported;
  }
  const bool turned_a = matmul->number(A::kOpA) != 0, turned_b = matmul->number(A::kOpB) != 0;
  const uint64_t m = turned_a ? of.a->columns : of.a->rows, k = turned_a ? of.a->rows : of.a->columns;
  const uint64_t n = turned_b ? of.b->rows : of.b->columns, k_of_b = turned_b ? of.b->columns : of.b->rows;
  return k == k_of_b && m == of.d->rows && n == of.d->columns && m == of.c->rows && n == of.c->columns
             ? kBlasSuccess
             : kBlasInvalidValue;
}

Matrix matrix_of(const LtLayout& layout, const void* data, int op) {
  Matrix out = column_major(data, layout.number(), layout.leading, op);
  if (layout.order == 1) std::swap(out.row_step, out.column_step);
  out.batch_step = layout.batch_step;
  if (layout.batch_mode == 1) out.batch = static_cast<void* const*>(const_cast<void*>(data));
  return out;
}

Activation activation_of(int epilogue) {
  return (epilogue & kRelu) != 0           ? Activation::kRelu
         : (epilogue & kGelu) != 0         ? Activation::kGelu
         : (epilogue & kReluBackward) != 0 ? Activation::kReluBackward
         : (epilogue & kGeluBackward) != 0 ? Activation::kGeluBackward
                                           : Activation::kNone;
}

Epilogue::Sums sums_of(int epilogue) {
  return (epilogue & kBiasGradient) != 0  ? Epilogue::Sums::kD
         : (epilogue & kGradientOfA) != 0 ? Epilogue::Sums::kA
         : (epilogue & kGradientOfB) != 0 ? Epilogue::Sums::kB
                                          : Epilogue::Sums::kNone;
}

Factors factors(const LtMatmul& matmul, A pointer, int mode) {
  return {static_cast<const float*>(matmul.pointer(pointer)), mode == kEach};
}

Epilogue epilogue_of(const LtMatmul& matmul, const Layouts& of) {
  const int bits = matmul.number(A::kEpilogue);
  const bool small_d = size_bytes(of.d->number()) == 1;
  const Number natural = small_d && size_bytes(of.c->number()) > 1 ? of.c->number()
                         : small_d                                 ? Number::kBf16
                                                                   : of.d->number();
  const auto type = [&](A attribute) {
    const int set = matmul.number(attribute);
    return set >= 0 ? static_cast<Number>(set) : natural;
  };
  Epilogue out;
  out.activation = activation_of(bits);
  out.bias_number = type(A::kBiasType);
  out.bias_batch_step = matmul.wide(A::kBiasBatchStep);
  if ((bits & kBias) != 0) out.bias = matmul.pointer(A::kBias);
  out.sums = sums_of(bits);
  if (out.sums != Epilogue::Sums::kNone) out.gradient = matmul.pointer(A::kBias);
  if ((bits & kAux) != 0) out.aux = matmul.pointer(A::kAux);
  out.aux_number = type(A::kAuxType);
  out.aux_leading = matmul.wide(A::kAuxLeading);
  out.aux_batch_step = matmul.wide(A::kAuxBatchStep);
  out.a = factors(matmul, A::kAScale, matmul.number(A::kAScaleMode));
  out.b = factors(matmul, A::kBScale, matmul.number(A::kBScaleMode));
  out.c = factors(matmul, A::kCScale, kOne);
  if (small_d) out.d = factors(matmul, A::kDScale, kOne);
  out.largest = static_cast<float*>(matmul.pointer(A::kLargestOfD));
  return out;
}

constexpr int kFast16F = 74, kFast16BF = 75, kFastTf32 = 77;
bool rounds_to_tf32(int compute, Number a) {
  return a == Number::kF32 && (compute == kFast16F || compute == kFast16BF || compute == kFastTf32);
}

LtHeuristic only_algorithm() { return {.algorithm = {{1}}, .workspace_bytes = 0, .status = kBlasSuccess, .waves = 1}; }

}  // namespace

CUDA_API int cublasLtMatmul(void*, const LtMatmul* matmul, const void* alpha, const void* a, const LtLayout* a_layout,
                            const void* b, const LtLayout* b_layout, const void* beta, const void* c,
                            const LtLayout* c_layout, void* d, const LtLayout* d_layout, const LtAlgorithm*, void*,
                            size_t, void* stream) {
  const Layouts of{a_layout, b_layout, c_layout, d_layout};
  if (const int status = check(matmul, of); status != kBlasSuccess) return status;
  if (alpha == nullptr || d == nullptr) return kBlasInvalidValue;
  const int op_a = matmul->number(A::kOpA), op_b = matmul->number(A::kOpB);
  Product p{.m = static_cast<int64_t>(d_layout->rows),
            .n = static_cast<int64_t>(d_layout->columns),
            .k = static_cast<int64_t>(op_a != 0 ? a_layout->rows : a_layout->columns),
            .batches = std::max(d_layout->batches, 1)};
  if (p.m == 0 || p.n == 0) return kBlasSuccess;
  p.a = matrix_of(*a_layout, a, op_a);
  p.b = matrix_of(*b_layout, b, op_b);
  p.c = matrix_of(*c_layout, c, 0);
  p.d = matrix_of(*d_layout, d, 0);
  p.tf32 = rounds_to_tf32(matmul->number(A::kCompute), p.a.number);
  p.epilogue = epilogue_of(*matmul, of);
  const auto type = static_cast<Number>(matmul->number(A::kScaleType));
  const int pointers = matmul->number(A::kPointerMode);
  const bool vector = pointers == kAlphaVectorBetaZero || pointers == kAlphaVectorBetaHost;
  static constexpr float kOneF = 1, kZeroF = 0;
  if (vector) p.epilogue.a = {static_cast<const float*>(alpha), true};
  const Scalar scale = vector ? Scalar(&kOneF, Number::kF32, false) : Scalar(alpha, type, pointers == kDevice);
  const bool adds = c != nullptr && beta != nullptr && pointers != kAlphaVectorBetaZero;
  const Scalar add = adds ? Scalar(beta, type, pointers == kDevice) : Scalar(&kZeroF, Number::kF32, false);
  return queue_product(stream, p, scale, add) == 0 ? kBlasSuccess : kBlasExecutionFailed;
}

CUDA_API int cublasLtMatmulAlgoGetHeuristic(void*, const LtMatmul* matmul, const LtLayout* a, const LtLayout* b,
                                            const LtLayout* c, const LtLayout* d, const void*, int wanted,
                                            LtHeuristic* out, int* found) {
  if (out == nullptr || found == nullptr || wanted < 1) return kBlasInvalidValue;
  *found = 0;
  if (const int status = check(matmul, {a, b, c, d}); status != kBlasSuccess) return status;
  out[0] = only_algorithm();
  *found = 1;
  return kBlasSuccess;
}
CUDA_API int cublasLtMatmulAlgoGetIds(void*, int, int, int, int, int, int, int wanted, int* ids, int* found) {
  if (ids == nullptr || found == nullptr || wanted < 1) return kBlasInvalidValue;
  ids[0] = static_cast<int>(only_algorithm().algorithm.data[0]);
  *found = 1;
  return kBlasSuccess;
}
CUDA_API int cublasLtMatmulAlgoInit(void*, int, int, int, int, int, int, int, LtAlgorithm* out) {
  if (out == nullptr) return kBlasInvalidValue;
  *out = only_algorithm().algorithm;
  return kBlasSuccess;
}
CUDA_API int cublasLtMatmulAlgoCheck(void*, const LtMatmul* matmul, const LtLayout* a, const LtLayout* b,
                                     const LtLayout* c, const LtLayout* d, const LtAlgorithm*, LtHeuristic* out) {
  if (out == nullptr) return kBlasInvalidValue;
  const int status = check(matmul, {a, b, c, d});
  *out = only_algorithm();
  out->status = status;
  return status;
}
/// Of the one algorithm nothing can be chosen: what a program sets is taken, what it asks for is 0.
CUDA_API int cublasLtMatmulAlgoConfigSetAttribute(LtAlgorithm* algorithm, int, const void* value, size_t) {
  return algorithm != nullptr && value != nullptr ? kBlasSuccess : kBlasInvalidValue;
}
CUDA_API int cublasLtMatmulAlgoConfigGetAttribute(const LtAlgorithm* algorithm, int, void* value, size_t size_bytes,
                                                  size_t* written) {
  if (algorithm == nullptr || value == nullptr) return kBlasInvalidValue;
  std::fill_n(static_cast<char*>(value), size_bytes, char{0});
  if (written != nullptr) *written = size_bytes;
  return kBlasSuccess;
}
