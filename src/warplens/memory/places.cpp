// What a stack says of an allocation.
#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/memory/analysis.h"

namespace warplens::memory {
namespace {

/// Of a library: what its users write stands further out.
bool is_library(const Frame& frame) {
  return contains(frame.file, "site-packages/") || contains(frame.file, "dist-packages/") ||
         contains(frame.file, "/torch/") || frame.file.starts_with("torch/") || contains(frame.file, "/lib/python") ||
         frame.file.starts_with("<frozen");
}

bool any(const std::vector<Frame>& stack, bool (*fits)(const Frame&)) {
  return std::any_of(stack.begin(), stack.end(), fits);
}

bool is_optimizer(const Frame& f) {
  const bool steps =
      contains(f.function, "step") || contains(f.function, "init_state") || contains(f.function, "init_group");
  return contains(f.file, "torch/optim/") || (steps && contains(f.file, "optim"));
}

bool is_backward(const Frame& f) {
  return contains(f.function, "torch::autograd::Engine") || contains(f.function, "torch::autograd::python::") ||
         contains(f.file, "torch/autograd/__init__.py") || (f.function == "backward" && is_python(f));
}

bool is_forward(const Frame& f) { return f.function == "forward" || f.function == "_call_impl"; }

bool is_module_setup(const Frame& f) {
  const bool module_file = contains(f.file, "nn/modules/module.py") || contains(f.file, "nn/parameter.py");
  return (module_file &&
          (f.function == "_apply" || f.function == "to" || f.function == "cuda" || f.function == "convert")) ||
         f.function == "__init__" || f.function == "load_state_dict" || f.function == "reset_parameters";
}

/// Of a stack without Python, the backward pass's for one: the node of autograd, else the operator.
const Frame* telling_frame(const std::vector<Frame>& stack) {
  for (const std::string_view part : {"Backward", "at::_ops::", "at::native::", "torch::autograd::"}) {
    for (const Frame& frame : stack) {
      if (contains(frame.function, part)) return &frame;
    }
  }
  return stack.empty() ? nullptr : &stack.front();
}

}  // namespace

bool is_python(const Frame& frame) { return frame.file.ends_with(".py") || frame.file.starts_with("<"); }

std::string place_of(const std::vector<Frame>& stack) {
  const auto own =
      std::find_if(stack.begin(), stack.end(), [](const Frame& f) { return is_python(f) && !is_library(f); });
  const auto found = own != stack.end() ? own : std::find_if(stack.begin(), stack.end(), is_python);
  if (found != stack.end()) return repair_utf8(fmt::format("{}:{} {}", found->file, found->line, found->function));
  const Frame* frame = telling_frame(stack);
  return frame == nullptr ? "" : repair_utf8(frame->function.substr(0, frame->function.find('(')));
}

std::string_view category_of(const std::vector<Frame>& stack) {
  if (any(stack, is_optimizer)) return "optimizer";
  if (any(stack, is_backward)) return "gradients";
  if (any(stack, is_forward)) return "activations";
  return any(stack, is_module_setup) ? "weights" : "other";
}

}  // namespace warplens::memory
