// cuDNN's graphs: descriptors are made, filled, finalised and read. One engine is offered for each graph, and a second
// one without TF32 where f32 is multiplied.
#include <cstring>

#include "warplens/libraries/cudnn/graph_descriptor.h"
#include "warplens/libraries/cudnn/handle.h"

using namespace warplens;
using namespace warplens::libraries;

namespace warplens::libraries {
namespace {

constexpr int kTensorCoreNote = 0;
constexpr int64_t kWorkspaceBytes = 256;  // PyTorch allocates it, so it is not 0; the host needs none

/// Elements of an attribute by cudnnBackendAttributeType_t.
enum class Held : uint8_t { kInt32, kInt64, kByte, kFloat, kDouble, kPair, kDescriptor };

Held held_as(int type) {
  constexpr int kHandle = 0, kBoolean = 2, kInt64 = 3, kFloat = 4, kDouble = 5, kPointer = 6, kDescriptor = 15,
                kChar = 24, kFraction = 26;
  switch (type) {
    case kHandle:
    case kInt64:
    case kPointer: return Held::kInt64;
    case kBoolean:
    case kChar: return Held::kByte;
    case kFloat: return Held::kFloat;
    case kDouble: return Held::kDouble;
    case kFraction: return Held::kPair;
    case kDescriptor: return Held::kDescriptor;
    default: return Held::kInt32;  // every enumeration
  }
}

template <typename T>
T at(const void* elements, int64_t i) {
  T out;
  std::memcpy(&out, static_cast<const char*>(elements) + i * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return out;
}

int fill(Attribute* to, Held held, int64_t count, const void* elements) {
  for (int64_t i = 0; i < count; ++i) {
    switch (held) {
      case Held::kInt32: to->whole.push_back(at<int32_t>(elements, i)); break;
      case Held::kInt64: to->whole.push_back(at<int64_t>(elements, i)); break;
      case Held::kByte: to->whole.push_back(at<uint8_t>(elements, i)); break;
      case Held::kFloat: to->real.push_back(static_cast<double>(at<float>(elements, i))); break;
      case Held::kDouble: to->real.push_back(at<double>(elements, i)); break;
      case Held::kPair:
        to->whole.push_back(at<int64_t>(elements, 2 * i));
        to->whole.push_back(at<int64_t>(elements, 2 * i + 1));
        break;
      case Held::kDescriptor: {
        const auto* const part = at<const BackendDescriptor*>(elements, i);
        if (part == nullptr) return kDnnBadParameter;
        to->parts.push_back(part->content);
        break;
      }
    }
  }
  return kDnnSuccess;
}

int64_t length_of(const Attribute& attribute, Held held) {
  const auto whole = static_cast<int64_t>(attribute.whole.size());
  if (held == Held::kDescriptor) return static_cast<int64_t>(attribute.parts.size());
  if (held == Held::kFloat || held == Held::kDouble) return static_cast<int64_t>(attribute.real.size());
  return held == Held::kPair ? whole / 2 : whole;
}

template <typename T>
void put(void* elements, int64_t i, T value) {
  std::memcpy(static_cast<char*>(elements) + i * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
}

/// A program hands over descriptors of its own, which then are those that were asked for.
int give(const Attribute& from, Held held, int64_t i, void* elements) {
  const auto index = static_cast<size_t>(i);
  switch (held) {
    case Held::kInt32: put(elements, i, static_cast<int32_t>(from.whole[index])); break;
    case Held::kInt64: put(elements, i, from.whole[index]); break;
    case Held::kByte: put(elements, i, static_cast<uint8_t>(from.whole[index])); break;
    case Held::kFloat: put(elements, i, static_cast<float>(from.real[index])); break;
    case Held::kDouble: put(elements, i, from.real[index]); break;
    case Held::kPair:
      put(elements, 2 * i, from.whole[2 * index]);
      put(elements, 2 * i + 1, from.whole[2 * index + 1]);
      break;
    case Held::kDescriptor: {
      auto* const out = at<BackendDescriptor*>(elements, i);
      if (out == nullptr || out->content->type != from.parts[index]->type) return kDnnBadParameter;
      *out->content = *from.parts[index];
      break;
    }
  }
  return kDnnSuccess;
}

std::shared_ptr<Content> made(Part type, std::map<int, Attribute> attributes) {
  return std::make_shared<Content>(
      Content{.type = static_cast<int>(type), .is_final = true, .attributes = std::move(attributes), .graph = {}});
}

int finalize_engine(Content* engine) {
  const Content* const graph = engine->part(attribute::kEngineGraph);
  if (graph == nullptr || graph->graph == nullptr) return kDnnBadParameter;
  const int64_t index = engine->whole(attribute::kEngineIndex);
  if (index < 0 || index >= graph->whole(attribute::kGraphEngines)) return kDnnBadParameter;
  Attribute& notes = engine->attributes[attribute::kEngineNumericalNotes];
  notes = {};
  if (index == 0 && graph->graph->uses_tensor_cores) notes.whole.push_back(kTensorCoreNote);
  engine->attributes[attribute::kEngineBehaviorNotes] = {};
  engine->attributes[attribute::kEngineKnobs] = {};
  return kDnnSuccess;
}

int finalize_config(Content* config) {
  const Content* const engine = config->part(attribute::kConfigEngine);
  if (engine == nullptr || !engine->is_final) return kDnnBadParameter;
  config->attributes.try_emplace(attribute::kConfigKnobs);
  config->attributes[attribute::kConfigWorkspace].whole = {kWorkspaceBytes};
  config->attributes[attribute::kConfigSharedMemory].whole = {0};
  return kDnnSuccess;
}

int finalize_heuristics(Content* heuristics) {
  const Attribute* const graph = heuristics->find(attribute::kHeuristicsGraph);
  if (graph == nullptr || graph->parts.empty() || graph->parts[0]->graph == nullptr) return kDnnBadParameter;
  Attribute results;
  for (int64_t i = 0; i < graph->parts[0]->whole(attribute::kGraphEngines); ++i) {
    const auto engine = made(Part::kEngine, {{attribute::kEngineGraph, *graph},
                                             {attribute::kEngineIndex, {.whole = {i}, .real = {}, .parts = {}}}});
    const auto config =
        made(Part::kEngineConfig, {{attribute::kConfigEngine, {.whole = {}, .real = {}, .parts = {engine}}}});
    if (finalize_engine(engine.get()) != kDnnSuccess || finalize_config(config.get()) != kDnnSuccess)
      return kDnnBadParameter;
    results.parts.push_back(config);
  }
  heuristics->attributes[attribute::kHeuristicsResults] = std::move(results);
  return kDnnSuccess;
}

int finalize_graph(Content* content) {
  const Attribute* const operations = content->find(attribute::kGraphOperations);
  if (operations == nullptr || operations->parts.empty()) return kDnnBadParameter;
  Result<Graph> graph = build_graph(operations->parts);
  if (!graph.ok()) {
    tell_refused("cudnnBackendFinalize", graph.status().message().c_str());
    return kDnnNotSupported;
  }
  content->attributes[attribute::kGraphEngines].whole = {graph->multiplies_f32 ? 2 : 1};
  content->graph = std::make_shared<const Graph>(std::move(*graph));
  return kDnnSuccess;
}

}  // namespace

const Attribute* Content::find(int name) const {
  const auto found = attributes.find(name);
  return found == attributes.end() ? nullptr : &found->second;
}
int64_t Content::whole(int name, int64_t otherwise) const {
  const Attribute* const found = find(name);
  return found == nullptr || found->whole.empty() ? otherwise : found->whole[0];
}
double Content::real(int name, double otherwise) const {
  const Attribute* const found = find(name);
  return found == nullptr || found->real.empty() ? otherwise : found->real[0];
}
const Content* Content::part(int name) const {
  const Attribute* const found = find(name);
  return found == nullptr || found->parts.empty() ? nullptr : found->parts[0].get();
}

int finalize(Content* content) {
  int status = kDnnSuccess;
  switch (static_cast<Part>(content->type)) {
    case Part::kEngine: status = finalize_engine(content); break;
    case Part::kEngineConfig: status = finalize_config(content); break;
    case Part::kHeuristics: status = finalize_heuristics(content); break;
    case Part::kOperationGraph: status = finalize_graph(content); break;
    case Part::kPlan:
      if (content->part(attribute::kPlanConfig) == nullptr) return kDnnBadParameter;
      content->attributes[attribute::kPlanWorkspace].whole = {kWorkspaceBytes};
      break;
    default: break;
  }
  content->is_final = status == kDnnSuccess;
  return status;
}

}  // namespace warplens::libraries

CUDA_API int cudnnBackendCreateDescriptor(int type, BackendDescriptor** out) {
  constexpr int kMost = 50;
  if (type < 0 || type > kMost) return kDnnNotSupported;
  return Dnn::make(out, {std::make_shared<Content>(Content{.type = type, .attributes = {}, .graph = {}})});
}
CUDA_API int cudnnBackendInitialize(BackendDescriptor* d) {
  if (d == nullptr) return kDnnBadParameter;
  *d->content = {.type = d->content->type, .attributes = {}, .graph = {}};
  return kDnnSuccess;
}
CUDA_API int cudnnBackendDestroyDescriptor(BackendDescriptor* d) { return Dnn::destroy(d); }
CUDA_API int cudnnBackendFinalize(BackendDescriptor* d) {
  return d == nullptr ? static_cast<int>(kDnnBadParameter) : finalize(d->content.get());
}
CUDA_API int cudnnBackendSetAttribute(BackendDescriptor* d, int name, int type, int64_t count, const void* elements) {
  if (d == nullptr || count < 0 || (count > 0 && elements == nullptr)) return kDnnBadParameter;
  if (d->content->is_final) return kDnnNotInitialized;
  Attribute attribute;
  if (const int status = fill(&attribute, held_as(type), count, elements); status != kDnnSuccess) return status;
  d->content->attributes[name] = std::move(attribute);
  return kDnnSuccess;
}
CUDA_API int cudnnBackendGetAttribute(const BackendDescriptor* d, int name, int type, int64_t requested, int64_t* count,
                                      void* elements) {
  if (d == nullptr || requested < 0) return kDnnBadParameter;
  const Attribute* const attribute = d->content->find(name);
  if (attribute == nullptr) return kDnnNotSupported;
  const Held held = held_as(type);
  const int64_t length = length_of(*attribute, held);
  const int64_t given = elements == nullptr ? length : std::min(length, requested);
  if (count != nullptr) *count = given;
  for (int64_t i = 0; elements != nullptr && i < given; ++i)
    if (const int status = give(*attribute, held, i, elements); status != kDnnSuccess) return status;
  return kDnnSuccess;
}
