#include "warplens/cli/ops_replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/analysis/causes.h"
#include "warplens/program/analysis/operators/shapes.h"

namespace warplens::cli {
namespace {

using analysis::Shape;

/// As traces name element types, and as torch does.
constexpr auto kTypes =
    std::to_array<std::pair<std::string_view, std::string_view>>({{"float", "float32"},
                                                                  {"double", "float64"},
                                                                  {"c10::Half", "float16"},
                                                                  {"c10::BFloat16", "bfloat16"},
                                                                  {"long int", "int64"},
                                                                  {"long", "int64"},
                                                                  {"int", "int32"},
                                                                  {"short", "int16"},
                                                                  {"signed char", "int8"},
                                                                  {"unsigned char", "uint8"},
                                                                  {"bool", "bool"},
                                                                  {"c10::Float8_e4m3fn", "float8_e4m3fn"},
                                                                  {"c10::Float8_e5m2", "float8_e5m2"},
                                                                  {"c10::complex<float>", "complex64"}});

/// All calls with equal inputs.
struct Variant {
  uint32_t op = 0;  // one of them
  int64_t calls = 0, device_ns = 0, host_ns = 0;
};

/// The costliest inputs of the operator; no calls where there is none of that name.
Variant costliest(const Profile& p, std::string_view name) {
  const analysis::Causes causes(p);
  const auto& ops = p.operators;
  std::map<std::tuple<StringId, StringId, StringId, StringId>, Variant> variants;
  const auto variant_of = [&](uint32_t op) -> Variant& {
    return variants[{ops.input_shapes[op], ops.input_types[op], ops.input_strides[op], ops.concrete_inputs[op]}];
  };
  for (uint32_t op = 0; op < ops.size(); ++op) {
    if (p.text(ops.name[op]) != name) continue;
    Variant& variant = variant_of(op);
    variant.op = op;
    ++variant.calls;
    variant.host_ns += ops.duration_ns[op];
  }
  for (uint32_t event = 0; event < p.device_events.size(); ++event) {
    uint32_t op = causes.links.event_operator[event];
    while (op != kNone && p.text(ops.name[op]) != name) op = causes.operators.parent[op];
    if (op != kNone) variant_of(op).device_ns += p.device_events.duration_ns[event];
  }
  Variant best;
  for (const auto& [key, variant] : variants) {
    if (std::pair(variant.device_ns, variant.host_ns) >= std::pair(best.device_ns, best.host_ns)) best = variant;
  }
  return best;
}

std::string tuple_text(const Shape& shape) {
  return shape.empty() ? "()" : fmt::format("({},)", fmt::join(shape, ", "));
}

Shape contiguous(const Shape& shape) {
  Shape out(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) out[i - 1] = out[i] * std::max<int64_t>(shape[i], 1);
  return out;
}

/// A number, list or truth value as the trace has it; what is no literal of Python is None.
std::string literal(std::string_view text) {
  const bool plain =
      !text.empty() && text.find_first_not_of("0123456789.,-+eE[] TrueFalsinf") == std::string_view::npos;
  return plain && text != "inf" ? std::string(text) : "None";
}

Result<std::string> inputs_text(const Profile& p, uint32_t op) {
  const auto shapes = analysis::parse_shapes(p.text(p.operators.input_shapes[op]));
  if (!shapes || shapes->empty())
    return not_found("its input shapes were not recorded: record with record_shapes=True");
  const auto strides = analysis::parse_shapes(p.text(p.operators.input_strides[op]));
  const std::vector<std::string> types = analysis::parse_string_array(p.text(p.operators.input_types[op]));
  const std::vector<std::string> concrete = analysis::parse_string_array(p.text(p.operators.concrete_inputs[op]));
  std::string out;
  for (size_t i = 0; i < shapes->size(); ++i) {
    const std::string type = i < types.size() ? types[i] : std::string();
    const auto known = std::find_if(kTypes.begin(), kTypes.end(), [&](const auto& t) { return t.first == type; });
    const analysis::InputShape& input = (*shapes)[i];
    if (known != kTypes.end()) {
      const bool strided = strides && i < strides->size() && (*strides)[i].dims.size() == input.dims.size();
      out += fmt::format("    tensor({}, {}, torch.{}),\n", tuple_text(input.dims),
                         tuple_text(strided ? (*strides)[i].dims : contiguous(input.dims)), known->second);
    } else if (input.is_list) {  // traces do not tell the type of a list's tensors
      out += "    [";
      for (const Shape& shape : input.list)
        out += fmt::format("tensor({}, {}, torch.float32), ", tuple_text(shape), tuple_text(contiguous(shape)));
      out += "],\n";
    } else if (type.empty() || type == "Scalar" || type == "ScalarList") {
      out += fmt::format("    {},\n", literal(i < concrete.size() ? concrete[i] : std::string()));
    } else {
      return unsupported(fmt::format("input {} has type {}, which is not a tensor type of torch", i, type));
    }
  }
  return out;
}

constexpr std::string_view kBegin = R"(import time

import torch

device = "cuda" if torch.cuda.is_available() else "cpu"


def tensor(shape, strides, dtype):
    size = 1 + sum((n - 1) * step for n, step in zip(shape, strides)) if all(shape) else 0
    floating = dtype.is_floating_point or dtype.is_complex
    flat = torch.randn(size, device=device).to(dtype) if floating else torch.zeros(size, dtype=dtype, device=device)
    return flat.as_strided(shape, strides)


)";

constexpr std::string_view kScriptEnd = R"(

def bound(op):
    """The overload that takes these inputs, with them."""
    for name in op.overloads():
        form = getattr(op, name)
        arguments = form._schema.arguments
        if len(arguments) != len(inputs):
            continue
        positional = [value for argument, value in zip(arguments, inputs) if not argument.kwarg_only]
        named = {argument.name: value for argument, value in zip(arguments, inputs) if argument.kwarg_only}
        try:
            form(*positional, **named)
        except (RuntimeError, TypeError, ValueError):
            continue
        return lambda: form(*positional, **named)
    raise SystemExit(f"no overload of {op} takes these inputs")


def wait():
    if device == "cuda":
        torch.cuda.synchronize()


run = bound(operator)
repeats = 20
wait()
begin = time.perf_counter()
for _ in range(repeats):
    run()
wait()
print(f"{operator}: {(time.perf_counter() - begin) / repeats * 1e6:.1f} us a call on {device}")
)";

}  // namespace

Result<std::string> replay_script(const Profile& p, std::string_view name) {
  const Variant variant = costliest(p, name);
  if (variant.calls == 0)
    return not_found(fmt::format("no operator '{}' in this trace; `warplens ops` lists them", name));
  const size_t colons = name.find("::");
  if (colons == std::string_view::npos || name.find_first_of(" .#<>") != std::string_view::npos)
    return unsupported(fmt::format("'{}' is a range or a compiled region, not an operator of torch.ops", name));
  const Result<std::string> inputs = inputs_text(p, variant.op);
  if (!inputs.ok()) return inputs.status().in(std::string(name));
  const auto each = [&](int64_t ns) { return format_ns(static_cast<double>(ns) / static_cast<double>(variant.calls)); };
  std::string out = fmt::format(
      "\"\"\"{} alone, with inputs of the shapes, strides and types that a trace recorded: {} calls of {} on the "
      "host{}.\n"
      "Floats are random, integers zero.\"\"\"\n\n",
      name, variant.calls, each(variant.host_ns),
      variant.device_ns > 0 ? fmt::format(" and {} of GPU time each", each(variant.device_ns)) : "");
  out += kBegin;
  out += fmt::format("operator = torch.ops.{}.{}\ninputs = [\n{}]\n", name.substr(0, colons), name.substr(colons + 2),
                     *inputs);
  return out += kScriptEnd;
}

}  // namespace warplens::cli
