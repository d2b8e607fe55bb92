// repeated-cast: the same tensors converted between 32, 16 and 8 bits in every step, or there and back again.
#include <algorithm>
#include <set>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/findings/dequantised.h"
#include "warplens/program/findings/rules.h"
#include "warplens/program/findings/wasted_casts.h"

namespace warplens::findings {
namespace {

/// Weights of 8 bits.
std::optional<Finding> from_8_bits(const Context& c) {
  const Dequantised found = dequantised(c);
  if (!found.weights) return std::nullopt;
  Finding f;
  c.set_saving(f, found.change);
  if (saves_little(f)) return std::nullopt;
  const double count = c.per_step(static_cast<double>(found.weights));
  f.title =
      fmt::format("{} weights of 8 bits {} are converted before a product: {} of device time", format_count(count),
                  c.each_step(), format_ns(c.per_step(static_cast<double>(found.device_ns))));
  f.detail = "The weights do not change, and the converted tensor is dropped after the product.";
  f.advice =
      "If memory allows, convert the weights once before the loop. Otherwise use a product that reads 8 bits "
      "(torch._weight_int8pack_mm, torchao), or fuse the conversion into a kernel with the product.";
  f.evidence = {{"casts_per_step", count}, {"device_ns", found.device_ns / static_cast<int64_t>(c.program.steps)}};
  f.where = c.places(found.operators);
  return f;
}

std::string advice(const WastedCasts& found, bool autocast) {
  if (autocast) {
    return "For inference, convert the model once (model.to(torch.bfloat16)). In training, keep bf16 weights with "
           "a 32-bit master copy in the optimizer, or let torch.compile fuse the conversions. Autocast converts "
           "32-bit weights at each use, and caches them inside one region: do not leave the region in each layer.";
  }
  if (found.by_rows) {
    return "Give the softmax, loss or normalisation the 16-bit tensor. Only its result is rounded then. If the result "
           "must have 32 bits, use a kernel that converts inside: torch.compile, or a fused loss.";
  }
  return "Stay in one type: convert once before the loop, and remove conversions that are reversed right after.";
}

std::optional<Finding> from_32_bits(const Context& c) {
  constexpr double kLeastCasts = 2;
  const WastedCasts found = wasted_casts(c);
  const double count = c.per_step(static_cast<double>(found.events.size()));
  if (count < kLeastCasts) return std::nullopt;
  Finding f;
  c.set_saving(f, found.change);
  if (saves_little(f)) return std::nullopt;
  int64_t device_ns = 0;
  for (const uint32_t event : found.events) device_ns += c.program.events[event].duration_ns;
  std::set<StringId> shapes;
  std::vector<uint32_t> roots;
  for (const uint32_t op : found.operators) {
    shapes.insert(c.p.operators.input_shapes[op]);
    roots.push_back(c.root_of(op));
  }
  const bool autocast = std::ranges::any_of(found.operators, [&](uint32_t op) {
    return c.around(op, [](std::string_view name) { return name == "aten::linear" || contains(name, "conv"); }) !=
           kNone;
  });
  f.title = fmt::format("{} conversions between 32 and 16 bits {} take {} of device time", format_count(count),
                        c.each_step(), format_ns(c.per_step(static_cast<double>(device_ns))));
  f.detail = fmt::format("Tensors of {} shape{} are converted{}.", shapes.size(), shapes.size() == 1 ? "" : "s",
                         autocast       ? "; the same weights are converted again in every step"
                         : found.undone ? ", and back later"
                                        : " in every step");
  if (found.by_rows)
    f.detail += " The softmax or normalisation between them computes in 32 bits inside, also for tensors of 16 bits.";
  f.advice = advice(found, autocast);
  f.evidence = {{"casts_per_step", count},
                {"device_ns", device_ns / static_cast<int64_t>(c.program.steps)},
                {"distinct_shapes", static_cast<int64_t>(shapes.size())}};
  f.where = c.places(roots);
  return f;
}

}  // namespace

std::optional<Finding> repeated_cast(const Context& c) {
  std::optional<Finding> found = from_8_bits(c);
  return found ? found : from_32_bits(c);
}

}  // namespace warplens::findings
