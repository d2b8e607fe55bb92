#include "warplens/program/analysis/host_work.h"

#include <algorithm>
#include <array>

#include "warplens/base/text.h"

namespace warplens::analysis {
namespace {

// Sorted; without "aten::" and without a trailing '_'.
// clang-format off
constexpr auto kArranging = std::to_array<std::string_view>(
    {"_local_scalar_dense", "_reshape_alias", "_unsafe_view", "alias", "as_strided", "broadcast_tensors", "chunk",
     "detach", "empty", "empty_like", "empty_strided", "expand", "expand_as", "flatten",
     "flatten_dense_tensors", "is_nonzero", "item", "lift_fresh", "movedim", "narrow", "new_empty",
     "new_empty_strided", "permute", "record_stream", "requires_grad", "reshape", "resize", "result_type", "select",
     "set", "slice", "split", "split_with_sizes", "squeeze", "t", "transpose", "unbind", "unflatten",
     "unflatten_dense_tensors", "unsafe_split", "unsqueeze", "view", "view_as"});
// clang-format on

constexpr auto kFrames = std::to_array<std::string_view>(
    {"autograd::", "torch::autograd", "nccl:", "gloo:", "c10d::", "record_param_comms", "Torch-Compiled Region",
     "TorchDynamo", "Pregraph", "Optimizer.", "DistributedDataParallel", "## "});

}  // namespace

bool only_arranges(std::string_view op) {
  if (op.starts_with("aten::")) {
    op.remove_prefix(6);
    if (op.ends_with('_')) op.remove_suffix(1);
    return std::binary_search(kArranging.begin(), kArranging.end(), op);
  }
  return contains(op, "Backward") ||
         std::any_of(kFrames.begin(), kFrames.end(), [&](std::string_view frame) { return op.starts_with(frame); });
}

}  // namespace warplens::analysis
