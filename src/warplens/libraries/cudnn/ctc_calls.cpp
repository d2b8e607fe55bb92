// cuDNN's CTC loss.
#include <cmath>

#include "warplens/libraries/cudnn/handle.h"
#include "warplens/libraries/math/ctc.h"

using namespace warplens;
using namespace warplens::libraries;

namespace {

struct CtcDescriptor {
  int type = 0, normalised = 0;  // cudnnLossNormalizationMode_t: 1: a softmax goes before
};

struct CtcCall {
  Tensor inputs, gradients;  // steps, sequences, classes
  const int *labels, *label_lengths, *lengths;
  float* costs;
};

/// Logarithms of a softmax of one line.
void normalise(double* line, int64_t classes) {
  double most = line[0], sum = 0;
  for (int64_t i = 1; i < classes; ++i) most = std::max(most, line[i]);
  for (int64_t i = 0; i < classes; ++i) sum += std::exp(line[i] - most);
  for (int64_t i = 0; i < classes; ++i) line[i] -= most + std::log(sum);
}

Status run(const CtcCall& c) {
  const int64_t steps = c.inputs.size[0], batch = c.inputs.size[1], classes = c.inputs.size[4];
  const std::vector<double> inputs = values_of<double>(c.inputs);
  std::vector<double> gradients(inputs.size());
  const int* label = c.labels;
  for (int64_t n = 0; n < batch; ++n) {
    CtcSequence s{.steps = c.lengths[n], .classes = classes};
    if (s.steps < 0 || s.steps > steps)
      return invalid_input(fmt::format("a sequence of {} of {} steps", s.steps, steps));
    s.labels.assign(label, label + c.label_lengths[n]);
    label += c.label_lengths[n];
    for (const int l : s.labels)
      if (l < 0 || l >= classes) return invalid_input(fmt::format("the label {} of {} classes", l, classes));
    s.log_probabilities.resize(static_cast<size_t>(s.steps * classes));
    for (int64_t t = 0; t < s.steps; ++t) {
      double* const line = s.log_probabilities.data() + t * classes;
      std::copy_n(inputs.data() + (t * batch + n) * classes, classes, line);
      normalise(line, classes);
    }
    std::vector<double> gradient;
    c.costs[n] = static_cast<float>(ctc_loss(s, &gradient));
    for (int64_t t = 0; t < s.steps; ++t)
      std::copy_n(gradient.data() + t * classes, classes, gradients.data() + (t * batch + n) * classes);
  }
  if (c.gradients.data != nullptr) store_values(gradients, c.gradients);
  return {};
}

int queue_ctc(const DnnHandle* h, const CtcDescriptor* d, const TensorDescriptor* inputs, const void* data,
              const int* labels, const int* label_lengths, const int* lengths, void* costs,
              const TensorDescriptor* gradients, void* gradient_data) {
  if (d == nullptr || inputs == nullptr || inputs->dims != 3 || inputs->number() != Number::kF32)
    return kDnnBadParameter;
  if (d->normalised != 1) {
    tell_refused("cudnnCTCLoss", "without a softmax, the program gets CUDNN_STATUS_NOT_SUPPORTED");
    return kDnnNotSupported;
  }
  CtcCall call{inputs->tensor(data), {}, labels, label_lengths, lengths, static_cast<float*>(costs)};
  if (gradients != nullptr) call.gradients = gradients->tensor(gradient_data);
  const double bytes = 4.0 * static_cast<double>(call.inputs.count()) * sizeof(float);
  return queue_dnn(h,
                   {.name = fmt::format("ctc loss f32 {}x{}x{}", inputs->size[0], inputs->size[1], inputs->size[2]),
                    .time = streaming_time(bytes, 0, *device()),
                    .run = [call] { return run(call); }},
                   {touched(call.inputs, false), touched_bytes(costs, inputs->size[1] * int64_t{sizeof(float)}, true),
                    touched(call.gradients, true)});
}

}  // namespace

CUDA_API int cudnnCreateCTCLossDescriptor(CtcDescriptor** out) { return Dnn::make(out); }
CUDA_API int cudnnDestroyCTCLossDescriptor(CtcDescriptor* d) { return Dnn::destroy(d); }
CUDA_API int cudnnSetCTCLossDescriptorEx(CtcDescriptor* d, int type, int normalised, int) {
  if (d == nullptr) return kDnnBadParameter;
  *d = {type, normalised};
  return kDnnSuccess;
}
CUDA_API int cudnnSetCTCLossDescriptor_v9(CtcDescriptor* d, int type, int normalised, int, int) {
  return cudnnSetCTCLossDescriptorEx(d, type, normalised, 0);
}
CUDA_API int cudnnGetCTCLossWorkspaceSize(const DnnHandle* h, const void*, const void*, const int*, const int*,
                                          const int*, int, const CtcDescriptor*, size_t* bytes) {
  return Dnn::answer_workspace(h, bytes);
}
CUDA_API int cudnnGetCTCLossWorkspaceSize_v8(const DnnHandle* h, int, const CtcDescriptor*, const void*, const void*,
                                             size_t* bytes) {
  return Dnn::answer_workspace(h, bytes);
}
CUDA_API int cudnnCTCLoss(const DnnHandle* h, const TensorDescriptor* inputs, const void* data, const int* labels,
                          const int* label_lengths, const int* lengths, void* costs, const TensorDescriptor* gradients,
                          void* gradient_data, int, const CtcDescriptor* d, void*, size_t) {
  return queue_ctc(h, d, inputs, data, labels, label_lengths, lengths, costs, gradients, gradient_data);
}
CUDA_API int cudnnCTCLoss_v8(const DnnHandle* h, int, const CtcDescriptor* d, const TensorDescriptor* inputs,
                             const void* data, const int* labels, const int* label_lengths, const int* lengths,
                             void* costs, const TensorDescriptor* gradients, void* gradient_data, size_t, void*) {
  return queue_ctc(h, d, inputs, data, labels, label_lengths, lengths, costs, gradients, gradient_data);
}
