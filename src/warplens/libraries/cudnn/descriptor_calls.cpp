// cuDNN: handles, and descriptors of tensors and filters.
#include <algorithm>

#include "warplens/libraries/cudnn/handle.h"

using namespace warplens::libraries;

namespace {

template <typename T>
void give(T* out, T value) {
  if (out != nullptr) *out = value;
}

/// Steps of a filter: its channels are its second dimension, or lie closest where the format says so.
void set_filter_steps(TensorDescriptor* d) {
  int step = 1;
  const bool channels_last = d->format == 1;
  if (channels_last && d->dims > 1) {
    d->step[1] = step;
    step *= d->size[1];
  }
  for (int i = d->dims - 1; i >= 0; --i) {
    if (channels_last && i == 1) continue;
    d->step[i] = step;
    step *= d->size[i];
  }
}

}  // namespace

CUDA_API int cudnnCreate(DnnHandle** handle) { return device() == nullptr ? kDnnNotInitialized : Dnn::make(handle); }
CUDA_API int cudnnDestroy(DnnHandle* handle) { return Dnn::destroy(handle); }
CUDA_API int cudnnSetStream(DnnHandle* handle, void* stream) {
  if (handle == nullptr) return kDnnBadParameter;
  handle->stream = stream;
  return kDnnSuccess;
}
CUDA_API int cudnnGetStream(const DnnHandle* handle, void** stream) {
  return handle == nullptr ? kDnnBadParameter : Dnn::answer(stream, handle->stream);
}

CUDA_API int cudnnCreateTensorDescriptor(TensorDescriptor** out) { return Dnn::make(out); }
CUDA_API int cudnnDestroyTensorDescriptor(TensorDescriptor* d) { return Dnn::destroy(d); }
CUDA_API int cudnnSetTensorNdDescriptor(TensorDescriptor* d, int type, int dims, const int* size, const int* step) {
  if (d == nullptr || size == nullptr || step == nullptr || dims < 1 || dims > kMostDnnDims) return kDnnBadParameter;
  d->type = type;
  d->dims = dims;
  std::copy_n(size, dims, d->size);
  std::copy_n(step, dims, d->step);
  return kDnnSuccess;
}
CUDA_API int cudnnSetTensor4dDescriptorEx(TensorDescriptor* d, int type, int n, int c, int h, int w, int n_step,
                                          int c_step, int h_step, int w_step) {
  const int size[] = {n, c, h, w}, step[] = {n_step, c_step, h_step, w_step};
  return cudnnSetTensorNdDescriptor(d, type, 4, size, step);
}
CUDA_API int cudnnSetTensor4dDescriptor(TensorDescriptor* d, int format, int type, int n, int c, int h, int w) {
  return format == 1 ? cudnnSetTensor4dDescriptorEx(d, type, n, c, h, w, c * h * w, 1, w * c, c)
                     : cudnnSetTensor4dDescriptorEx(d, type, n, c, h, w, c * h * w, h * w, w, 1);
}
CUDA_API int cudnnGetTensorNdDescriptor(const TensorDescriptor* d, int asked, int* type, int* dims, int* size,
                                        int* step) {
  if (d == nullptr) return kDnnBadParameter;
  give(type, d->type);
  give(dims, d->dims);
  const int count = std::min(asked, d->dims);
  if (size != nullptr) std::copy_n(d->size, count, size);
  if (step != nullptr) std::copy_n(d->step, count, step);
  return kDnnSuccess;
}

CUDA_API int cudnnCreateFilterDescriptor(TensorDescriptor** out) { return Dnn::make(out); }
CUDA_API int cudnnDestroyFilterDescriptor(TensorDescriptor* d) { return Dnn::destroy(d); }
CUDA_API int cudnnSetFilterNdDescriptor(TensorDescriptor* d, int type, int format, int dims, const int* size) {
  if (d == nullptr || size == nullptr || dims < 1 || dims > kMostDnnDims) return kDnnBadParameter;
  if (format != 0 && format != 1) return kDnnNotSupported;
  d->type = type;
  d->dims = dims;
  d->format = format;
  std::copy_n(size, dims, d->size);
  set_filter_steps(d);
  return kDnnSuccess;
}
CUDA_API int cudnnSetFilter4dDescriptor(TensorDescriptor* d, int type, int format, int k, int c, int h, int w) {
  const int size[] = {k, c, h, w};
  return cudnnSetFilterNdDescriptor(d, type, format, 4, size);
}
CUDA_API int cudnnGetFilterNdDescriptor(const TensorDescriptor* d, int asked, int* type, int* format, int* dims,
                                        int* size) {
  if (d == nullptr) return kDnnBadParameter;
  give(type, d->type);
  give(format, d->format);
  give(dims, d->dims);
  if (size != nullptr) std::copy_n(d->size, std::min(asked, d->dims), size);
  return kDnnSuccess;
}
