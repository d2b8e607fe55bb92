// Types and values of an operator's inputs as torch's own traces write them: ["float", "Scalar"] and ["", "2"].
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "warplens/collect/torch_shapes.h"
#include "warplens/trace/stream/events.h"

namespace warplens::collect {

/// c10::IValue: 16 bytes, a payload and its tag.
struct TorchValue {
  uint64_t payload;
  uint32_t tag;
  uint32_t unused;
};
static_assert(sizeof(TorchValue) == 16);

/// The meaning of a tag of c10::IValue. Tags have changed between versions of PyTorch, so they are queried.
enum class ValueKind : uint8_t { kUnknown, kOther, kTensor, kInt, kDouble, kBool, kList };

struct TorchValues {
  static constexpr size_t kTags = 64;
  std::atomic<ValueKind> kinds[kTags] = {ValueKind::kOther, ValueKind::kTensor};  // None's and Tensor's tags, always
  /// aoti_torch_get_dtype, which has a stable ABI: c10::ScalarType of an at::Tensor.
  int32_t (*dtype)(const void* tensor, int32_t* out) = nullptr;
  /// aoti_torch_get_dim and aoti_torch_get_sizes, likewise, and the value of an undefined tensor; null if this torch
  /// lacks them.
  int32_t (*dim)(const void* tensor, int64_t* out) = nullptr;
  int32_t (*sizes)(const void* tensor, int64_t** out) = nullptr;
  const void* undefined = nullptr;
  bool give_sizes() const { return dim != nullptr && sizes != nullptr && undefined != nullptr; }

  ValueKind kind(const TorchValue& value) const {
    return value.tag < kTags ? kinds[value.tag].load(std::memory_order_relaxed) : ValueKind::kOther;
  }
  /// `name`: as torch::profiler::impl::inputTypes calls a value, or the value itself as ivalueToStr prints it.
  void learn(const TorchValue& value, std::string_view name);
};

std::span<const TorchValue> values_of(const TorchValue& list);

/// As put_sizes() of torch_shapes.h, read from the inputs themselves; give_sizes() says whether that can be.
size_t put_sizes(const TorchValues& torch, std::span<const TorchValue> inputs, ListArgument list, char* begin,
                 char* end);

/// A number that identifies shapes, types and values of inputs: equal for equal inputs only. 0 if it is unknown: sizes
/// are not known, or a value has a kind without a text.
uint64_t fingerprint(const TorchValues& torch, std::span<const TorchValue> inputs);

/// A number that identifies a text and what `state` identifies; never 0.
uint64_t fingerprint(std::string_view text, uint64_t state);

/// Writes `types` and `values`, each after stream::kInputsSeparator, to [begin, end). Returns the bytes written, 0 if
/// they do not fit.
size_t put_inputs(const TorchValues& torch, std::span<const TorchValue> inputs, char* begin, char* end);

}  // namespace warplens::collect
