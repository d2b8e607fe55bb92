#include "warplens/program/findings/dequantised.h"

#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/program/findings/operators.h"

namespace warplens::findings {
namespace {

constexpr int64_t kLeastElements = 65536;  // fewer are no weight of a product worth a word

bool is_8_bit(std::string_view type) {
  return type == "signed char" || type == "unsigned char" || type.starts_with("c10::Float8");
}

bool is_float(std::string_view type) { return type == "float" || is_half(type); }

std::string_view type_at(const Context& c, uint32_t op, size_t i) {
  const std::vector<std::string>& types = c.types(op);
  return i < types.size() ? std::string_view(types[i]) : std::string_view();
}

/// Whether an operator makes or uploads a tensor of 8 bits: then what is converted may be new in each step.
bool makes_8_bits(const Context& c) {
  return std::ranges::any_of(c.program.events, [&](const ProgramEvent& event) {
    const uint32_t op = c.op_of(event);
    return op != kNone && ((c.op_name(op) == "aten::copy_" && is_8_bit(type_at(c, op, 0))) ||
                           c.around(op, [](std::string_view name) { return contains(name, "quantize"); }) != kNone);
  });
}

bool reads_as_matrix(const Context& c, uint32_t op, int64_t elements) {
  return is_matrix_product(c.op_name(op)) && std::ranges::any_of(c.shapes(op), [&](const analysis::InputShape& shape) {
           return !shape.dims.empty() && analysis::element_count(shape.dims) == elements;
         });
}

/// The end of the row of events that begins with a conversion, scales its result, and leads to a product with it;
/// `begin` where there is none such.
size_t end_of_row(const Context& c, size_t begin, int64_t elements) {
  const std::vector<ProgramEvent>& events = c.program.events;
  for (size_t i = begin + 1; i < events.size(); ++i) {
    const uint32_t op = c.op_of(events[i]);
    if (op == kNone) return begin;
    if (reads_as_matrix(c, op, elements)) return i;
    if (!is_pointwise(c.op_name(op)) || c.largest_input(op) != elements) return begin;
  }
  return begin;
}

}  // namespace

Dequantised dequantised(const Context& c) {
  Dequantised out;
  if (makes_8_bits(c)) return out;
  for (size_t i = 0; i < c.program.events.size(); ++i) {
    const uint32_t op = c.op_of(c.program.events[i]);
    if (op == kNone || c.op_name(op) != "aten::copy_" || !is_float(type_at(c, op, 0)) || !is_8_bit(type_at(c, op, 1)))
      continue;
    const int64_t elements = c.largest_input(op);
    const size_t end = elements < kLeastElements ? i : end_of_row(c, i, elements);
    if (end == i) continue;
    ++out.weights;
    out.operators.push_back(c.root_of(op));
    for (; i < end; ++i) {
      const ProgramEvent& event = c.program.events[i];
      out.change.events_removed.push_back(event.row);
      out.change.host_removed.push_back(c.span_with_call(c.root_of(c.op_of(event))));
      out.device_ns += event.duration_ns;
    }
  }
  return out;
}

}  // namespace warplens::findings
