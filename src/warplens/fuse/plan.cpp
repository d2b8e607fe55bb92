#include "warplens/fuse/plan.h"

#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/bench/harness/check_output.h"

namespace warplens::fuse {

int64_t FusionPlan::chain_bytes() const {
  int64_t bytes = 0;
  for (const ChainStep& step : chain) bytes += step.kernel.bytes;
  return bytes;
}

std::vector<launch::DType> FusionPlan::input_dtypes() const {
  std::vector<launch::DType> out;
  for (const Operand& input : inputs) out.push_back(input.dtype);
  return out;
}

std::vector<launch::DType> FusionPlan::output_dtypes() const {
  std::vector<launch::DType> out;
  for (const Operand& output : outputs) out.push_back(output.dtype);
  return out;
}

Result<Operand> parse_operand(const std::string& text, launch::DType dtype) {
  const size_t equals = text.find('='), open = text.find('[');
  if (equals == std::string::npos || open == std::string::npos || open < equals || !text.ends_with(']'))
    return usage_error(fmt::format("--input {}: NAME=DTYPE[SHAPE] is wanted, as in w=f32[1024]", text));
  Operand out{text.substr(0, equals), dtype, {}};
  if (const std::string name = text.substr(equals + 1, open - equals - 1); !name.empty()) {
    const auto found = launch::find_dtype(name);
    if (!found)
      return usage_error(fmt::format("--input {}: no dtype '{}'; there are {}", text, name, launch::dtype_names()));
    out.dtype = *found;
  }
  Result<Shape> shape = formula::parse_shape(std::string_view(text).substr(open + 1, text.size() - open - 2));
  if (!shape.ok()) return shape.status().in("--input " + text);
  out.shape = *shape;
  return out;
}

Result<GeneratedKernel> emit_fused(const FusionPlan& plan, const EmitOptions& options) {
  return emit_kernel(plan.graph, plan.input_dtypes(), plan.output_dtypes(), options);
}

Result<FusionPlan> plan_fusion(const FusionRequest& request) {
  FusionPlan plan;
  WL_ASSIGN(plan.formula, formula::parse_formula(request.formula));
  for (const Operand& given : request.inputs) {
    if (std::find(plan.formula.inputs.begin(), plan.formula.inputs.end(), given.name) == plan.formula.inputs.end())
      return usage_error(
          fmt::format("the formula has no input '{}'; it has {}", given.name, join(plan.formula.inputs, ", ")));
  }
  std::vector<NamedShape> shapes;
  for (const std::string& name : plan.formula.inputs) {
    Operand operand{name, request.dtype, request.shape};
    for (const Operand& given : request.inputs) {
      if (given.name == name) operand = given;
    }
    shapes.push_back({name, operand.shape});
    plan.inputs.push_back(std::move(operand));
  }
  WL_ASSIGN(plan.graph, formula::build_graph(plan.formula, shapes));
  const std::vector<launch::DType> dtypes = plan.input_dtypes();
  for (const Graph::Output& o : plan.graph.outputs)
    plan.outputs.push_back({o.name, request.output_dtype.value_or(promoted(dtypes)), plan.graph.nodes[o.node].shape});
  EmitOptions options;
  options.comment = replace_all(request.formula, "\n", "; ");
  WL_ASSIGN(plan.fused, emit_fused(plan, options));
  WL_ASSIGN(plan.chain, build_chain(plan.formula, plan.inputs, plan.output_dtypes()));
  return plan;
}

double tolerance_of(const FusionPlan& plan) {
  double widest = 1e-12;
  for (const auto* operands : {&plan.inputs, &plan.outputs}) {
    for (const Operand& operand : *operands)
      widest = std::max(widest, bench::default_tolerance(launch::info(operand.dtype).name));
  }
  return widest;
}

const std::vector<std::string>& generated_options() {
  static const std::vector<std::string> options = {"--prec-div=false", "--prec-sqrt=false"};
  return options;
}

}  // namespace warplens::fuse
