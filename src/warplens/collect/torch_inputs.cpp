#include "warplens/collect/torch_inputs.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <span>
#include <string_view>

#include "warplens/collect/bounded_text.h"

namespace warplens::collect {
namespace {

// By c10::ScalarType.
constexpr std::array<std::string_view, 30> kTypes = {"unsigned char",
                                                     "signed char",
                                                     "short int",
                                                     "int",
                                                     "long int",
                                                     "c10::Half",
                                                     "float",
                                                     "double",
                                                     "c10::complex<c10::Half>",
                                                     "c10::complex<float>",
                                                     "c10::complex<double>",
                                                     "bool",
                                                     "c10::qint8",
                                                     "c10::quint8",
                                                     "c10::qint32",
                                                     "c10::BFloat16",
                                                     "c10::quint4x2",
                                                     "c10::quint2x4",
                                                     "c10::bits1x8",
                                                     "c10::bits2x4",
                                                     "c10::bits4x2",
                                                     "c10::bits8",
                                                     "c10::bits16",
                                                     "c10::Float8_e5m2",
                                                     "c10::Float8_e4m3fn",
                                                     "c10::Float8_e5m2fnuz",
                                                     "c10::Float8_e4m3fnuz",
                                                     "short unsigned int",
                                                     "unsigned int",
                                                     "long unsigned int"};

uint64_t mixed(uint64_t state, uint64_t word) {
  state = (state ^ word) * 0x9e3779b97f4a7c15u;
  return state ^ state >> 29;
}

/// As c10 prints a double.
void put_double(BoundedText& text, double value) {
  constexpr double kLargestWhole = 1e10;
  if ((std::isnormal(value) || value == 0) && std::fabs(value) < kLargestWhole && value == std::trunc(value)) {
    text.number(static_cast<int64_t>(value));
    text.put('.');
    return;
  }
  std::array<char, 40> digits{};
  const int count = std::snprintf(digits.data(), digits.size(), "%.17g", value);
  text.put(std::string_view(digits.data(), static_cast<size_t>(count)));
}

bool put_scalar(BoundedText& text, const TorchValues& torch, const TorchValue& value) {
  switch (torch.kind(value)) {
    case ValueKind::kInt: text.number(static_cast<int64_t>(value.payload)); return true;
    case ValueKind::kBool: text.put((value.payload & 1) != 0 ? "True" : "False"); return true;
    case ValueKind::kDouble: {
      double number = 0;
      std::memcpy(&number, &value.payload, sizeof number);
      put_double(text, number);
      return true;
    }
    default: return false;
  }
}

std::span<const int64_t> shape_of(const TorchValues& torch, const TorchValue& value) {
  if (torch.kind(value) != ValueKind::kTensor || value.payload == reinterpret_cast<uint64_t>(torch.undefined))
    return {};
  int64_t dims = 0, *sizes = nullptr;
  if (torch.dim(&value, &dims) != 0 || torch.sizes(&value, &sizes) != 0) return {};
  return {sizes, static_cast<size_t>(dims)};
}

void put_shapes(BoundedText& text, const TorchValues& torch, const TorchValue& list) {
  text.put('[');
  const bool is_list = torch.kind(list) == ValueKind::kList;
  const std::span<const TorchValue> tensors = is_list ? values_of(list) : std::span<const TorchValue>();
  for (size_t i = 0; i < tensors.size() && tensors.size() <= kLongestList; ++i) {
    if (torch.kind(tensors[i]) != ValueKind::kTensor) break;
    text.separate(i);
    put_shape(text, shape_of(torch, tensors[i]));
  }
  text.put(']');
}

bool holds_tensors(const TorchValues& torch, const TorchValue& list) {
  const std::span<const TorchValue> values = values_of(list);
  return !values.empty() && torch.kind(values.front()) == ValueKind::kTensor;
}

std::string_view type_of(const TorchValues& torch, const TorchValue& value) {
  switch (torch.kind(value)) {
    case ValueKind::kInt:
    case ValueKind::kDouble:
    case ValueKind::kBool: return "Scalar";
    case ValueKind::kList: return holds_tensors(torch, value) ? "TensorList" : "ScalarList";
    case ValueKind::kTensor: {
      int32_t type = 0;
      if (torch.dtype(&value, &type) != 0 || type < 0 || static_cast<size_t>(type) >= kTypes.size()) return "";
      return kTypes[static_cast<size_t>(type)];
    }
    default: return "";
  }
}

void put_value(BoundedText& text, const TorchValues& torch, const TorchValue& value) {
  if (torch.kind(value) != ValueKind::kList) {
    put_scalar(text, torch, value);
    return;
  }
  const std::span<const TorchValue> values = values_of(value);
  if (holds_tensors(torch, value)) return;
  text.put('[');
  for (size_t i = 0; i < values.size() && values.size() <= kLongestList; ++i) {
    text.separate(i);
    put_scalar(text, torch, values[i]);
  }
  text.put(']');
}

}  // namespace

/// The values of a c10::detail::ListImpl: a vector behind the counts of intrusive_ptr_target, which take 8 bytes or 16
/// behind its table of functions. Counts are no addresses, so that what is read from the wrong place is refused.
std::span<const TorchValue> values_of(const TorchValue& list) {
  constexpr uint64_t kLowestAddress = 1 << 16;
  for (const size_t place : {size_t{2}, size_t{3}}) {
    std::array<uint64_t, 2> ends{};
    std::memcpy(ends.data(), reinterpret_cast<const char*>(list.payload) + 8 * place, sizeof ends);
    const uint64_t bytes = ends[1] - ends[0];
    if (ends[0] == ends[1] && (ends[0] == 0 || ends[0] > kLowestAddress)) return {};
    if (ends[0] < kLowestAddress || ends[0] % 8 != 0 || ends[1] < ends[0] || bytes % sizeof(TorchValue) != 0) continue;
    return {reinterpret_cast<const TorchValue*>(ends[0]), static_cast<size_t>(bytes / sizeof(TorchValue))};
  }
  return {};
}

void TorchValues::learn(const TorchValue& value, std::string_view name) {
  if (kind(value) != ValueKind::kUnknown) return;
  ValueKind learnt = name.ends_with("List") ? ValueKind::kList : ValueKind::kOther;
  const bool is_number = name.find_first_of("0123456789") != std::string_view::npos;
  const bool is_whole = is_number && name.find_first_not_of("-0123456789") == std::string_view::npos;
  if (name == "Int" || is_whole) learnt = ValueKind::kInt;
  if (name == "Double" || (is_number && !is_whole)) learnt = ValueKind::kDouble;
  if (name == "Bool" || name == "True" || name == "False") learnt = ValueKind::kBool;
  kinds[value.tag].store(learnt, std::memory_order_relaxed);
}

uint64_t fingerprint(std::string_view text, uint64_t state) {
  state = mixed(state, text.size());
  uint64_t word = 0;
  for (; text.size() >= sizeof word; text.remove_prefix(sizeof word)) {
    std::memcpy(&word, text.data(), sizeof word);
    state = mixed(state, word);
  }
  word = 0;
  std::memcpy(&word, text.data(), text.size());
  return mixed(state, word) | 1;
}

uint64_t fingerprint(const TorchValues& torch, std::span<const TorchValue> inputs) {
  if (!torch.give_sizes()) return 0;
  uint64_t state = inputs.size() + 1;
  const auto mix = [&](uint64_t word) { state = mixed(state, word); };
  bool all_known = true;
  const auto add = [&](const TorchValue& value) {
    const ValueKind kind = torch.kind(value);
    all_known &= kind != ValueKind::kUnknown;
    mix(static_cast<uint64_t>(kind));
    if (kind != ValueKind::kTensor) return mix(value.payload);
    if (value.payload == reinterpret_cast<uint64_t>(torch.undefined)) return;
    int32_t type = -1;
    torch.dtype(&value, &type);
    const std::span<const int64_t> shape = shape_of(torch, value);
    mix(static_cast<uint64_t>(static_cast<uint32_t>(type)) << 32 | shape.size());
    for (const int64_t size : shape) mix(static_cast<uint64_t>(size));
  };
  for (const TorchValue& input : inputs) {
    switch (torch.kind(input)) {
      case ValueKind::kUnknown: return 0;
      case ValueKind::kOther: mix(0); break;  // None, strings and the like have no text
      case ValueKind::kList: {
        const std::span<const TorchValue> values = values_of(input);
        mix(~values.size());
        for (size_t i = 0; i < values.size() && values.size() <= kLongestList; ++i) add(values[i]);
        if (values.size() > kLongestList) add(values.front());
        break;
      }
      default: add(input);
    }
  }
  return all_known ? state | 1 : 0;
}

size_t put_sizes(const TorchValues& torch, std::span<const TorchValue> inputs, ListArgument list, char* begin,
                 char* end) {
  BoundedText text(begin, end);
  text.put('[');
  for (size_t i = 0; i < inputs.size(); ++i) {
    text.separate(i);
    const bool is_list = list.place >= 0 && i - static_cast<size_t>(list.place) < list.lists;
    if (is_list) put_shapes(text, torch, inputs[i]);
    else put_shape(text, shape_of(torch, inputs[i]));
  }
  text.put(']');
  return inputs.empty() ? 0 : text.bytes();
}

size_t put_inputs(const TorchValues& torch, std::span<const TorchValue> inputs, char* begin, char* end) {
  BoundedText text(begin, end);
  text.put(stream::kInputsSeparator);
  text.put('[');
  for (size_t i = 0; i < inputs.size(); ++i) {
    text.separate(i);
    text.put('"');
    text.put(type_of(torch, inputs[i]));
    text.put('"');
  }
  text.put(']');
  text.put(stream::kInputsSeparator);
  text.put('[');
  for (size_t i = 0; i < inputs.size(); ++i) {
    text.separate(i);
    text.put('"');
    put_value(text, torch, inputs[i]);
    text.put('"');
  }
  text.put(']');
  return text.bytes();
}

}  // namespace warplens::collect
