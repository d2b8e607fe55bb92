// Graphs: what is said of nodes and graphs besides what they do: attributes, clones, switches, objects that are kept.
#include <cstdio>

#include "warplens/base/demangle.h"
#include "warplens/base/text.h"
#include "warplens/cuda_api/graphs/nodes.h"

using namespace warplens;
using namespace warplens::cuda_api;

namespace {

using AttributeValue = std::array<uint8_t, 64>;  // cudaLaunchAttributeValue

/// Something of the program's that is destroyed when nobody needs it any more.
struct UserObject {
  void (*destroy)(void*) = nullptr;
  void* data = nullptr;
  unsigned count = 0;
};
std::map<UserObject*, std::unique_ptr<UserObject>>& user_objects() {
  static auto* all = new std::map<UserObject*, std::unique_ptr<UserObject>>;
  return *all;
}

template <typename F>
int with_kernel_node(const Node* node, F use, const char* name = __builtin_FUNCTION()) {
  return call(
      [&](Runtime& runtime) {
        Node* found = find_node(runtime, node);
        return found == nullptr || found->kind != NodeKind::kKernel ? cudaErrorInvalidValue : use(runtime, *found);
      },
      name);
}

template <typename F>
int with_object(UserObject* object, unsigned count, F use, const char* name = __builtin_FUNCTION()) {
  return call(
      [&](Runtime& runtime) {
        if (!user_objects().contains(object) || count == 0) return cudaErrorInvalidValue;
        return use(runtime);
      },
      name);
}
Error release(UserObject* object, unsigned count) {
  if (count > object->count) return cudaErrorInvalidValue;
  object->count -= count;
  if (object->count > 0) return cudaSuccess;
  const UserObject last = *object;
  user_objects().erase(object);
  last.destroy(last.data);
  return cudaSuccess;
}

std::string label_of(const Runtime& runtime, const Node& node) {
  constexpr std::array kKinds{"kernel", "copy", "fill", "host function", "graph", "empty", "wait",
                              "record", "",     "",     "allocate",      "free",  "",      "conditional"};
  const auto* kernel = std::get_if<std::shared_ptr<KernelNode>>(&node.made);
  const auto found =
      kernel != nullptr ? runtime.functions.find((*kernel)->parameters.function) : runtime.functions.end();
  return found != runtime.functions.end() ? demangled(found->second.name) : kKinds[static_cast<size_t>(node.kind)];
}

}  // namespace

CUDA_API int cudaGraphKernelNodeSetAttribute(const Node* node, int attribute, const AttributeValue* value) {
  return with_kernel_node(node, [&](Runtime& runtime, Node& found) {
    auto* made = std::get_if<std::shared_ptr<KernelNode>>(&found.made);
    if (value == nullptr || made == nullptr) return cudaErrorInvalidValue;
    LaunchAttribute said{attribute, 0, {}};
    std::ranges::copy(*value, said.value.bytes);
    LaunchRequest request;
    if (const Error error = take_attributes(&said, 1, &request); error != cudaSuccess) return error;
    if (attribute == kAttributeCluster) (*made)->cluster = request.cluster;
    if (attribute == kAttributeCooperative) (*made)->cooperative = request.cooperative;
    found.attributes[attribute] = *value;
    return work_of(runtime, found.made, &found.work);
  });
}
CUDA_API int cudaGraphKernelNodeGetAttribute(const Node* node, int attribute, AttributeValue* value) {
  return with_kernel_node(node, [&](Runtime&, Node& found) {
    if (value == nullptr) return cudaErrorInvalidValue;
    const auto set = found.attributes.find(attribute);
    *value = set != found.attributes.end() ? set->second : AttributeValue{};
    return cudaSuccess;
  });
}
CUDA_API int cudaGraphKernelNodeCopyAttributes(const Node* to, const Node* from) {
  return with_kernel_node(from, [&](Runtime&, Node& source) {
    Error error = cudaSuccess;
    for (const auto& [attribute, value] : source.attributes) {
      if (error == cudaSuccess) error = static_cast<Error>(cudaGraphKernelNodeSetAttribute(to, attribute, &value));
    }
    return error;
  });
}

CUDA_API int cudaGraphClone(Graph** out, Graph* graph) {
  return call([&](Runtime& runtime) {
    return knows(runtime, graph) && out != nullptr ? clone_graph(runtime, *graph, out) : cudaErrorInvalidValue;
  });
}
CUDA_API int cudaGraphNodeFindInClone(const Node** out, const Node* original, Graph* clone) {
  return call([&](Runtime& runtime) {
    if (out == nullptr || !knows(runtime, clone)) return cudaErrorInvalidValue;
    const auto found = std::ranges::find(clone->nodes, original, [](const auto& node) { return node->original; });
    if (found == clone->nodes.end()) return cudaErrorInvalidValue;
    *out = found->get();
    return cudaSuccess;
  });
}
CUDA_API int cudaGraphDestroyNode(const Node* node) {
  return call([&](Runtime& runtime) {
    for (const auto& [graph, owned] : runtime.graphs) {
      if (!graph->has(node)) continue;
      for (const auto& other : graph->nodes) std::erase(other->before, node);
      std::erase_if(graph->nodes, [&](const auto& each) { return each.get() == node; });
      return cudaSuccess;
    }
    return cudaErrorInvalidValue;
  });
}

CUDA_API int cudaGraphNodeSetEnabled(GraphExec* exec, const Node* node, unsigned enabled) {
  return with_step(exec, node, [&](Runtime&, GraphExec::Step& step) {
    step.work = enabled != 0 ? step.own : Work();
    return cudaSuccess;
  });
}
CUDA_API int cudaGraphNodeGetEnabled(GraphExec* exec, const Node* node, unsigned* enabled) {
  return with_step(exec, node, [&](Runtime&, const GraphExec::Step& step) {
    if (enabled == nullptr) return cudaErrorInvalidValue;
    *enabled = step.work || !step.own ? 1 : 0;
    return cudaSuccess;
  });
}

CUDA_API int cudaGraphDebugDotPrint(Graph* graph, const char* path, unsigned) {
  return call([&](Runtime& runtime) {
    if (!knows(runtime, graph) || path == nullptr) return cudaErrorInvalidValue;
    std::string text = "digraph dot {\n";
    for (size_t i = 0; i < graph->nodes.size(); ++i) {
      const Node& node = *graph->nodes[i];
      text += fmt::format("\"node_{}\" [shape=\"box\" label=\"{}: {}\"];\n", i, i, label_of(runtime, node));
      for (const Node* other : node.before) {
        const auto from = std::ranges::find(graph->nodes, other, [](const auto& each) { return each.get(); });
        text += fmt::format("\"node_{}\" -> \"node_{}\";\n", from - graph->nodes.begin(), i);
      }
    }
    text += "}\n";
    std::FILE* file = std::fopen(path, "w");
    if (file == nullptr) return cudaErrorOperatingSystem;
    const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    return std::fclose(file) == 0 && written ? cudaSuccess : cudaErrorOperatingSystem;
  });
}

CUDA_API int cudaDeviceGraphMemTrim(int) {
  return call([](Runtime&) { return cudaSuccess; });
}
CUDA_API int cudaDeviceGetGraphMemAttribute(int, int, uint64_t* value) {
  return call([&](Runtime& runtime) {
    if (value == nullptr) return cudaErrorInvalidValue;
    *value = 0;
    for (const auto& [address, given_back] : runtime.graph_memory) {
      if (const auto found = runtime.allocations.find(address); found != runtime.allocations.end())
        *value += found->second.size_bytes;
    }
    return cudaSuccess;
  });
}
CUDA_API int cudaDeviceSetGraphMemAttribute(int, int, uint64_t*) {
  return call([](Runtime&) { return cudaSuccess; });
}

CUDA_API int cudaUserObjectCreate(UserObject** out, void* data, void (*destroy)(void*), unsigned count, unsigned) {
  return call([&](Runtime&) {
    if (out == nullptr || destroy == nullptr || count == 0) return cudaErrorInvalidValue;
    auto made = std::make_unique<UserObject>(UserObject{destroy, data, count});
    *out = made.get();
    user_objects()[*out] = std::move(made);
    return cudaSuccess;
  });
}
CUDA_API int cudaUserObjectRetain(UserObject* object, unsigned count) {
  return with_object(object, count, [&](Runtime&) { return object->count += count, cudaSuccess; });
}
CUDA_API int cudaUserObjectRelease(UserObject* object, unsigned count) {
  return with_object(object, count, [&](Runtime&) { return release(object, count); });
}
CUDA_API int cudaGraphRetainUserObject(Graph* graph, UserObject* object, unsigned count, unsigned flags) {
  return with_object(object, count, [&](Runtime& runtime) {
    constexpr unsigned kMove = 1;
    if (!knows(runtime, graph)) return cudaErrorInvalidValue;
    graph->kept[object] += count;
    if ((flags & kMove) == 0) object->count += count;
    return cudaSuccess;
  });
}
CUDA_API int cudaGraphReleaseUserObject(Graph* graph, UserObject* object, unsigned count) {
  return with_object(object, count, [&](Runtime& runtime) {
    if (!knows(runtime, graph) || graph->kept[object] < count) return cudaErrorInvalidValue;
    graph->kept[object] -= count;
    return release(object, count);
  });
}

namespace warplens::cuda_api {

void release_kept(const Graph& graph) {
  for (const auto& [object, count] : graph.kept) {
    auto* known = static_cast<UserObject*>(object);
    if (count > 0 && user_objects().contains(known)) (void)release(known, count);
  }
}

}  // namespace warplens::cuda_api
