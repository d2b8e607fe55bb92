// From descriptors to a graph. Attention, which programs describe as one operation, becomes the operations that it
// consists of.
#include <algorithm>
#include <set>

#include "warplens/base/text.h"
#include "warplens/libraries/cudnn/graph_descriptor.h"
#include "warplens/libraries/cudnn/graph_rows.h"

namespace warplens::libraries {
namespace {

constexpr int kAttention = 41;  // cudnnBackendDescriptorType_t

Result<TensorRef> tensor_of(const Content& content) {
  constexpr int kType = 901, kSizes = 902, kSteps = 903, kVectors = 904, kId = 906, kVirtual = 907, kByValue = 908,
                kReordering = 909, kConstant = 910, kOffsets = 913, kFactor = 914;
  if (content.type != static_cast<int>(Part::kTensor)) return unsupported("an operand that is not a tensor");
  const Attribute *size = content.find(kSizes), *step = content.find(kSteps);
  if (size == nullptr || step == nullptr || size->whole.size() != step->whole.size())
    return invalid_input("a tensor without sizes and steps");
  if (content.whole(kVectors, 1) != 1 || content.whole(kReordering) != 0)
    return unsupported("a tensor whose elements are reordered");
  auto out = std::make_shared<GraphTensor>();
  out->id = content.whole(kId);
  out->type = static_cast<int>(content.whole(kType));
  out->size = size->whole;
  out->step = step->whole;
  out->is_virtual = content.whole(kVirtual) != 0;
  out->is_by_value = content.whole(kByValue) != 0;
  if (const Attribute* const constant = content.find(kConstant)) {
    if (constant->real.empty() && constant->whole.empty()) return unsupported("a constant of another type");
    out->constant = constant->real.empty() ? static_cast<double>(constant->whole[0]) : constant->real[0];
  }
  if (const Content* const offsets = content.part(kOffsets)) {
    WL_ASSIGN(out->offsets, tensor_of(*offsets));
    out->offset_factor = content.whole(kFactor, 1);
  }
  return TensorRef(out);
}

Result<std::vector<TensorRef>> tensors_at(const Content& from, const std::vector<TensorPlace>& places, const char* of) {
  std::vector<TensorRef> out;
  for (const TensorPlace& place : places) {
    const Content* const part = from.part(place.attribute);
    if (part == nullptr && place.required)
      return invalid_input(fmt::format("{} without the tensor of attribute {}", of, place.attribute));
    TensorRef tensor;
    if (part != nullptr) {
      WL_ASSIGN(tensor, tensor_of(*part));
    }
    out.push_back(std::move(tensor));
  }
  return out;
}

/// What is set and not read would be left out without a word.
Status knows_all(const Content& from, const OperationRow& row) {
  std::set<int> known(row.others.begin(), row.others.end());
  known.insert(row.settings);
  for (const auto* places : {&row.inputs, &row.outputs})
    for (const TensorPlace& place : *places) known.insert(place.attribute);
  for (const auto& [name, value] : from.attributes) {
    if (!known.contains(name)) return unsupported(fmt::format("{} with attribute {}", row.name, name));
  }
  return {};
}

Status set_convolution(const Content& from, const Content& settings, const OperationRow& row, GraphOperation* out) {
  constexpr int kMode = 101, kDilation = 102, kStride = 103, kAfter = 104, kBefore = 105;
  Convolution& c = out->convolution;
  c.flipped = settings.whole(kMode) == 0;
  const Attribute *dilation = settings.find(kDilation), *stride = settings.find(kStride),
                  *before = settings.find(kBefore), *after = settings.find(kAfter);
  if (dilation == nullptr || stride == nullptr || before == nullptr || after == nullptr)
    return invalid_input("a convolution without strides, paddings or dilations");
  if (before->whole != after->whole) return unsupported("a convolution with more padding on one side");
  const size_t dims = stride->whole.size();
  if (dims > 3 || dilation->whole.size() != dims || before->whole.size() != dims)
    return unsupported("a convolution of more than three dimensions");
  for (size_t i = 0; i < dims; ++i) {
    c.stride[3 - dims + i] = stride->whole[i];
    c.dilation[3 - dims + i] = dilation->whole[i];
    c.padding[3 - dims + i] = before->whole[i];
  }
  c.pass = row.pass;
  out->parameters[0] = from.real(row.others[0], 1);
  out->parameters[1] = from.real(row.others[1], 0);
  return {};
}

void set_pointwise(const Content& settings, GraphOperation* out) {
  constexpr int kMode = 0, kLower = 3, kUpper = 4, kSlope = 5, kElu = 6, kSoftplus = 7, kSwish = 8, kAxis = 9;
  out->mode = static_cast<int>(settings.whole(kMode));
  out->axis = settings.whole(kAxis, -1);
  out->parameters[0] = settings.real(kLower, 0);
  out->parameters[1] = settings.real(kUpper, std::numeric_limits<double>::infinity());
  out->parameters[2] = settings.real(kSlope, 0);
  for (const int name : {kElu, kSoftplus, kSwish})
    if (settings.find(name) != nullptr) out->parameters[2] = settings.real(name);
}

Result<GraphOperation> operation_of(const Content& from, const OperationRow& row) {
  WL_TRY(knows_all(from, row));
  GraphOperation out{.kind = row.kind};
  WL_ASSIGN(out.inputs, tensors_at(from, row.inputs, row.name));
  WL_ASSIGN(out.outputs, tensors_at(from, row.outputs, row.name));
  const Content* const settings = row.settings < 0 ? nullptr : from.part(row.settings);
  if (row.settings >= 0 && settings == nullptr) return invalid_input(fmt::format("{} without settings", row.name));
  switch (row.kind) {
    case OperationKind::kConvolution: WL_TRY(set_convolution(from, *settings, row, &out)); break;
    case OperationKind::kPointwise: {
      if (from.real(attribute::kPointwiseFactor1, 1) != 1 || from.real(attribute::kPointwiseFactor2, 1) != 1)
        return unsupported("a pointwise operation with factors");
      set_pointwise(*settings, &out);
      // A gradient has the output's gradient in place of a second input.
      if (out.inputs[3] != nullptr) out.inputs[operand::kSecond] = out.inputs[3];
      out.inputs.resize(3);
      if (out.outputs[0] == nullptr) out.outputs[0] = out.outputs[1];
      out.outputs.resize(1);
      if (out.outputs[0] == nullptr || out.inputs[0] == nullptr)
        return invalid_input("a pointwise operation without operands");
      break;
    }
    case OperationKind::kReduction: out.mode = static_cast<int>(settings->whole(attribute::kReductionOperator)); break;
    case OperationKind::kRandom: {
      constexpr int kBernoulli = 0;
      out.mode = static_cast<int>(settings->whole(attribute::kRandomDistribution));
      if (out.mode != kBernoulli) return unsupported("random numbers of another distribution than Bernoulli's");
      out.parameters[0] = settings->real(attribute::kRandomProbability, 1);
      if (out.inputs[operand::kSeed] == nullptr) {
        auto seed = std::make_shared<GraphTensor>();
        seed->constant = static_cast<double>(from.whole(attribute::kRandomSeed));
        seed->size = {1};
        out.inputs[operand::kSeed] = std::move(seed);
      }
      break;
    }
    case OperationKind::kBandMask: out.mode = static_cast<int>(from.whole(attribute::kMaskMode)); break;
    default: break;
  }
  return out;
}

/// Attention by the operations that it consists of.
class Attention {
 public:
  explicit Attention(const Content& from) : from_(from) {}

  Result<std::vector<GraphOperation>> operations() {
    constexpr int kUnfused = 2819;  // how sums are rounded in between
    const OperationRow row{
        kAttention,
        "an attention",
        OperationKind::kMatmul,
        {{kQ}, {kK}, {kV}, {kScale, false}, {kQueries, false}, {kKeys, false}, {kSeed, false}, {kOffset, false}},
        {{kO}, {kStats, false}, {kDump, false}},
        kSubgraph,
        {kSubgraphInput, kSubgraphOutput, kSoftmaxPart, kProbability, kUnfused}};
    WL_TRY(knows_all(from_, row));
    WL_ASSIGN(inputs_, tensors_at(from_, row.inputs, row.name));
    WL_ASSIGN(outputs_, tensors_at(from_, row.outputs, row.name));
    WL_TRY(add_scores());
    WL_TRY(add_weights());
    add_dropout();
    add(OperationKind::kMatmul, {last_, inputs_[2], inputs_[4], nullptr, inputs_[5]}, outputs_[0]);
    return std::move(out_);
  }

 private:
  static constexpr int kQ = 2800, kK = 2801, kV = 2802, kO = 2803, kStats = 2804, kScale = 2805, kQueries = 2809,
                       kKeys = 2810, kSubgraph = 2811, kSubgraphInput = 2812, kSubgraphOutput = 2813,
                       kSoftmaxPart = 2814, kSeed = 2815, kOffset = 2816, kDump = 2817, kProbability = 2818;

  TensorRef between(Sizes size, int type = 0) {
    auto out = std::make_shared<GraphTensor>();
    out->id = --next_;
    out->type = type;
    out->step = packed_steps(size);
    out->size = std::move(size);
    out->is_virtual = true;
    return out;
  }
  GraphOperation& add(OperationKind kind, std::vector<TensorRef> inputs, TensorRef output) {
    GraphOperation operation{.kind = kind, .inputs = std::move(inputs), .outputs = {output}};
    last_ = std::move(output);
    return out_.emplace_back(std::move(operation));
  }
  void add_pointwise(int mode, TensorRef second, int type = 0) {
    add(OperationKind::kPointwise, {last_, std::move(second), nullptr}, between(scores_, type)).mode = mode;
  }
  Status add_scores() {
    const TensorRef &q = inputs_[0], &k = inputs_[1], &v = inputs_[2];
    if (q->size.size() != 4 || k->size.size() != 4 || v->size.size() != 4)
      return unsupported("an attention without four dimensions");
    scores_ = {q->size[0], q->size[1], q->size[2], k->size[2]};
    const TensorRef turned = between({k->size[0], k->size[1], k->size[3], k->size[2]});
    add(OperationKind::kPermute, {k}, turned).axes = {0, 1, 3, 2};
    add(OperationKind::kMatmul, {q, turned, inputs_[4], inputs_[5], nullptr}, between(scores_));
    if (inputs_[3] != nullptr) add_pointwise(kMultiply, inputs_[3]);
    if (inputs_[5] != nullptr) mask_padding();
    return {};
  }
  /// Keys beyond a sequence's length weigh nothing.
  void mask_padding() {
    const TensorRef scores = last_;
    GraphOperation& index = add(OperationKind::kPointwise, {scores, nullptr, nullptr}, between(scores_));
    index.mode = kIndex;
    index.axis = 3;
    add_pointwise(kLess, inputs_[5]);
    auto nothing = std::make_shared<GraphTensor>();
    nothing->size = {1, 1, 1, 1};
    nothing->constant = -std::numeric_limits<double>::infinity();
    add(OperationKind::kPointwise, {scores, nothing, last_}, between(scores_)).mode = kSelect;
  }
  Status add_weights() {
    if (const Content* const graph = from_.part(kSubgraph)) {
      if (graph->graph == nullptr) return invalid_input("an attention with a graph that is not finalised");
      for (GraphOperation operation : graph->graph->operations) {
        for (TensorRef& input : operation.inputs)
          if (input != nullptr && input->id == from_.whole(kSubgraphInput)) input = last_;
        out_.push_back(std::move(operation));
      }
      for (const TensorRef& output : out_.back().outputs)
        if (output != nullptr && output->id == from_.whole(kSubgraphOutput)) last_ = output;
    }
    GraphOperation softmax{.kind = OperationKind::kSoftmax, .inputs = {last_, nullptr}};
    softmax.outputs = {nullptr, outputs_[1], nullptr, nullptr};
    if (const Content* const part = from_.part(kSoftmaxPart)) {
      WL_ASSIGN(const GraphOperation described, operation_of(*part, softmax_row()));
      softmax.inputs[operand::kSink] = described.inputs[operand::kSink];
      softmax.outputs = described.outputs;
    }
    const bool drops = from_.real(kProbability, 0) > 0;
    last_ = softmax.outputs[operand::kWeights] = between(scores_, drops ? 0 : inputs_[0]->type);
    out_.push_back(std::move(softmax));
    return {};
  }
  void add_dropout() {
    const double probability = from_.real(kProbability, 0);
    if (probability <= 0) return;
    const TensorRef weights = last_, mask = outputs_[2] != nullptr ? outputs_[2] : between(scores_);
    add(OperationKind::kRandom, {inputs_[6], inputs_[7]}, mask).parameters[0] = 1 - probability;
    last_ = weights;
    add_pointwise(kMultiply, mask);
    auto factor = std::make_shared<GraphTensor>();
    factor->size = {1, 1, 1, 1};
    factor->constant = 1 / (1 - probability);
    add_pointwise(kMultiply, factor, inputs_[0]->type);
  }

  static constexpr int kMultiply = 1, kLess = 304, kIndex = 501, kSelect = 601;  // cudnnPointwiseMode_t
  const Content& from_;
  std::vector<TensorRef> inputs_, outputs_;
  std::vector<GraphOperation> out_;
  TensorRef last_;
  Sizes scores_;
  int64_t next_ = -1'000'000'000;
};

/// Each operation after those that write what it reads.
Result<std::vector<GraphOperation>> in_order(std::vector<GraphOperation> operations) {
  std::set<int64_t> missing;
  const auto each_output = [](const GraphOperation& operation, auto use) {
    for (const TensorRef& output : operation.outputs)
      if (output != nullptr) use(output->id);
  };
  for (const GraphOperation& operation : operations) each_output(operation, [&](int64_t id) { missing.insert(id); });
  std::vector<GraphOperation> out;
  while (!operations.empty()) {
    const auto ready = std::find_if(operations.begin(), operations.end(), [&](const GraphOperation& operation) {
      return std::none_of(operation.inputs.begin(), operation.inputs.end(),
                          [&](const TensorRef& input) { return input != nullptr && missing.contains(input->id); });
    });
    if (ready == operations.end()) return invalid_input("operations that wait for each other");
    each_output(*ready, [&](int64_t id) { missing.erase(id); });
    out.push_back(std::move(*ready));
    operations.erase(ready);
  }
  return out;
}

bool is_matrix_work(const GraphOperation& operation) {
  return operation.kind == OperationKind::kConvolution || operation.kind == OperationKind::kMatmul;
}

}  // namespace

Result<Graph> build_graph(const std::vector<ContentRef>& operations) {
  Graph out;
  std::vector<GraphOperation> all;
  for (const ContentRef& content : operations) {
    if (content->type == kAttention) {
      WL_ASSIGN(std::vector<GraphOperation> parts, Attention(*content).operations());
      std::move(parts.begin(), parts.end(), std::back_inserter(all));
      continue;
    }
    const OperationRow* const row = row_of_type(content->type);
    if (row == nullptr)
      return unsupported(fmt::format("operations of cuDNN's graphs of type {} are not emulated", content->type));
    WL_ASSIGN(GraphOperation operation, operation_of(*content, *row));
    all.push_back(std::move(operation));
  }
  WL_ASSIGN(out.operations, in_order(std::move(all)));
  for (const GraphOperation& operation : out.operations) {
    WL_TRY(check_operation(operation));
    if (!is_matrix_work(operation)) continue;
    out.uses_tensor_cores = true;
    const size_t factors = operation.kind == OperationKind::kMatmul ? 2 : operation.inputs.size();
    out.multiplies_f32 |= std::all_of(operation.inputs.begin(), operation.inputs.begin() + static_cast<long>(factors),
                                      [](const TensorRef& input) { return input == nullptr || input->type == 0; });
  }
  return out;
}

}  // namespace warplens::libraries
