// double-precision: operators of PyTorch, or kernels of the program, compute in 64 bits.
#include <algorithm>
#include <unordered_set>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/model/constants.h"
#include "warplens/program/findings/gemms.h"
#include "warplens/program/findings/replaced_work.h"
#include "warplens/program/findings/rules.h"

namespace warplens::findings {
namespace {

constexpr std::string_view kDouble = "double";

/// Whether each of its tensors, of which one has more than one element, is of 64-bit floating point.
bool is_double(const Context& c, uint32_t op) {
  const auto& shapes = c.shapes(op);
  const auto& types = c.types(op);
  bool any = false;
  for (size_t i = 0; i < std::min(types.size(), shapes.size()); ++i) {
    if (shapes[i].dims.empty()) continue;
    if (types[i] != kDouble) return false;
    any |= analysis::element_count(shapes[i].dims) > 1;
  }
  return any;
}

/// Half the bytes, so half of what memory takes of the time; what else a kernel does stays.
int64_t single_ns(const Context& c, uint32_t op, int64_t double_ns) {
  int64_t elements = c.largest_input(op);  // the result has as many at most
  for (const analysis::InputShape& shape : c.shapes(op))
    elements += shape.is_list || shape.dims.empty() ? 0 : analysis::element_count(shape.dims);
  const double moving = moving_ns(c, static_cast<double>(elements) * sizeof(double));
  const auto spared_ns = static_cast<int64_t>(moving / 2);
  const int64_t least_ns =
      std::max({double_ns / 2, double_ns - spared_ns, static_cast<int64_t>(model::kShortKernelNs)});
  return std::min(double_ns, least_ns);
}

/// By its name, which has the types of its parameters: a kernel that no operator launched.
bool is_double_kernel(const Context& c, const ProgramEvent& event) {
  const std::string_view name = c.event_name(event);
  return contains(name, kDouble) && !contains(name, "float") && !contains(name, "half") && !contains(name, "bfloat16");
}

/// What such a kernel moves is not known: half the time at best, as half the bytes and twice the rate would give.
int64_t halved_ns(const ProgramEvent& event) {
  return std::min(event.duration_ns, std::max(event.duration_ns / 2, static_cast<int64_t>(model::kShortKernelNs)));
}

/// Products also at the rate of 32 bits.
void compute_in_single(const Context& c, Change& change, Finding& f, std::vector<uint32_t>& ops, int64_t& device_ns) {
  std::unordered_set<uint32_t> products;
  for (const Gemm& gemm : c.gemms()) {
    if (gemm.dtype != kDouble || gemm.events.empty()) continue;
    products.insert(gemm.op);
    const int64_t computed_ns = gemm_ns(c, gemm, c.hardware.fp32_flops_per_ns);
    run_as_one(c, gemm.events, static_cast<double>(std::max(gemm.device_ns / 2, computed_ns)), change);
    for (const uint32_t event : gemm.events) f.events.push_back(c.program.events[event].row);
    ops.push_back(c.root_of(gemm.op));
    device_ns += gemm.device_ns;
  }
  for (const ProgramEvent& event : c.program.events) {
    const uint32_t op = c.op_of(event);
    if (op == kNone ? !is_double_kernel(c, event) : products.contains(op) || !is_double(c, op)) continue;
    change.event_duration.emplace_back(event.row, op == kNone ? halved_ns(event) : single_ns(c, op, event.duration_ns));
    f.events.push_back(event.row);
    if (op != kNone) ops.push_back(c.root_of(op));
    device_ns += event.duration_ns;
  }
}

}  // namespace

std::optional<Finding> double_precision(const Context& c) {
  Change change;
  Finding f;
  std::vector<uint32_t> ops;
  int64_t device_ns = 0;
  compute_in_single(c, change, f, ops, device_ns);
  if (f.events.empty()) return std::nullopt;
  c.set_saving(f, change);
  if (saves_little(f)) return std::nullopt;
  f.title = fmt::format("{} kernels {} compute in 64 bits: {} of device time",
                        format_count(c.per_step(static_cast<double>(f.events.size()))), c.each_step(),
                        format_ns(c.per_step(static_cast<double>(device_ns))));
  f.detail = "Numbers of 32 bits take half the memory, and half the time where memory is the limit.";
  if (ops.empty())
    f.detail +=
        " The recording does not show how much these kernels move. The saving is half of their time, which "
        "is an upper bound.";
  else f.detail += " NumPy makes 64-bit numbers by default.";
  f.detail += " The saving assumes that 32 bits are precise enough.";
  f.advice =
      ops.empty()
          ? "Compute with float where 32 bits are precise enough: change the type, or the template argument."
          : "Convert inputs and parameters once: tensor.float(), model.float(), numpy arrays with dtype=float32.";
  f.evidence = {{"kernels_per_step", c.per_step(static_cast<double>(f.events.size()))},
                {"device_ns", device_ns / static_cast<int64_t>(c.program.steps)}};
  f.where = c.places(ops);
  return f;
}

}  // namespace warplens::findings
