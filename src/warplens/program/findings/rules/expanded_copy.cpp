// expanded-copy: a tensor is written out several times over for an operator that could read it as it is.
#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/analysis/host_work.h"
#include "warplens/program/findings/operators.h"
#include "warplens/program/findings/replaced_work.h"
#include "warplens/program/findings/rules.h"

namespace warplens::findings {
namespace {

constexpr size_t kUsedWithin = 8;  // operators after the copy

bool is_attention(std::string_view name) { return contains(name, "attention"); }

/// Operators that broadcast, or have a form which shares rows among heads.
bool can_share(std::string_view name) {
  return is_attention(name) || is_matrix_product(name) || is_pointwise(name) || name == "aten::matmul" ||
         name == "aten::einsum";
}

/// The product of a list of numbers among the values of an operator's inputs; 1 if there is none.
int64_t product_at(const std::vector<std::string>& inputs, size_t i) {
  const auto list = i < inputs.size() ? analysis::parse_shapes("[" + inputs[i] + "]") : std::nullopt;
  return list && !list->empty() && !list->front().dims.empty() ? analysis::element_count(list->front().dims) : 1;
}

/// How often operators[at] writes each element that it reads; 1 where it does not repeat them.
int64_t times_written(const Context& c, const std::vector<uint32_t>& operators, size_t at) {
  const uint32_t op = operators[at];
  const auto inputs = analysis::parse_string_array(c.p.text(c.p.operators.concrete_inputs[op]));
  if (c.op_name(op) == "aten::repeat_interleave") return inputs.size() > 1 ? parse_int(inputs[1]).value_or(1) : 1;
  if (c.op_name(op) == "aten::repeat") return product_at(inputs, 1);
  // A view that repeats, and the operator after it that writes it out.
  if (at == 0 || c.op_name(operators[at - 1]) != "aten::expand" || !c.program.calls_within(c.span_of(op))) return 1;
  const int64_t before = analysis::element_count(shape_of(c, operators[at - 1]));
  const int64_t elements = analysis::element_count(shape_of(c, op));
  return analysis::only_arranges(c.op_name(op)) && before > 0 && elements % before == 0 ? elements / before : 1;
}

/// The operator soon after that reads `read` elements as they were written, `times` each, and could share them; kNone
/// where none is.
uint32_t user_of(const Context& c, const std::vector<uint32_t>& operators, size_t at, int64_t read, int64_t times) {
  for (size_t i = at + 1; i < std::min(operators.size(), at + 1 + kUsedWithin); ++i) {
    for (size_t input = 0; input < c.shapes(operators[i]).size(); ++input) {
      const analysis::Shape shape = shape_of(c, operators[i], input);
      const int64_t elements = shape.empty() ? 0 : analysis::element_count(shape);
      if (elements % read != 0 || elements / read != times) continue;
      if (can_share(c.op_name(operators[i]))) return operators[i];
      if (!analysis::only_arranges(c.op_name(operators[i]))) return kNone;
    }
  }
  return kNone;
}

}  // namespace

std::optional<Finding> expanded_copy(const Context& c) {
  ReplacedWork work;
  int64_t most_times = 0;
  std::string_view user_name;
  for (const std::vector<uint32_t>& operators : operators_of_threads(c)) {
    for (size_t i = 0; i < operators.size(); ++i) {
      const int64_t times = times_written(c, operators, i);
      if (times < 2) continue;
      const bool views =
          c.op_name(operators[i]) != "aten::repeat_interleave" && c.op_name(operators[i]) != "aten::repeat";
      const int64_t read = analysis::element_count(shape_of(c, views ? operators[i - 1] : operators[i]));
      const uint32_t user = read > 0 ? user_of(c, operators, i, read, times) : kNone;
      if (user == kNone) continue;
      work.replace(c, operators[i], 0);
      work.change.host_removed.push_back(c.span_with_call(operators[i]));
      most_times = std::max(most_times, times);
      user_name = c.op_name(user);
    }
  }
  if (work.operators.empty()) return std::nullopt;
  Finding f;
  c.set_saving(f, work.change);
  if (saves_little(f)) return std::nullopt;
  f.title =
      fmt::format("{} written out {} times over {} for {}", counted(c.per_step(work.calls), "tensor is", "tensors are"),
                  most_times, c.each_step(), user_name);
  f.detail = fmt::format(
      "Writing the copies takes {} of device time {}. The saving is without them. The operator that reads the copies "
      "can save more, because it then reads less.",
      format_ns(c.per_step(static_cast<double>(work.device_ns))), c.each_step());
  f.advice = is_attention(user_name)
                 ? "Let the operator share the heads: scaled_dot_product_attention(..., enable_gqa=True), or make the "
                   "queries of one head of keys rows of one product."
                 : "Do not copy: broadcast the tensor with a dimension of 1 (unsqueeze, expand).";
  f.evidence = {{"copies_per_step", c.per_step(work.calls)},
                {"device_ns", work.device_ns / static_cast<int64_t>(c.program.steps)},
                {"times_written", most_times}};
  f.where = c.places(work.operators);
  return f;
}

}  // namespace warplens::findings
