#include "warplens/libraries/cudnn/convolution_work.h"

#include "warplens/base/text.h"
#include "warplens/libraries/queue/queue.h"

namespace warplens::libraries {
namespace {

Unit unit_of(const Convolution& c) {
  if (c.tf32) return Unit::kTf32;
  return c.y.number == Number::kF64 ? Unit::kF64 : c.y.number == Number::kF32 ? Unit::kF32 : Unit::kF16;
}

const char* pass_name(ConvolutionPass pass) {
  switch (pass) {
    case ConvolutionPass::kForward: return "";
    case ConvolutionPass::kBackwardData: return " dgrad";
    case ConvolutionPass::kBackwardFilter: return " wgrad";
  }
  return "";
}

std::string sizes(const Dims& size, size_t from) {
  std::vector<std::string> out;
  for (size_t i = from; i < size.size(); ++i)
    if (i < 2 || i > 2 || size[2] > 1) out.push_back(std::to_string(size[i]));
  return join(out, "x");
}

}  // namespace

LibraryTime time_of(const Convolution& c) {
  const auto space = [](const Tensor& t) { return t.size[2] * t.size[3] * t.size[4]; };
  const ConvolutionResult results[] = {ConvolutionResult::kOutput, ConvolutionResult::kInput,
                                       ConvolutionResult::kFilter};
  return convolution_time({.result = results[static_cast<int>(c.pass)],
                           .images = c.x.size[0],
                           .channels = c.x.size[1],
                           .filters = c.y.size[1],
                           .groups = c.groups,
                           .input_space = space(c.x),
                           .output_space = space(c.y),
                           .filter_space = space(c.w),
                           .unit = unit_of(c),
                           .element_bytes = size_bytes(c.y.number),
                           .channels_last = c.x.step[1] == 1 && c.x.size[1] > 1},
                          *device());
}

std::string name_of(const Convolution& c) {
  std::string out = fmt::format("conv{}d{} {} {} by {}", c.x.size[2] > 1 ? 3 : 2, pass_name(c.pass),
                                c.tf32 ? "tf32" : name(c.y.number), sizes(c.x.size, 0), sizes(c.w.size, 0));
  if (c.stride[2] > 1 || c.stride[1] > 1) out += fmt::format(" stride {}", c.stride[2]);
  if (c.dilation[2] > 1) out += fmt::format(" dilation {}", c.dilation[2]);
  if (c.groups > 1) out += fmt::format(" groups {}", c.groups);
  return out;
}

}  // namespace warplens::libraries
