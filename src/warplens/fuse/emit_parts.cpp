#include "warplens/fuse/emit_parts.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "warplens/base/text.h"
#include "warplens/fuse/fill.h"
#include "warplens/fuse/templates.h"

namespace warplens::fuse {

using launch::DType;

const char* storage_type(DType dtype) {
  switch (dtype) {
    case DType::kI8: return "signed char";
    case DType::kU8: return "unsigned char";
    case DType::kI16: return "short";
    case DType::kU16: return "unsigned short";
    case DType::kI32: return "int";
    case DType::kU32: return "unsigned int";
    case DType::kI64: return "long long";
    case DType::kU64: return "unsigned long long";
    case DType::kF16: return "f16";
    case DType::kBf16: return "bf16";
    case DType::kF32: return "float";
    case DType::kF64: break;
  }
  return "double";
}

EmitContext::EmitContext(const Graph& g, const std::vector<DType>& in, const std::vector<DType>& out)
    : graph(g), dtypes(in), output_dtypes(out), needed(g.nodes.size()) {
  for (const auto* list : {&dtypes, &output_dtypes}) {
    for (const DType d : *list) double_precision = double_precision || d == DType::kF64;
  }
  for (const Graph::Output& o : graph.outputs) needed[o.node] = true;
  for (size_t i = graph.nodes.size(); i-- > 0;) {
    if (needed[i]) {
      for (const int arg : graph.nodes[i].args) needed[arg] = true;
    }
  }
}

std::string EmitContext::literal(double x) const {
  if (std::isinf(x)) {
    const char* sign = x < 0 ? "-" : "";
    return double_precision ? fmt::format("{}__longlong_as_double(0x7ff0000000000000ll)", sign)
                            : fmt::format("{}__int_as_float(0x7f800000)", sign);
  }
  std::string text = double_precision ? fmt::format("{}", x) : fmt::format("{}", static_cast<float>(x));
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  if (!double_precision) text += 'f';
  return x < 0 ? "(" + text + ")" : text;
}

std::string EmitContext::value(int node) const {
  const Node& n = graph.nodes[node];
  if (n.kind == Node::Kind::kConstant) return literal(n.value);
  if (n.kind == Node::Kind::kInput) return "v_" + graph.inputs[n.input].name;
  return fmt::format("t{}", node);
}

std::string EmitContext::expression(int node) const {
  const Node& n = graph.nodes[node];
  std::string code(n.function->code);
  for (size_t a = 0; a < n.args.size(); ++a) code = replace_all(code, fmt::format("${}", a), value(n.args[a]));
  return replace_all(code, "@", double_precision ? "" : "f");
}

bool EmitContext::streams_input(int input) const {
  const Shape& shape = graph.inputs[input].shape;
  return !shape.empty() && shape.back() != 1;
}

int EmitContext::vector_width(int64_t columns) const {
  uint32_t widest = 1;
  const bool elements = !graph.has_reductions();  // then every operand may be walked from end to end
  for (size_t i = 0; i < dtypes.size(); ++i) {
    if (elements || streams_input(static_cast<int>(i))) widest = std::max(widest, launch::info(dtypes[i]).size_bytes);
  }
  for (size_t o = 0; o < output_dtypes.size(); ++o) {
    if (elements || !graph.per_row(graph.outputs[o].node))
      widest = std::max(widest, launch::info(output_dtypes[o]).size_bytes);
  }
  int width = static_cast<int>(16 / widest);
  while (columns % width != 0) width /= 2;
  return width;
}

std::string EmitContext::parameters(bool wide) const {
  std::vector<std::string> out;
  for (size_t i = 0; i < dtypes.size(); ++i)
    out.push_back(fmt::format("const {}* __restrict__ in_{}", storage_type(dtypes[i]), graph.inputs[i].name));
  for (size_t o = 0; o < output_dtypes.size(); ++o)
    out.push_back(fmt::format("{}* __restrict__ out_{}", storage_type(output_dtypes[o]), graph.outputs[o].name));
  out.push_back(wide ? "unsigned long long n" : "unsigned int n");
  return join(out, ", ");
}

std::string EmitContext::prologue(const EmitOptions& options, const std::string& title) const {
  const auto uses = [&](DType d) {
    return std::find(dtypes.begin(), dtypes.end(), d) != dtypes.end() ||
           std::find(output_dtypes.begin(), output_dtypes.end(), d) != output_dtypes.end();
  };
  const auto calls = [&](std::string_view text) {
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      if (needed[i] && graph.nodes[i].function != nullptr && contains(graph.nodes[i].function->code, text)) return true;
    }
    return false;
  };
  std::string small_types, extremes;
  if (uses(DType::kF16)) small_types += kF16;
  if (uses(DType::kBf16)) small_types += kBf16;
  for (const auto& [name, sign, instruction] : {std::tuple("larger", ">", "max"), std::tuple("smaller", "<", "min")}) {
    if (calls(name))
      extremes += fill(double_precision ? kExtremeOfDoubles : kExtremeOfFloats,
                       {{"name", name}, {"sign", sign}, {"instruction", instruction}});
  }
  return fill(kPrologue, {{"comment", options.comment.empty() ? "" : "// " + options.comment},
                          {"title", title},
                          {"real", double_precision ? "double" : "float"},
                          {"small_types", small_types},
                          {"extremes", extremes}});
}

std::string index_expression(const Shape& domain, const Shape& shape, bool by_row) {
  std::vector<std::string> terms;
  uint64_t stride = 1, below = 1;  // of the operand; elements of the domain under this axis
  for (size_t e = 0; e < domain.size(); ++e) {
    const auto extent = static_cast<uint64_t>(domain[domain.size() - 1 - e]);
    const uint64_t own = e < shape.size() ? static_cast<uint64_t>(shape[shape.size() - 1 - e]) : 1;
    if (own != 1) {
      const bool first = e + 1 == domain.size();
      std::string index = by_row ? (e == 0 ? "col" : "row") : "i";
      if (below > 1) index = fmt::format("{} / {}u", index, below);
      if (!first && !(by_row && e == 0)) index = fmt::format("{} % {}u", below > 1 ? "(" + index + ")" : index, extent);
      if (stride > 1) index = fmt::format("({}) * {}u", index, stride);
      terms.push_back(index);
    }
    stride *= own;
    if (!(by_row && e == 0)) below *= extent;
  }
  std::reverse(terms.begin(), terms.end());
  return terms.empty() ? "0" : join(terms, " + ");
}

DType promoted(const std::vector<DType>& dtypes) {
  DType out = DType::kI8;
  for (const DType d : dtypes) {
    if (!launch::info(d).is_float) continue;
    const bool mixed = (d == DType::kF16 && out == DType::kBf16) || (d == DType::kBf16 && out == DType::kF16);
    if (mixed) out = DType::kF32;
    else if (!launch::info(out).is_float || launch::info(d).size_bytes > launch::info(out).size_bytes) out = d;
  }
  return launch::info(out).is_float ? out : DType::kF32;
}

}  // namespace warplens::fuse
