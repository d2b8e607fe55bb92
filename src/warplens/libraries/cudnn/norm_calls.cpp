// cuDNN's batch normalisation.
#include "warplens/libraries/cudnn/handle.h"
#include "warplens/libraries/math/batch_norm.h"
#include "warplens/libraries/time/batch_norm_time.h"

using namespace warplens;
using namespace warplens::libraries;

namespace {

int refuse_operations() {
  tell_refused("cudnnBatchNormalization with an activation", "the program gets CUDNN_STATUS_NOT_SUPPORTED");
  return kDnnNotSupported;
}

bool are_known(std::initializer_list<const TensorDescriptor*> all) {
  for (const TensorDescriptor* d : all)
    if (d == nullptr || !d->is_known()) return false;
  return true;
}

template <typename Work>
Task task_of(const char* what, const Tensor& x, const LibraryTime& time, Work work) {
  return {.name = fmt::format("{} {} {}x{}x{}", what, name(x.number), x.size[0], x.size[1],
                              x.size[2] * x.size[3] * x.size[4]),
          .time = time,
          .run = [work] {
            work();
            return Status();
          }};
}

LibraryTime training_time(const Tensor& x, bool gradient) {
  return batch_norm_time({.images = x.size[0],
                          .channels = x.size[1],
                          .space = x.size[2] * x.size[3] * x.size[4],
                          .element_bytes = size_bytes(x.number),
                          .gradient = gradient,
                          .channels_last = x.size[1] > 1 && x.step[1] == 1},
                         *device());
}

std::vector<TouchedMemory> parameters_touched(const Tensor& parameters, std::initializer_list<const void*> read,
                                              std::initializer_list<const void*> written) {
  std::vector<TouchedMemory> out;
  const int64_t bytes = parameters.span() * size_bytes(parameters.number);
  for (const void* data : read) out.push_back(touched_bytes(data, bytes, false));
  for (const void* data : written) out.push_back(touched_bytes(data, bytes, true));
  return out;
}

}  // namespace

CUDA_API int cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(const DnnHandle* h, int, int, const void*,
                                                                      const void*, const void*, const void*,
                                                                      const void*, size_t* bytes) {
  return Dnn::answer_workspace(h, bytes);
}
CUDA_API int cudnnGetBatchNormalizationBackwardExWorkspaceSize(const DnnHandle* h, int, int, const void*, const void*,
                                                               const void*, const void*, const void*, const void*,
                                                               const void*, size_t* bytes) {
  return Dnn::answer_workspace(h, bytes);
}
CUDA_API int cudnnGetBatchNormalizationTrainingExReserveSpaceSize(const DnnHandle* h, int, int, const void*,
                                                                  const void*, size_t* bytes) {
  return Dnn::answer_workspace(h, bytes);
}

CUDA_API int cudnnBatchNormalizationForwardTrainingEx(const DnnHandle* h, int, int operations, const void* alpha,
                                                      const void* beta, const TensorDescriptor* x, const void* x_data,
                                                      const TensorDescriptor*, const void*, const TensorDescriptor* y,
                                                      void* y_data, const TensorDescriptor* parameters,
                                                      const void* scale, const void* shift, double momentum,
                                                      void* running_mean, void* running_variance, double epsilon,
                                                      void* saved_mean, void* saved_inverse, const void*, void*, size_t,
                                                      void*, size_t) {
  if (operations != 0) return refuse_operations();
  if (!are_known({x, y, parameters})) return kDnnBadParameter;
  const BatchNorm n{.x = x->tensor(x_data),
                    .y = y->tensor(y_data),
                    .parameters = parameters->tensor(nullptr),
                    .scale = scale,
                    .shift = shift,
                    .running_mean = running_mean,
                    .running_variance = running_variance,
                    .saved_mean = saved_mean,
                    .saved_inverse = saved_inverse,
                    .momentum = momentum,
                    .epsilon = epsilon,
                    .alpha = factor_of(alpha, x->number()),
                    .beta = factor_of(beta, x->number())};
  std::vector<TouchedMemory> touches = parameters_touched(n.parameters, {scale, shift, running_mean, running_variance},
                                                          {running_mean, running_variance, saved_mean, saved_inverse});
  touches.push_back(touched(n.x, false));
  touches.push_back(touched(n.y, true));
  return queue_dnn(h, task_of("batch_norm", n.x, training_time(n.x, false), [n] { run_training(n); }),
                   std::move(touches));
}

CUDA_API int cudnnBatchNormalizationForwardInference(const DnnHandle* h, int, const void* alpha, const void* beta,
                                                     const TensorDescriptor* x, const void* x_data,
                                                     const TensorDescriptor* y, void* y_data,
                                                     const TensorDescriptor* parameters, const void* scale,
                                                     const void* shift, const void* mean, const void* variance,
                                                     double epsilon) {
  if (!are_known({x, y, parameters})) return kDnnBadParameter;
  const BatchNorm n{.x = x->tensor(x_data),
                    .y = y->tensor(y_data),
                    .parameters = parameters->tensor(nullptr),
                    .scale = scale,
                    .shift = shift,
                    .running_mean = const_cast<void*>(mean),
                    .running_variance = const_cast<void*>(variance),
                    .epsilon = epsilon,
                    .alpha = factor_of(alpha, x->number()),
                    .beta = factor_of(beta, x->number())};
  std::vector<TouchedMemory> touches = parameters_touched(n.parameters, {scale, shift, mean, variance}, {});
  touches.push_back(touched(n.x, false));
  touches.push_back(touched(n.y, true));
  const double bytes = 2.0 * static_cast<double>(n.x.count()) * size_bytes(n.x.number);
  const LibraryTime time = streaming_time(bytes, 0, *device());
  return queue_dnn(h, task_of("batch_norm inference", n.x, time, [n] { run_inference(n); }), std::move(touches));
}

CUDA_API int cudnnBatchNormalizationBackwardEx(
    const DnnHandle* h, int, int operations, const void* data_alpha, const void* data_beta, const void* parameter_alpha,
    const void* parameter_beta, const TensorDescriptor* x, const void* x_data, const TensorDescriptor*, const void*,
    const TensorDescriptor* dy, const void* dy_data, const TensorDescriptor*, void*, const TensorDescriptor* dx,
    void* dx_data, const TensorDescriptor* parameters, const void* scale, const void*, void* d_scale, void* d_shift,
    double epsilon, const void* saved_mean, const void* saved_inverse, const void*, void*, size_t, void*, size_t) {
  if (operations != 0) return refuse_operations();
  if (!are_known({x, dy, dx, parameters})) return kDnnBadParameter;
  const BatchNormGradient g{.x = x->tensor(x_data),
                            .dy = dy->tensor(dy_data),
                            .dx = dx->tensor(dx_data),
                            .parameters = parameters->tensor(nullptr),
                            .scale = scale,
                            .d_scale = d_scale,
                            .d_shift = d_shift,
                            .saved_mean = saved_mean,
                            .saved_inverse = saved_inverse,
                            .epsilon = epsilon,
                            .data_alpha = factor_of(data_alpha, x->number()),
                            .data_beta = factor_of(data_beta, x->number()),
                            .parameter_alpha = factor_of(parameter_alpha, x->number()),
                            .parameter_beta = factor_of(parameter_beta, x->number())};
  std::vector<TouchedMemory> touches =
      parameters_touched(g.parameters, {scale, saved_mean, saved_inverse}, {d_scale, d_shift});
  touches.push_back(touched(g.x, false));
  touches.push_back(touched(g.dy, false));
  touches.push_back(touched(g.dx, true));
  return queue_dnn(h, task_of("batch_norm backward", g.x, training_time(g.x, true), [g] { run_gradient(g); }),
                   std::move(touches));
}
