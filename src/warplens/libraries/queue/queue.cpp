#include "warplens/libraries/queue/queue.h"

#include <algorithm>

#include "warplens/base/stand_in.h"
#include "warplens/base/text.h"
#include "warplens/libraries/math/structured.h"

namespace warplens::libraries {
namespace {

/// Of a matrix whose lines lie apart: the lines as rows of memory.
TouchedMemory touched(const Matrix& matrix, int64_t batch, int64_t rows, int64_t columns, bool written) {
  if (matrix.structured) {
    const auto bytes =
        static_cast<uint64_t>(compressed_bytes({.number = matrix.number, .lines = rows, .depth = columns}));
    return {matrix.data, bytes, bytes, 1, written};
  }
  const auto size = static_cast<uint64_t>(size_bytes(matrix.number));
  const bool by_columns = matrix.row_step <= matrix.column_step;
  const int64_t lines = by_columns ? columns : rows, length = by_columns ? rows : columns;
  const int64_t line_step = by_columns ? matrix.column_step : matrix.row_step;
  const int64_t step = by_columns ? matrix.row_step : matrix.column_step;
  if (lines == 0 || length == 0) return {};
  return {matrix.of(batch), (static_cast<uint64_t>(length - 1) * static_cast<uint64_t>(step) + 1) * size,
          static_cast<uint64_t>(line_step) * size, static_cast<uint64_t>(lines), written};
}

std::vector<TouchedMemory> touches(const Product& p, bool adds) {
  std::vector<TouchedMemory> out;
  for (int64_t i = 0; i < p.batches; ++i) {
    out.push_back(touched(p.a, i, p.m, p.k, false));
    out.push_back(touched(p.b, i, p.k, p.n, false));
    if (adds) out.push_back(touched(p.c, i, p.m, p.n, false));
    out.push_back(touched(p.d, i, p.m, p.n, true));
  }
  const Epilogue& e = p.epilogue;
  const auto bias_bytes = static_cast<uint64_t>(p.m) * static_cast<uint64_t>(size_bytes(e.bias_number));
  if (e.bias != nullptr) out.push_back({e.bias, bias_bytes, bias_bytes, 1, false});
  return out;
}

Unit unit_of(const Product& p) {
  switch (p.a.number) {
    case Number::kF64: return Unit::kF64;
    case Number::kC32: return Unit::kC64;
    case Number::kC64: return Unit::kC128;
    case Number::kF16:
    case Number::kBf16: return Unit::kF16;
    case Number::kE4m3:
    case Number::kE5m2: return Unit::kF8;
    case Number::kI8:
    case Number::kU8:
    case Number::kI32: return Unit::kI8;
    case Number::kF32: break;
  }
  return p.tf32 ? Unit::kTf32 : Unit::kF32;
}

/// Lines of the matrix begin where 16-byte accesses can.
bool is_aligned(const Matrix& matrix) {
  constexpr int64_t kBytes = 16;
  return std::max(matrix.row_step, matrix.column_step) * size_bytes(matrix.number) % kBytes == 0;
}

const char* activation_name(Activation activation) {
  switch (activation) {
    case Activation::kNone: return "";
    case Activation::kRelu: return " relu";
    case Activation::kGelu: return " gelu";
    case Activation::kReluBackward: return " drelu";
    case Activation::kGeluBackward: return " dgelu";
  }
  return "";
}

std::string name_of(const Product& p) {
  const char* number = p.tf32 && p.a.number == Number::kF32 ? "tf32" : name(p.a.number);
  const char* kind = p.a.structured || p.b.structured ? "sparse gemm" : "gemm";
  std::string out = fmt::format("{} {} {}x{}x{}", kind, number, p.m, p.n, p.k);
  if (p.batches > 1) out += fmt::format(" batch {}", p.batches);
  if (p.epilogue.bias != nullptr) out += " bias";
  return out + activation_name(p.epilogue.activation);
}

}  // namespace

Scalar::Scalar(const void* where, Number as, bool device) : pointer(where), number(as), on_device(device) {
  if (!device && where != nullptr) value = load_one(as, where);
}

int queue(void* stream, Task task) {
  return __cudaWarplensLibraryWork(stream, {.name = std::move(task.name) + std::string(kStandInMark),
                                            .ns = task.time.ns,
                                            .warm_ns = task.time.warm_ns,
                                            .low_ns = task.time.low_ns,
                                            .high_ns = task.time.high_ns,
                                            .limited_by = task.time.limited_by,
                                            .sm_share = task.time.sm_share,
                                            .grid = task.time.grid,
                                            .block = task.time.block,
                                            .touches = std::move(task.touches),
                                            .run = std::move(task.run)});
}

namespace {

/// Sparse tensor cores take half of the steps for a structured operand, of which less is in memory. This was not
/// compared with a GPU, so there is no band.
LibraryTime sparse_product_time(const Product& p, ProductShape shape) {
  shape.memory_bytes = 0;
  for (const TouchedMemory& t : touches(p, shape.adds))
    shape.memory_bytes += static_cast<double>(t.width_bytes * t.rows);
  shape.k /= 2;
  LibraryTime time = product_time(shape, *device());
  time.low_ns = time.high_ns = 0;
  return time;
}

}  // namespace

int queue_product(void* stream, const Product& product, const Scalar& alpha, const Scalar& beta) {
  const bool may_add = beta.on_device || beta.value != 0.0;
  const bool structured = product.a.structured || product.b.structured;
  const ProductShape shape{.m = product.m,
                           .n = product.n,
                           .k = product.k,
                           .batches = product.batches,
                           .unit = unit_of(product),
                           .a_bytes = size_bytes(product.a.number),
                           .b_bytes = size_bytes(product.b.number),
                           .d_bytes = size_bytes(product.d.number),
                           .adds = may_add,
                           .aligned = is_aligned(product.a) && is_aligned(product.b) && is_aligned(product.d)};
  Task task{.name = name_of(product),
            .time = structured ? sparse_product_time(product, shape) : product_time(shape, *device()),
            .touches = [=] { return touches(product, beta.now() != 0.0); },
            .run =
                [=] {
                  Product now = product;
                  now.alpha = alpha.now();
                  now.beta = beta.now();
                  return libraries::run(now);
                }};
  return queue(stream, std::move(task));
}

TouchedMemory touched_matrix(const void* data, int element_bytes, int64_t rows, int64_t columns, int64_t leading,
                             bool written) {
  if (rows <= 0 || columns <= 0) return {};
  return {data, static_cast<uint64_t>(rows * element_bytes), static_cast<uint64_t>(leading * element_bytes),
          static_cast<uint64_t>(columns), written};
}

TouchedMemory touched_vector(const void* data, int element_bytes, int64_t count, int64_t step, bool written) {
  return touched_matrix(data, element_bytes, 1, count, std::abs(step), written);
}

void tell_refused(const char* function, const char* why) {
  __cudaWarplensTell(fmt::format("{} is not emulated: {}", function, why));
}

}  // namespace warplens::libraries
