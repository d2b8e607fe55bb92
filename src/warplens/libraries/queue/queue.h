// The shared part of the stand-ins: a call's work, queued in a stream.
#pragma once
#include <complex>
#include <functional>
#include <string>
#include <vector>

#include "warplens/cuda_api/library_work.h"
#include "warplens/libraries/math/product.h"
#include "warplens/libraries/time/product_time.h"

namespace warplens::libraries {

using cuda_api::TouchedMemory;

/// A scalar argument: of the host, taken at the call, or of the device, taken when the work runs.
struct Scalar {
  const void* pointer = nullptr;
  Number number = Number::kF32;
  bool on_device = false;
  std::complex<double> value = 0;

  Scalar() = default;
  Scalar(const void* where, Number as, bool device);
  std::complex<double> now() const { return on_device ? load_one(number, pointer) : value; }
};

struct Task {
  std::string name;  // "gemm f32 64x64x64"
  LibraryTime time;
  std::function<std::vector<TouchedMemory>()> touches;
  std::function<Status()> run;
};

/// The emulated GPU; nullptr if there is none.
inline const gpu::Device* device() { return __cudaWarplensDevice(); }

/// Errors: as __cudaWarplensLibraryWork's.
int queue(void* stream, Task task);

/// A product with its scalars; `alpha` and `beta` of `product` are taken from them.
int queue_product(void* stream, const Product& product, const Scalar& alpha, const Scalar& beta);

/// A column-major matrix that is read or written.
TouchedMemory touched_matrix(const void* data, int element_bytes, int64_t rows, int64_t columns, int64_t leading,
                             bool written);
/// A vector with steps of either sign, which begins at `data` as BLAS has it.
TouchedMemory touched_vector(const void* data, int element_bytes, int64_t count, int64_t step, bool written);

/// Says once which function is refused, and why.
void tell_refused(const char* function, const char* why);

}  // namespace warplens::libraries
