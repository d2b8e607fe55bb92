#include "warplens/libraries/cudnn/graph_run.h"

#include <algorithm>
#include <cmath>
#include <list>

#include "warplens/base/text.h"
#include "warplens/libraries/cudnn/graph_pointwise.h"
#include "warplens/libraries/cudnn/graph_slices.h"
#include "warplens/libraries/cudnn/handle.h"

namespace warplens::libraries {
namespace {

int64_t whole_at(const GraphTensor& tensor, const void* data, int64_t i) {
  constexpr int kInt64 = 10;
  return tensor.type == kInt64 ? static_cast<const int64_t*>(data)[i] : static_cast<const int32_t*>(data)[i];
}

class SliceRun {
 public:
  SliceRun(const Graph& graph, const GraphData& data, const Slice& slice) : graph_(graph), data_(data), slice_(slice) {
    for (const GraphOperation& operation : graph.operations)
      for (const TensorRef& input : operation.inputs)
        if (input != nullptr) ++uses_[input->id];
  }

  Status run() {
    for (const GraphOperation& operation : graph_.operations) {
      WL_TRY(run(operation));
      for (const TensorRef& input : operation.inputs)
        if (input != nullptr && --uses_[input->id] == 0) values_.erase(input->id);
    }
    return {};
  }

 private:
  void* pointer(const GraphTensor& tensor) const {
    const auto found = data_.pointers.find(tensor.id);
    return found == data_.pointers.end() ? nullptr : found->second;
  }

  /// The slice of a tensor in memory, or of one image of it where images lie at offsets.
  struct Place {
    Strided memory;
    int64_t image = 0;
  };
  std::vector<Place> places(const GraphTensor& tensor) const {
    Strided all{.data = pointer(tensor),
                .number = number_of_dnn(tensor.type),
                .size = slice_.of(tensor.size),
                .step = tensor.step};
    const auto moved = [&](Strided* memory, int64_t elements) {
      memory->data = static_cast<char*>(memory->data) + elements * size_bytes(memory->number);
    };
    if (tensor.size.size() > 1) moved(&all, slice_.first(tensor.size, 1) * tensor.step[1]);
    if (tensor.offsets == nullptr) {
      if (!tensor.size.empty()) moved(&all, slice_.first(tensor.size, 0) * tensor.step[0]);
      return {{all, 0}};
    }
    std::vector<Place> out;
    const void* const offsets = pointer(*tensor.offsets);
    size_t rows = 1;  // the dimension of which images have different sizes
    for (size_t dim = 1; dim < tensor.step.size(); ++dim)
      if (tensor.step[dim] >= tensor.step[rows]) rows = dim;
    for (int64_t image = 0; image < all.size[0]; ++image) {
      const int64_t at = slice_.first(tensor.size, 0) + image;
      const int64_t first = whole_at(*tensor.offsets, offsets, at) * tensor.offset_factor;
      const int64_t end = whole_at(*tensor.offsets, offsets, at + 1) * tensor.offset_factor;
      Place& place = out.emplace_back(Place{all, image});
      moved(&place.memory, first);
      place.memory.size[0] = 1;
      place.memory.size[rows] =
          std::clamp<int64_t>((end - first) / std::max<int64_t>(tensor.step[rows], 1), 0, all.size[rows]);
    }
    return out;
  }

  Result<const Array*> value(const TensorRef& tensor) {
    const auto found = values_.find(tensor->id);
    if (!tensor->is_scalar() && found != values_.end()) return &found->second;
    Array& out = scratch_.emplace_back();
    if (tensor->is_scalar()) {
      const auto scalar = data_.scalars.find(tensor->id);
      if (!tensor->constant && scalar == data_.scalars.end()) return invalid_input("a scalar without a value");
      out = Array(Sizes(tensor->size.size(), 1),
                  static_cast<float>(tensor->constant ? *tensor->constant : scalar->second));
      return &out;
    }
    if (pointer(*tensor) == nullptr) return invalid_input(fmt::format("tensor {} has no memory", tensor->id));
    out = Array(slice_.of(tensor->size));
    for (const Place& place : places(*tensor)) {
      const Array part = load_array(place.memory);
      const int64_t image = count_of(out.size) / std::max<int64_t>(out.size.empty() ? 1 : out.size[0], 1);
      store_array(part, {.data = out.values.data() + place.image * image,
                         .number = Number::kF32,
                         .size = {},
                         .step = packed_steps(out.size)});
    }
    return &out;
  }

  Status put(const TensorRef& tensor, Array array) {
    if (tensor == nullptr) return {};
    if (slice_.of(tensor->size) != array.size)
      return invalid_input(fmt::format("tensor {} has other sizes than its values", tensor->id));
    const Number number = number_of_dnn(tensor->type);
    if (size_bytes(number) != 0) round_to(number, &array);
    if (!tensor->is_virtual) {
      if (pointer(*tensor) == nullptr) return invalid_input(fmt::format("tensor {} has no memory", tensor->id));
      const Sizes packed = packed_steps(array.size);
      const int64_t image = packed.empty() ? 1 : packed[0];
      for (const Place& place : places(*tensor)) {
        const Strided part{.data = array.values.data() + place.image * image,
                           .number = Number::kF32,
                           .size = place.memory.size,
                           .step = packed};
        store_array(load_array(part), place.memory);
      }
    }
    if (uses_.contains(tensor->id)) values_[tensor->id] = std::move(array);
    return {};
  }

  Status run(const GraphOperation& operation) {
    scratch_.clear();
    if (operation.kind == OperationKind::kConvolution) return run_convolution(operation);
    std::vector<const Array*> inputs(operation.inputs.size(), nullptr);
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (operation.inputs[i] == nullptr || operation.kind == OperationKind::kRandom) continue;
      WL_ASSIGN(inputs[i], value(operation.inputs[i]));
    }
    const TensorRef& output = operation.outputs[0];
    const Sizes size = output == nullptr ? Sizes() : slice_.of(output->size);
    switch (operation.kind) {
      case OperationKind::kPointwise: return put(output, run_pointwise(operation, inputs, size));
      case OperationKind::kMatmul: {
        WL_ASSIGN(Array product, run_product(inputs, size));
        return put(output, std::move(product));
      }
      case OperationKind::kReduction:
        return put(output, reduce(*inputs[0], size, static_cast<Reducing>(operation.mode)));
      case OperationKind::kPermute: return put(output, permute(*inputs[0], operation.axes));
      case OperationKind::kReshape: {
        const std::vector<size_t> view = axes_of_view(*operation.inputs[0], *output);
        if (!view.empty()) return put(output, permute(*inputs[0], view));
        Array out = *inputs[0];
        out.size = size;
        return put(output, std::move(out));
      }
      case OperationKind::kRandom: return put(output, run_random(operation, size));
      case OperationKind::kBandMask: return put(output, run_band(operation, inputs));
      default: return run_softmax(operation, inputs);
    }
  }

  Array run_pointwise(const GraphOperation& operation, std::vector<const Array*> inputs, const Sizes& size) const {
    if (operation.mode == kIndexMode) {
      const auto axis = static_cast<size_t>(operation.axis);
      return index_along(size, axis, axis < 2 ? slice_.first(operation.outputs[0]->size, axis) : 0);
    }
    inputs.resize(inputs_of_pointwise(operation.mode));
    return pointwise(size, inputs, pointwise_function(operation));
  }

  /// Rows, columns and terms beyond an image's lengths are left out.
  Result<Array> run_product(const std::vector<const Array*>& inputs, const Sizes& size) const {
    const Array *a = inputs[operand::kA], *b = inputs[operand::kB];
    Array shorter;
    if (inputs[operand::kDepth] != nullptr) {
      shorter = *a;
      clear_beyond(&shorter, shorter.size.size() - 1, *inputs[operand::kDepth]);
      a = &shorter;
    }
    WL_ASSIGN(Array out, multiply(*a, *b, size, data_.tf32));
    if (inputs[operand::kRows] != nullptr) clear_beyond(&out, size.size() - 2, *inputs[operand::kRows]);
    if (inputs[operand::kColumns] != nullptr) clear_beyond(&out, size.size() - 1, *inputs[operand::kColumns]);
    return out;
  }
  static float of_image(const Array& lengths, int64_t image) {
    return lengths.values[std::min(static_cast<size_t>(image), lengths.values.size() - 1)];
  }
  static void clear_beyond(Array* array, size_t axis, const Array& lengths) {
    const bool last = axis + 1 == array->size.size();
    each_row(array->size, [&](const Sizes& index, int64_t offset) {
      const auto length = static_cast<int64_t>(of_image(lengths, index[0]));
      float* const row = array->values.data() + offset;
      const int64_t from = last                   ? std::clamp<int64_t>(length, 0, array->size.back())
                           : index[axis] < length ? array->size.back()
                                                  : 0;
      std::fill(row + from, row + array->size.back(), 0.0F);
    });
  }

  Status run_softmax(const GraphOperation& operation, const std::vector<const Array*>& inputs) {
    Softmax out = softmax(*inputs[0], inputs[operand::kSink]);
    Array stats = pointwise(out.sums.size, {&out.largest, &out.sums}, [](const float* const* in, int64_t n, float* to) {
      for (int64_t i = 0; i < n; ++i) to[i] = in[0][i] + std::log(in[1][i]);
    });
    WL_TRY(put(operation.outputs[operand::kWeights], std::move(out.weights)));
    WL_TRY(put(operation.outputs[operand::kStats], std::move(stats)));
    WL_TRY(put(operation.outputs[operand::kLargest], std::move(out.largest)));
    return put(operation.outputs[operand::kSums], std::move(out.sums));
  }

  /// Elements where row and column do not meet the comparison become the other value.
  Array run_band(const GraphOperation& operation, const std::vector<const Array*>& inputs) const {
    constexpr int kGreater = 302;
    const Array& x = *inputs[0];
    Array out = x;
    const auto given = [&](size_t place, int64_t image) {
      return inputs[place] == nullptr ? 0 : static_cast<int64_t>(of_image(*inputs[place], image));
    };
    const float other = inputs[operand::kOther]->values[0];
    const bool left = inputs[operand::kLeft] != nullptr, or_equal = operation.mode != kGreater;
    each_row(x.size, [&](const Sizes& index, int64_t offset) {
      const int64_t longer = given(operand::kKeysLength, index[0]) - given(operand::kQueriesLength, index[0]);
      const int64_t row = index[index.size() - 2];
      const int64_t bound =
          left ? row + longer - given(operand::kLeft, index[0]) : row + longer + given(operand::kRight, index[0]);
      for (int64_t column = 0; column < x.size.back(); ++column) {
        const int64_t ahead = left ? column - bound : bound - column;
        if (!(ahead > 0 || (or_equal && ahead == 0))) out.values[static_cast<size_t>(offset + column)] = other;
      }
    });
    return out;
  }

  /// Numbers that follow from the seed and an element's place, so that the backward pass gets those of the forward
  /// pass.
  Array run_random(const GraphOperation& operation, const Sizes& size) const {
    const auto number = [&](const TensorRef& tensor) -> uint64_t {
      if (tensor == nullptr) return 0;
      if (tensor->constant) return static_cast<uint64_t>(static_cast<int64_t>(*tensor->constant));
      const void* const data = pointer(*tensor);
      return data == nullptr ? 0 : static_cast<uint64_t>(whole_at(*tensor, data, 0));
    };
    const auto mixed = [](uint64_t x) {  // SplitMix64
      x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
      x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
      return x ^ (x >> 31);
    };
    constexpr uint64_t kStep = 0x9e3779b97f4a7c15U;
    const uint64_t start = mixed(mixed(number(operation.inputs[operand::kSeed]) + kStep) +
                                 number(operation.inputs[operand::kOffset]) * kStep);
    const Sizes& whole = operation.outputs[0]->size;
    const Sizes steps = packed_steps(whole);
    Array out(size);
    each_row(size, [&](const Sizes& index, int64_t offset) {
      int64_t place = 0;
      for (size_t i = 0; i < index.size(); ++i) place += (index[i] + (i < 2 ? slice_.first(whole, i) : 0)) * steps[i];
      for (int64_t i = 0; i < size.back(); ++i) {
        const double uniform =
            static_cast<double>(mixed(start + static_cast<uint64_t>(place + i) * kStep) >> 11) * 0x1p-53;
        out.values[static_cast<size_t>(offset + i)] = uniform < operation.parameters[0] ? 1 : 0;
      }
    });
    return out;
  }

  Status run_convolution(const GraphOperation& operation) {
    Convolution c = operation.convolution;
    c.tf32 = data_.tf32;
    c.alpha = operation.parameters[0];
    c.beta = operation.parameters[1];
    const TensorRef& output = operation.outputs[0];
    Array result;
    const auto place = [&](size_t i) -> Result<Tensor> {
      const TensorRef& tensor = operation.inputs[i] == nullptr ? output : operation.inputs[i];
      const bool is_result = operation.inputs[i] == nullptr;
      if (!tensor->is_virtual) {
        if (pointer(*tensor) == nullptr) return invalid_input(fmt::format("tensor {} has no memory", tensor->id));
        return tensor_of(*tensor, pointer(*tensor));
      }
      const Array* array = &result;
      if (is_result) {
        result = Array(tensor->size);
      } else {
        WL_ASSIGN(array, value(tensor));
      }
      GraphTensor packed{
          .type = 0, .size = tensor->size, .step = packed_steps(tensor->size), .constant = {}, .offsets = {}};
      return tensor_of(packed, const_cast<float*>(array->values.data()));
    };
    WL_ASSIGN(c.x, place(operand::kImage));
    WL_ASSIGN(c.w, place(operand::kFilter));
    WL_ASSIGN(c.y, place(operand::kResult));
    c.groups = c.w.size[1] > 0 ? c.x.size[1] / c.w.size[1] : 1;
    if (!is_consistent(c)) return invalid_input("a convolution whose sizes do not agree");
    WL_TRY(libraries::run(c));
    return output->is_virtual ? put(output, std::move(result)) : Status();
  }

  const Graph& graph_;
  const GraphData& data_;
  Slice slice_;
  std::map<int64_t, int> uses_;
  std::map<int64_t, Array> values_;
  std::list<Array> scratch_;  // operands of the operation that runs
};

}  // namespace

Tensor tensor_of(const GraphTensor& tensor, void* data) {
  TensorDescriptor out{.type = tensor.type, .dims = static_cast<int>(tensor.size.size())};
  for (size_t i = 0; i < std::min<size_t>(tensor.size.size(), kMostDnnDims); ++i) {
    out.size[i] = static_cast<int>(tensor.size[i]);
    out.step[i] = static_cast<int>(tensor.step[i]);
  }
  return out.tensor(data);
}

int64_t span_of(const GraphTensor& tensor, const GraphData& data) {
  if (tensor.offsets != nullptr) {
    const auto found = data.pointers.find(tensor.offsets->id);
    if (found == data.pointers.end() || found->second == nullptr) return 0;
    return whole_at(*tensor.offsets, found->second, tensor.size[0]) * tensor.offset_factor;
  }
  if (count_of(tensor.size) == 0) return 0;
  int64_t out = 1;
  for (size_t i = 0; i < tensor.size.size(); ++i) out += (tensor.size[i] - 1) * tensor.step[i];
  return out;
}

Status run_graph(const Graph& graph, const GraphData& data) {
  Slice slice;
  for (const size_t dim : {size_t{0}, size_t{1}}) slice.count[dim] = parts_along(graph, dim);
  for (slice.index[0] = 0; slice.index[0] < slice.count[0]; ++slice.index[0])
    for (slice.index[1] = 0; slice.index[1] < slice.count[1]; ++slice.index[1])
      WL_TRY(SliceRun(graph, data, slice).run());
  return {};
}

}  // namespace warplens::libraries
