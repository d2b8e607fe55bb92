// repeated-cast: the same tensors converted between 32, 16 and 8 bits in every step, or there and back again.
#include <algorithm>
#include <map>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/findings/dequantised.h"
#include "warplens/program/findings/kernel_classes.h"
#include "warplens/program/findings/operators.h"
#include "warplens/program/findings/rules.h"

namespace warplens::findings {
namespace {

struct Cast {
  uint32_t event, op;
  bool down;  // to 16 bits
  int64_t elements;
};

bool converts(std::string_view name) {
  return name == "aten::to" || name == "aten::_to_copy" || name == "aten::copy_" || name == "ToCopyBackward0";
}

std::vector<Cast> find_casts(const Context& c) {
  std::vector<Cast> out;
  for (uint32_t i = 0; i < c.program.events.size(); ++i) {
    const uint32_t op = c.op_of(c.program.events[i]);
    if (op == kNone || (c.op_name(op) != "aten::copy_" && c.op_name(op) != "aten::_to_copy")) continue;
    const auto& types = c.types(op);
    if (types.size() < 2) continue;
    const bool down = is_half(types[0]) && types[1] == "float", up = types[0] == "float" && is_half(types[1]);
    if (down || up) out.push_back({i, op, down, c.largest_input(op)});
  }
  return out;
}

/// A kernel of the program's own can convert what it reads and writes. One that moves so many elements of 32 bits in
/// and out as fast as memory allows takes half of its time for 16 bits. One that computes longer does not.
int64_t with_half_the_bytes(const Context& c, const ProgramEvent& event, int64_t elements) {
  constexpr double kBytes = 2 * sizeof(float);
  const double moving_ns = kBytes * static_cast<double>(elements) / std::max<double>(c.hardware.dram_bytes_per_ns, 1);
  const bool moves = !is_own_kernel(c, event) || 2 * moving_ns > static_cast<double>(event.duration_ns);
  return moves ? event.duration_ns / 2 : event.duration_ns;
}

/// Casts to 32 bits count only where a cast back of the same size follows soon: what 32-bit work needs is no waste.
std::vector<std::pair<Cast, const Cast*>> wasted(const Context& c, const std::vector<Cast>& casts) {
  constexpr uint32_t kSoon = 8;  // kernels
  std::vector<std::pair<Cast, const Cast*>> out;
  for (size_t i = 0; i < casts.size(); ++i) {
    if (casts[i].down) {
      out.emplace_back(casts[i], nullptr);
      continue;
    }
    for (size_t j = i + 1; j < casts.size() && casts[j].event - casts[i].event <= kSoon; ++j) {
      if (!casts[j].down || casts[j].elements != casts[i].elements) continue;
      bool pointwise = true;  // nothing between needs 32 bits
      for (uint32_t e = casts[i].event + 1; e < casts[j].event; ++e) {
        const ProgramEvent& between = c.program.events[e];  // a copy from the host is no work on what was cast
        pointwise &= c.p.device_events.kind[between.row] == DeviceEventKind::kKernel &&
                     (is_pointwise(c.op_name(c.op_of(between))) || is_own_kernel(c, between));
      }
      if (pointwise) out.emplace_back(casts[i], &casts[j]);
      break;
    }
  }
  return out;
}

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

std::optional<Finding> from_32_bits(const Context& c) {
  constexpr double kLeastCasts = 2;
  const std::vector<Cast> casts = find_casts(c);
  const auto found = wasted(c, casts);
  if (c.per_step(static_cast<double>(found.size())) < kLeastCasts) return std::nullopt;
  Change change;
  std::vector<uint32_t> ops;
  std::map<StringId, size_t> shapes;
  int64_t device_ns = 0;
  for (const auto& [cast, back] : found) {
    const ProgramEvent& event = c.program.events[cast.event];
    change.events_removed.push_back(event.row);
    device_ns += event.duration_ns;
    uint32_t op = cast.op;
    while (c.joined.operators.parent[op] != kNone && converts(c.op_name(c.joined.operators.parent[op])))
      op = c.joined.operators.parent[op];
    change.host_removed.push_back(c.span_with_call(op));
    ops.push_back(c.root_of(op));
    ++shapes[c.p.operators.input_shapes[cast.op]];
    for (uint32_t e = cast.event + 1; back && e < back->event; ++e)
      change.event_duration.emplace_back(c.program.events[e].row,
                                         with_half_the_bytes(c, c.program.events[e], cast.elements));
  }
  Finding f;
  c.set_saving(f, change);
  if (saves_little(f)) return std::nullopt;
  const bool autocast = std::any_of(found.begin(), found.end(), [&](const auto& entry) {
    return c.around(entry.first.op,
                    [](std::string_view name) { return name == "aten::linear" || contains(name, "conv"); }) != kNone;
  });
  f.title = fmt::format("{} conversions between 32 and 16 bits {} take {} of device time",
                        format_count(c.per_step(static_cast<double>(found.size()))), c.each_step(),
                        format_ns(static_cast<double>(device_ns) / static_cast<double>(c.program.steps)));
  const bool undone =
      std::any_of(found.begin(), found.end(), [](const auto& entry) { return entry.second != nullptr; });
  f.detail = fmt::format("Tensors of {} shape{} are converted{}.", shapes.size(), shapes.size() == 1 ? "" : "s",
                         autocast ? "; the same weights are converted again in every step"
                         : undone ? ", and back soon after"
                                  : " in every step");
  f.advice =
      autocast
          ? "For inference, convert the model once (model.to(torch.bfloat16)). In training, keep bf16 weights with "
            "a 32-bit master copy in the optimizer, or let torch.compile fuse the conversions. Autocast converts "
            "32-bit weights at each use, and caches them inside one region: do not leave the region in each layer."
          : "Stay in one type: convert once before the loop, and remove conversions that are reversed right after.";
  f.evidence = {{"casts_per_step", c.per_step(static_cast<double>(found.size()))},
                {"device_ns", device_ns / static_cast<int64_t>(c.program.steps)},
                {"distinct_shapes", static_cast<int64_t>(shapes.size())}};
  f.where = c.places(ops);
  return f;
}

}  // namespace

std::optional<Finding> repeated_cast(const Context& c) {
  std::optional<Finding> found = from_8_bits(c);
  return found ? found : from_32_bits(c);
}

}  // namespace warplens::findings
