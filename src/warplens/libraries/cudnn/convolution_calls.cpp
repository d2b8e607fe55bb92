// cuDNN's convolutions and their gradients. One algorithm is offered for each: the host computes them all in one way.
#include <algorithm>

#include "warplens/libraries/cudnn/convolution_work.h"
#include "warplens/libraries/cudnn/handle.h"

using namespace warplens;
using namespace warplens::libraries;

namespace {

constexpr int kFmaMath = 3, kPrecomputed = 1;

struct ConvolutionDescriptor {
  int dims = 0;  // of space
  int padding[3]{}, stride[3]{}, dilation[3]{};
  int mode = 0, compute_type = 0, math = 0, groups = 1;
};

/// cudnnConvolutionFwdAlgoPerf_t, and those of the gradients.
struct Offer {
  int algorithm, status;
  float time;
  size_t memory_bytes;
  int determinism, math;
  int reserved[3];
};

int offer(const ConvolutionDescriptor* c, int asked, int* given, Offer* offers) {
  if (c == nullptr || given == nullptr || offers == nullptr || asked < 1) return kDnnBadParameter;
  constexpr size_t kLeastBytes = 256;
  *given = 1;
  offers[0] = {kPrecomputed, kDnnSuccess, 1, kLeastBytes, 1, c->math, {}};
  return kDnnSuccess;
}

struct Operands {
  const TensorDescriptor* x;
  const void* x_data;
  const TensorDescriptor* w;
  const void* w_data;
  const TensorDescriptor* y;
  const void* y_data;
};

Convolution convolution_of(const ConvolutionDescriptor& d, ConvolutionPass pass, const Operands& o) {
  Convolution c{.pass = pass, .x = o.x->tensor(o.x_data), .w = o.w->tensor(o.w_data), .y = o.y->tensor(o.y_data)};
  for (int i = 0; i < d.dims; ++i) {
    const auto to = static_cast<size_t>(3 - d.dims + i);
    c.padding[to] = d.padding[i];
    c.stride[to] = d.stride[i];
    c.dilation[to] = d.dilation[i];
  }
  c.groups = d.groups;
  c.flipped = d.mode == 0;
  c.tf32 = c.y.number == Number::kF32 && d.math != kFmaMath;
  return c;
}

struct Factors2 {
  const void *alpha, *beta;
};

int queue_convolution(const DnnHandle* h, const ConvolutionDescriptor* d, ConvolutionPass pass, const Operands& o,
                      const Factors2& factors, std::function<void()> after = {}) {
  if (h == nullptr) return kDnnNotInitialized;
  if (d == nullptr || o.x == nullptr || o.w == nullptr || o.y == nullptr) return kDnnBadParameter;
  if (!o.x->is_known() || !o.w->is_known() || !o.y->is_known()) return kDnnNotSupported;
  Convolution c = convolution_of(*d, pass, o);
  if (!is_consistent(c)) return kDnnBadParameter;
  c.alpha = factor_of(factors.alpha, c.y.number);
  c.beta = factor_of(factors.beta, c.y.number);
  const Tensor& result = c.result();
  std::vector<TouchedMemory> touches;
  for (const Tensor* t : {&c.x, &c.w, &c.y}) {
    if (t->data != result.data) touches.push_back(touched(*t, false));
  }
  if (c.beta != 0) touches.push_back(touched(result, false));
  touches.push_back(touched(result, true));
  return queue_dnn(h,
                   {.name = name_of(c),
                    .time = time_of(c),
                    .run =
                        [c, after] {
                          Status ran = run(c);
                          if (ran.ok() && after) after();
                          return ran;
                        }},
                   std::move(touches));
}

struct Activated {
  int mode = 0;
  double coefficient = 0;
};

/// y = relu(y + alpha z + bias)
template <typename T>
void finish(const Tensor& y, const Tensor& z, double alpha, const Tensor& bias, bool relu) {
  std::vector<T> values = values_of<T>(y);
  const std::vector<T> added = z.data != nullptr && alpha != 0 ? values_of<T>(z) : std::vector<T>();
  const std::vector<T> biases = values_of<T>(bias);
  const int64_t space = y.size[2] * y.size[3] * y.size[4];
  for (size_t i = 0; i < values.size(); ++i) {
    T value = values[i] + biases[static_cast<size_t>(static_cast<int64_t>(i) / space % y.size[1])];
    if (!added.empty()) value += static_cast<T>(alpha) * added[i];
    values[i] = relu ? std::max(value, T(0)) : value;
  }
  store_values(values, y);
}

}  // namespace

CUDA_API int cudnnCreateConvolutionDescriptor(ConvolutionDescriptor** out) { return Dnn::make(out); }
CUDA_API int cudnnDestroyConvolutionDescriptor(ConvolutionDescriptor* d) { return Dnn::destroy(d); }
CUDA_API int cudnnSetConvolutionNdDescriptor(ConvolutionDescriptor* d, int dims, const int* padding, const int* stride,
                                             const int* dilation, int mode, int compute_type) {
  if (d == nullptr || padding == nullptr || stride == nullptr || dilation == nullptr) return kDnnBadParameter;
  if (dims < 1 || dims > 3) return kDnnNotSupported;
  d->dims = dims;
  std::copy_n(padding, dims, d->padding);
  std::copy_n(stride, dims, d->stride);
  std::copy_n(dilation, dims, d->dilation);
  d->mode = mode;
  d->compute_type = compute_type;
  return kDnnSuccess;
}
CUDA_API int cudnnSetConvolution2dDescriptor(ConvolutionDescriptor* d, int pad_h, int pad_w, int u, int v, int dil_h,
                                             int dil_w, int mode, int compute_type) {
  const int padding[] = {pad_h, pad_w}, stride[] = {u, v}, dilation[] = {dil_h, dil_w};
  return cudnnSetConvolutionNdDescriptor(d, 2, padding, stride, dilation, mode, compute_type);
}
CUDA_API int cudnnSetConvolutionGroupCount(ConvolutionDescriptor* d, int groups) {
  if (d == nullptr || groups < 1) return kDnnBadParameter;
  d->groups = groups;
  return kDnnSuccess;
}
CUDA_API int cudnnSetConvolutionMathType(ConvolutionDescriptor* d, int math) {
  if (d == nullptr) return kDnnBadParameter;
  d->math = math;
  return kDnnSuccess;
}

CUDA_API int cudnnGetConvolutionForwardAlgorithm_v7(const DnnHandle*, const void*, const void*,
                                                    const ConvolutionDescriptor* d, const void*, int asked, int* given,
                                                    Offer* offers) {
  return offer(d, asked, given, offers);
}
CUDA_API int cudnnGetConvolutionBackwardDataAlgorithm_v7(const DnnHandle*, const void*, const void*,
                                                         const ConvolutionDescriptor* d, const void*, int asked,
                                                         int* given, Offer* offers) {
  return offer(d, asked, given, offers);
}
CUDA_API int cudnnGetConvolutionBackwardFilterAlgorithm_v7(const DnnHandle*, const void*, const void*,
                                                           const ConvolutionDescriptor* d, const void*, int asked,
                                                           int* given, Offer* offers) {
  return offer(d, asked, given, offers);
}
CUDA_API int cudnnFindConvolutionForwardAlgorithmEx(const DnnHandle*, const void*, const void*, const void*,
                                                    const void*, const ConvolutionDescriptor* d, const void*, void*,
                                                    int asked, int* given, Offer* offers, void*, size_t) {
  return offer(d, asked, given, offers);
}
CUDA_API int cudnnFindConvolutionBackwardDataAlgorithmEx(const DnnHandle*, const void*, const void*, const void*,
                                                         const void*, const ConvolutionDescriptor* d, const void*,
                                                         void*, int asked, int* given, Offer* offers, void*, size_t) {
  return offer(d, asked, given, offers);
}
CUDA_API int cudnnFindConvolutionBackwardFilterAlgorithmEx(const DnnHandle*, const void*, const void*, const void*,
                                                           const void*, const ConvolutionDescriptor* d, const void*,
                                                           void*, int asked, int* given, Offer* offers, void*, size_t) {
  return offer(d, asked, given, offers);
}
CUDA_API int cudnnGetConvolutionForwardWorkspaceSize(const DnnHandle* h, const void*, const void*, const void*,
                                                     const void*, int, size_t* bytes) {
  return Dnn::answer_workspace(h, bytes);
}
CUDA_API int cudnnGetConvolutionBackwardDataWorkspaceSize(const DnnHandle* h, const void*, const void*, const void*,
                                                          const void*, int, size_t* bytes) {
  return Dnn::answer_workspace(h, bytes);
}
CUDA_API int cudnnGetConvolutionBackwardFilterWorkspaceSize(const DnnHandle* h, const void*, const void*, const void*,
                                                            const void*, int, size_t* bytes) {
  return Dnn::answer_workspace(h, bytes);
}

CUDA_API int cudnnConvolutionForward(const DnnHandle* h, const void* alpha, const TensorDescriptor* x,
                                     const void* x_data, const TensorDescriptor* w, const void* w_data,
                                     const ConvolutionDescriptor* d, int, void*, size_t, const void* beta,
                                     const TensorDescriptor* y, void* y_data) {
  return queue_convolution(h, d, ConvolutionPass::kForward, {x, x_data, w, w_data, y, y_data}, {alpha, beta});
}
CUDA_API int cudnnConvolutionBackwardData(const DnnHandle* h, const void* alpha, const TensorDescriptor* w,
                                          const void* w_data, const TensorDescriptor* dy, const void* dy_data,
                                          const ConvolutionDescriptor* d, int, void*, size_t, const void* beta,
                                          const TensorDescriptor* dx, void* dx_data) {
  return queue_convolution(h, d, ConvolutionPass::kBackwardData, {dx, dx_data, w, w_data, dy, dy_data}, {alpha, beta});
}
CUDA_API int cudnnConvolutionBackwardFilter(const DnnHandle* h, const void* alpha, const TensorDescriptor* x,
                                            const void* x_data, const TensorDescriptor* dy, const void* dy_data,
                                            const ConvolutionDescriptor* d, int, void*, size_t, const void* beta,
                                            const TensorDescriptor* dw, void* dw_data) {
  return queue_convolution(h, d, ConvolutionPass::kBackwardFilter, {x, x_data, dw, dw_data, dy, dy_data},
                           {alpha, beta});
}

CUDA_API int cudnnCreateActivationDescriptor(Activated** out) { return Dnn::make(out); }
CUDA_API int cudnnDestroyActivationDescriptor(Activated* a) { return Dnn::destroy(a); }
CUDA_API int cudnnSetActivationDescriptor(Activated* a, int mode, int, double coefficient) {
  if (a == nullptr) return kDnnBadParameter;
  *a = {mode, coefficient};
  return kDnnSuccess;
}
CUDA_API int cudnnConvolutionBiasActivationForward(const DnnHandle* h, const void* alpha, const TensorDescriptor* x,
                                                   const void* x_data, const TensorDescriptor* w, const void* w_data,
                                                   const ConvolutionDescriptor* d, int, void*, size_t,
                                                   const void* z_alpha, const TensorDescriptor* z, const void* z_data,
                                                   const TensorDescriptor* bias, const void* bias_data,
                                                   const Activated* activation, const TensorDescriptor* y,
                                                   void* y_data) {
  constexpr int kRelu = 1, kIdentity = 5;
  if (activation == nullptr || bias == nullptr || z == nullptr || y == nullptr) return kDnnBadParameter;
  if (activation->mode != kRelu && activation->mode != kIdentity) return kDnnNotSupported;
  const double factor = factor_of(z_alpha, y->number());
  const Tensor to = y->tensor(y_data), added = z->tensor(z_data), biases = bias->tensor(bias_data);
  const bool relu = activation->mode == kRelu;
  return queue_convolution(h, d, ConvolutionPass::kForward, {x, x_data, w, w_data, y, y_data}, {alpha, nullptr}, [=] {
    with_sums(to.number, [&]<typename T>(T) {
      finish<T>(to, added, factor, biases, relu);
      return 0;
    });
  });
}
