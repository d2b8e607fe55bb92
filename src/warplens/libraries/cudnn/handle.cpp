#include "warplens/libraries/cudnn/handle.h"

namespace warplens::libraries {

Number number_of_dnn(int type) {
  constexpr int kUnknown = -1;
  constexpr int kNumbers[] = {0, 1, 2, 3, 10, kUnknown, 8, kUnknown, kUnknown, 14};  // by cudnnDataType_t
  const bool known = type >= 0 && type < static_cast<int>(std::size(kNumbers));
  return static_cast<Number>(known ? kNumbers[type] : kUnknown);
}

Number TensorDescriptor::number() const { return number_of_dnn(type); }

Tensor TensorDescriptor::tensor(const void* data) const {
  Tensor out{.data = const_cast<void*>(data), .number = number()};
  for (int i = 0; i < dims; ++i) {
    const auto to = static_cast<size_t>(i < 2 ? i : kTensorDims - dims + i);
    out.size[to] = size[i];
    out.step[to] = step[i];
  }
  return out;
}

int64_t TensorDescriptor::count() const {
  int64_t out = 1;
  for (int i = 0; i < dims; ++i) out *= size[i];
  return out;
}

TouchedMemory touched_bytes(const void* data, int64_t bytes, bool written) {
  const auto size = static_cast<uint64_t>(data == nullptr ? 0 : bytes);
  return {data, size, size, 1, written};
}

TouchedMemory touched(const Tensor& tensor, bool written) {
  return touched_bytes(tensor.data, tensor.span() * size_bytes(tensor.number), written);
}

int queue_dnn(const DnnHandle* handle, Task task, std::vector<TouchedMemory> touches) {
  if (handle == nullptr) return kDnnNotInitialized;
  std::erase_if(touches, [](const TouchedMemory& t) { return t.first == nullptr || t.width_bytes == 0; });
  task.touches = [touches = std::move(touches)] { return touches; };
  return queue(handle->stream, std::move(task)) == 0 ? kDnnSuccess : kDnnExecutionFailed;
}

}  // namespace warplens::libraries
