#include "warplens/libraries/cudnn/graph_work.h"

#include <algorithm>
#include <set>

#include "warplens/base/text.h"
#include "warplens/libraries/cudnn/convolution_work.h"
#include "warplens/libraries/cudnn/handle.h"
#include "warplens/libraries/time/attention_time.h"

namespace warplens::libraries {
namespace {

const char* kind_name(OperationKind kind) {
  switch (kind) {
    case OperationKind::kConvolution: return "convolution";
    case OperationKind::kPointwise: return "pointwise";
    case OperationKind::kMatmul: return "product";
    case OperationKind::kReduction: return "reduction";
    case OperationKind::kReshape:
    case OperationKind::kPermute: return "view";
    case OperationKind::kRandom: return "dropout";
    case OperationKind::kSoftmax: return "softmax";
    case OperationKind::kBandMask: return "mask";
  }
  return "";
}

std::vector<const GraphOperation*> of_kind(const Graph& graph, OperationKind kind) {
  std::vector<const GraphOperation*> out;
  for (const GraphOperation& operation : graph.operations)
    if (operation.kind == kind) out.push_back(&operation);
  return out;
}

/// The sizes of one, as its operands say without their memory.
Convolution convolution_of(const GraphOperation& operation, bool tf32) {
  Convolution c = operation.convolution;
  const auto tensor = [&](size_t i) {
    return tensor_of(operation.inputs[i] == nullptr ? *operation.outputs[0] : *operation.inputs[i], nullptr);
  };
  c.x = tensor(operand::kImage);
  c.w = tensor(operand::kFilter);
  c.y = tensor(operand::kResult);
  c.groups = c.w.size[1] > 0 ? c.x.size[1] / c.w.size[1] : 1;
  c.tf32 = tf32 && c.y.number == Number::kF32;
  return c;
}

/// The keys after a query are left out: by a band's mask, or as older descriptions have it, by comparing the numbers of
/// rows with those of columns.
bool masks_later_keys(const Graph& graph) {
  constexpr int kIndex = 501;  // cudnnPointwiseMode_t
  for (const GraphOperation* mask : of_kind(graph, OperationKind::kBandMask))
    if (mask->inputs[operand::kLeft] == nullptr) return true;
  std::set<int64_t> numbers;
  for (const GraphOperation* one : of_kind(graph, OperationKind::kPointwise)) {
    if (one->mode == kIndex) numbers.insert(one->outputs[0]->id);
    const auto is_number = [&](size_t i) {
      return i < one->inputs.size() && one->inputs[i] != nullptr && numbers.contains(one->inputs[i]->id);
    };
    if (is_number(0) && is_number(1)) return true;
  }
  return false;
}

/// Attention and its gradient: two products around weights of exponentials, or five.
struct Attended {
  AttentionShape shape;
  Number number = Number::kF32;
  bool found = false;
};
Attended attended(const Graph& graph) {
  constexpr int kExponential = 13;
  const auto products = of_kind(graph, OperationKind::kMatmul);
  const bool forward = !of_kind(graph, OperationKind::kSoftmax).empty();
  const auto pointwise = of_kind(graph, OperationKind::kPointwise);
  const bool exponentials =
      std::any_of(pointwise.begin(), pointwise.end(), [](const GraphOperation* o) { return o->mode == kExponential; });
  if (products.size() < 2 || !(forward || exponentials)) return {};
  const Sizes &queries = products.front()->inputs[0]->size, &scores = products.front()->outputs[0]->size;
  if (queries.size() != 4 || scores.size() != 4) return {};
  Attended out{.number = number_of_dnn(products.front()->inputs[0]->type), .found = true};
  out.shape = {.heads = scores[0] * scores[1], .queries = scores[2], .keys = scores[3], .depth = queries[3]};
  constexpr size_t kForwardProducts = 2;  // the gradient has five, and computes the weights again
  out.shape.gradient = products.size() > kForwardProducts;
  out.shape.drops = !of_kind(graph, OperationKind::kRandom).empty();
  out.shape.masked = masks_later_keys(graph);
  return out;
}

double memory_bytes(const Graph& graph) {
  std::set<int64_t> seen;
  double out = 0;
  for (const GraphOperation& operation : graph.operations)
    for (const auto* tensors : {&operation.inputs, &operation.outputs})
      for (const TensorRef& tensor : *tensors) {
        if (tensor == nullptr || tensor->is_virtual || tensor->is_scalar() || !seen.insert(tensor->id).second) continue;
        out += static_cast<double>(count_of(tensor->size)) * std::max(1, size_bytes(number_of_dnn(tensor->type)));
      }
  return out;
}

}  // namespace

std::string name_of(const Graph& graph, bool tf32) {
  if (const Attended a = attended(graph); a.found) {
    const Sizes& scores = of_kind(graph, OperationKind::kMatmul).front()->outputs[0]->size;
    return fmt::format("attention{} {} {}x{}x{}x{}x{}{}", a.shape.gradient ? " backward" : "", name(a.number),
                       scores[0], scores[1], scores[2], scores[3], a.shape.depth, a.shape.masked ? " causal" : "");
  }
  std::vector<std::string> parts;
  for (const GraphOperation& operation : graph.operations)
    parts.push_back(operation.kind == OperationKind::kConvolution ? name_of(convolution_of(operation, tf32))
                                                                  : kind_name(operation.kind));
  return join(parts, ", ");
}

LibraryTime time_of(const Graph& graph, bool tf32) {
  const double bytes = memory_bytes(graph);
  if (Attended a = attended(graph); a.found) {
    a.shape.memory_bytes = bytes;
    return attention_time(a.shape, *device());
  }
  const auto convolutions = of_kind(graph, OperationKind::kConvolution);
  if (!convolutions.empty()) return time_of(convolution_of(*convolutions.front(), tf32));
  const auto products = of_kind(graph, OperationKind::kMatmul);
  if (products.empty()) return streaming_time(bytes, 0, *device());
  const Sizes &a = products.front()->inputs[0]->size, &d = products.front()->outputs[0]->size;
  const int64_t m = d[d.size() - 2], n = d.back();
  const Number number = number_of_dnn(products.front()->inputs[0]->type);
  const Unit unit = number == Number::kF32 ? (tf32 ? Unit::kTf32 : Unit::kF32) : Unit::kF16;
  return product_time({.m = m,
                       .n = n,
                       .k = a.back(),
                       .batches = count_of(d) / std::max<int64_t>(m * n, 1),
                       .unit = unit,
                       .memory_bytes = bytes},
                      *device());
}

}  // namespace warplens::libraries
