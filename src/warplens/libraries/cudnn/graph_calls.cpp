// cuDNN's graphs run: a plan with the memory of its tensors.
#include <set>

#include "warplens/libraries/cudnn/graph_descriptor.h"
#include "warplens/libraries/cudnn/graph_run.h"
#include "warplens/libraries/cudnn/graph_work.h"
#include "warplens/libraries/cudnn/handle.h"

using namespace warplens;
using namespace warplens::libraries;

namespace {

template <typename F>
void each_in_memory(const Graph& graph, F use) {
  std::set<std::pair<int64_t, bool>> seen;
  for (const GraphOperation& operation : graph.operations)
    for (const auto* tensors : {&operation.inputs, &operation.outputs})
      for (const TensorRef& tensor : *tensors)
        if (tensor != nullptr && !tensor->is_virtual && !tensor->is_scalar() &&
            seen.insert({tensor->id, tensors == &operation.outputs}).second)
          use(*tensor, tensors == &operation.outputs);
}

std::vector<TouchedMemory> touched(const Graph& graph, const GraphData& data) {
  std::set<int64_t> made;  // what the graph reads of its own results was written by then
  std::vector<TouchedMemory> reads, out;
  for (const bool written : {true, false})
    each_in_memory(graph, [&](const GraphTensor& tensor, bool is_output) {
      if (is_output != written || (!written && made.contains(tensor.id))) return;
      if (written) made.insert(tensor.id);
      const auto found = data.pointers.find(tensor.id);
      const int element = size_bytes(number_of_dnn(tensor.type));
      constexpr int kWhole = 8;  // an int64's bytes, which no product takes
      const auto bytes = static_cast<uint64_t>(span_of(tensor, data) * (element != 0 ? element : kWhole));
      if (found != data.pointers.end() && found->second != nullptr && bytes > 0)
        (written ? out : reads).push_back({found->second, bytes, bytes, 1, written});
    });
  reads.insert(reads.end(), out.begin(), out.end());
  return reads;
}

/// Scalars of the host are read now: the program may change them when the call has returned.
void read_scalars(const Graph& graph, GraphData* data) {
  for (const GraphOperation& operation : graph.operations)
    for (const TensorRef& input : operation.inputs) {
      if (input == nullptr || !input->is_by_value || input->constant) continue;
      const auto found = data->pointers.find(input->id);
      const Number number = number_of_dnn(input->type);
      if (found == data->pointers.end() || found->second == nullptr || size_bytes(number) == 0) continue;
      data->scalars[input->id] = load_one(number, found->second).real();
    }
}

}  // namespace

CUDA_API int cudnnBackendExecute(const DnnHandle* handle, const BackendDescriptor* plan,
                                 const BackendDescriptor* pack) {
  if (handle == nullptr) return kDnnNotInitialized;
  if (plan == nullptr || pack == nullptr || !plan->content->is_final) return kDnnBadParameter;
  const Content* const config = plan->content->part(attribute::kPlanConfig);
  const Content* const engine = config == nullptr ? nullptr : config->part(attribute::kConfigEngine);
  const Content* const described = engine == nullptr ? nullptr : engine->part(attribute::kEngineGraph);
  const Attribute *ids = pack->content->find(attribute::kPackIds),
                  *pointers = pack->content->find(attribute::kPackPointers);
  if (described == nullptr || described->graph == nullptr || ids == nullptr || pointers == nullptr ||
      ids->whole.size() != pointers->whole.size())
    return kDnnBadParameter;
  const std::shared_ptr<const Graph> graph = described->graph;
  GraphData data{
      .pointers = {}, .scalars = {}, .tf32 = graph->multiplies_f32 && engine->whole(attribute::kEngineIndex) == 0};
  for (size_t i = 0; i < ids->whole.size(); ++i)
    data.pointers[ids->whole[i]] = reinterpret_cast<void*>(pointers->whole[i]);
  read_scalars(*graph, &data);
  Task task{.name = name_of(*graph, data.tf32), .time = time_of(*graph, data.tf32)};
  task.touches = [graph, data] { return touched(*graph, data); };
  task.run = [graph, data] { return run_graph(*graph, data); };
  return queue(handle->stream, std::move(task)) == 0 ? kDnnSuccess : kDnnExecutionFailed;
}
