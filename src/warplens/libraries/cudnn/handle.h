// cuDNN's handle and descriptors, and what its calls share.
#pragma once
#include "warplens/base/text.h"
#include "warplens/cuda_api/visible.h"
#include "warplens/libraries/math/tensor.h"
#include "warplens/libraries/queue/objects.h"
#include "warplens/libraries/queue/queue.h"

namespace warplens::libraries {

/// As cudnnStatus_t numbers them.
enum DnnStatus : int {
  kDnnSuccess = 0,
  kDnnNotInitialized = 1001,
  kDnnBadParameter = 2000,
  kDnnNotSupported = 3000,
  kDnnExecutionFailed = 5000,
};

using Dnn = Objects<{.missing = kDnnNotInitialized, .invalid = kDnnBadParameter, .no_memory = kDnnExecutionFailed}>;

struct DnnHandle {
  void* stream = nullptr;
};

inline constexpr int kMostDnnDims = 8;

/// cudnnTensorDescriptor_t and cudnnFilterDescriptor_t.
struct TensorDescriptor {
  int type = 0;  // cudnnDataType_t
  int dims = 0;
  int size[kMostDnnDims]{}, step[kMostDnnDims]{};
  int format = 0;  // of a filter: cudnnTensorFormat_t

  Number number() const;
  /// Batch, channels, then one to three dimensions of space at the end.
  Tensor tensor(const void* data) const;
  int64_t count() const;
  bool is_known() const { return size_bytes(number()) != 0 && dims >= 1 && dims <= kTensorDims; }
};

/// The type of a cudnnDataType_t; one without a size: there is none here.
Number number_of_dnn(int type);

/// A factor of the host: double for double results, else float.
inline double factor_of(const void* pointer, Number number) {
  if (pointer == nullptr) return 0;
  return number == Number::kF64 ? *static_cast<const double*>(pointer) : *static_cast<const float*>(pointer);
}

TouchedMemory touched(const Tensor& tensor, bool written);
TouchedMemory touched_bytes(const void* data, int64_t bytes, bool written);

/// Queues one call; memory that is not there (null) is left out.
int queue_dnn(const DnnHandle* handle, Task task, std::vector<TouchedMemory> touches);

}  // namespace warplens::libraries
