// Kernels without reductions: each thread takes whole vectors of each input, the last block the rest one by one.
#include <algorithm>
#include <map>

#include "warplens/base/text.h"
#include "warplens/fuse/emit_parts.h"

namespace warplens::fuse {
namespace {

using launch::DType;

class ElementEmitter {
 public:
  ElementEmitter(const EmitContext& context, const EmitOptions& options)
      : c_(context),
        options_(options),
        count_(static_cast<uint64_t>(element_count(c_.graph.domain))),
        wide_(count_ >= uint64_t{1} << 31),
        width_(c_.vector_width(16)) {}

  GeneratedKernel emit() {
    c_.prologue(
        out_, options_,
        plain() ? "One pass over memory, any number of elements."
                : fmt::format("One pass over memory; the shape {} is compiled in.", formula::to_text(c_.graph.domain)));
    out_.line(fmt::format("typedef unsigned {} Index;", wide_ ? "long long" : "int"));
    if (!plain()) indices();
    formula();
    kernel();
    return {
        options_.kernel_name, out_.take(), grid(), {static_cast<uint32_t>(options_.threads), 1}, {}, {}, count_, wide_};
  }

 private:
  /// No operand but scalars is broadcast, and so no shape matters.
  bool plain() const { return c_.graph.flat(); }
  bool scalar(size_t input) const { return element_count(c_.graph.inputs[input].shape) == 1; }
  bool whole(size_t input) const { return element_count(c_.graph.inputs[input].shape) == static_cast<int64_t>(count_); }
  std::string at(size_t input, const std::string& i) const {
    if (scalar(input)) return "0";
    return whole(input) ? i : fmt::format("index_{}({})", c_.graph.inputs[input].name, i);
  }
  uint64_t tile() const { return static_cast<uint64_t>(options_.threads) * width_ * options_.vectors; }
  uint32_t grid() const { return static_cast<uint32_t>((count_ + tile() - 1) / tile()); }

  void indices() {
    for (size_t i = 0; i < c_.graph.inputs.size(); ++i) {
      if (!scalar(i) && !whole(i))
        out_.line(fmt::format("__device__ __forceinline__ Index index_{}(Index i) {{ return {}; }}",
                              c_.graph.inputs[i].name,
                              index_expression(c_.graph.domain, c_.graph.inputs[i].shape, false)));
    }
  }

  void formula() {
    std::vector<std::string> parameters;
    for (const NamedShape& input : c_.graph.inputs) parameters.push_back("real v_" + input.name);
    for (const Graph::Output& o : c_.graph.outputs) parameters.push_back("real& y_" + o.name);
    out_.line(fmt::format("__device__ __forceinline__ void formula({}) {{", join(parameters, ", ")));
    for (size_t i = 0; i < c_.graph.nodes.size(); ++i) {
      if (c_.needed[i] && c_.graph.nodes[i].kind == Node::Kind::kElement)
        out_.line(
            fmt::format("const real {} = {};", c_.value(static_cast<int>(i)), c_.expression(static_cast<int>(i))));
    }
    for (const Graph::Output& o : c_.graph.outputs) out_.line(fmt::format("y_{} = {};", o.name, c_.value(o.node)));
    out_.line("}");
    out_.blank();
  }

  void kernel() {
    out_.line(fmt::format("extern \"C\" __global__ void __launch_bounds__({}) {}({}) {{", options_.threads,
                          options_.kernel_name, c_.parameters(wide_)));
    out_.line(fmt::format("const Index tile = Index(blockIdx.x) * {}u;", tile()));
    out_.line(fmt::format("if (tile + {}u <= n && {}) {{", tile(), aligned()));
    vectors();
    out_.line("} else {");
    out_.line(fmt::format("const Index end = tile + {}u < n ? tile + {}u : n;", tile(), tile()));
    out_.line(fmt::format("for (Index i = tile + threadIdx.x; i < end; i += {}u) {{", options_.threads));
    call([&](size_t input) { return fmt::format("to_real(in_{}[{}])", c_.graph.inputs[input].name, at(input, "i")); });
    for (const Graph::Output& o : c_.graph.outputs) out_.line(fmt::format("store(out_{}[i], y_{});", o.name, o.name));
    out_.line("}");
    out_.line("}");
    out_.line("}");
  }

  /// Vectors need aligned addresses; a caller's pointer may stand anywhere.
  std::string aligned() const {
    std::vector<std::string> parts;
    for (size_t i = 0; i < c_.graph.inputs.size(); ++i) {
      if (packed(i)) parts.push_back("size_t(in_" + c_.graph.inputs[i].name + ")");
    }
    for (const Graph::Output& o : c_.graph.outputs) parts.push_back("size_t(out_" + o.name + ")");
    return fmt::format("({}) % 16 == 0", join(parts, " | "));
  }
  /// Broadcast operands whose rows are no whole number of vectors are read element by element.
  bool gathered(size_t input) const { return !scalar(input) && !whole(input) && c_.graph.columns() % width_ != 0; }
  bool packed(size_t input) const {
    return whole(input) || (!scalar(input) && !gathered(input) && c_.streams_input(static_cast<int>(input)));
  }

  void vectors() {
    for (size_t i = 0; i < c_.graph.inputs.size(); ++i) {
      const char* type = storage_type(c_.dtypes[i]);
      const std::string& name = c_.graph.inputs[i].name;
      if (scalar(i)) out_.line(fmt::format("const real s_{} = to_real(in_{}[0]);", name, name));
      else if (packed(i)) out_.line(fmt::format("Pack<{}, {}> p_{}[{}];", type, width_, name, options_.vectors));
      else if (!gathered(i)) out_.line(fmt::format("real p_{}[{}];", name, options_.vectors));
    }
    out_.line("#pragma unroll");
    out_.line(fmt::format("for (int u = 0; u < {}; ++u) {{", options_.vectors));
    out_.line(fmt::format("const Index i = tile + (u * {}u + threadIdx.x) * {}u;", options_.threads, width_));
    for (size_t i = 0; i < c_.graph.inputs.size(); ++i) {
      const std::string& name = c_.graph.inputs[i].name;
      if (packed(i)) out_.line(fmt::format("p_{}[u].load(in_{} + {});", name, name, at(i, "i")));
      else if (!scalar(i) && !gathered(i))
        out_.line(fmt::format("p_{}[u] = to_real(in_{}[{}]);", name, name, at(i, "i")));
    }
    out_.line("}");
    out_.line("#pragma unroll");
    out_.line(fmt::format("for (int u = 0; u < {}; ++u) {{", options_.vectors));
    out_.line(fmt::format("const Index i = tile + (u * {}u + threadIdx.x) * {}u;", options_.threads, width_));
    for (size_t o = 0; o < c_.graph.outputs.size(); ++o)
      out_.line(fmt::format("Pack<{}, {}> q_{};", storage_type(c_.output_dtypes[o]), width_, c_.graph.outputs[o].name));
    out_.line("#pragma unroll");
    out_.line(fmt::format("for (int k = 0; k < {}; ++k) {{", width_));
    call([&](size_t input) {
      const std::string& name = c_.graph.inputs[input].name;
      if (scalar(input)) return "s_" + name;
      if (gathered(input)) return fmt::format("to_real(in_{}[{}])", name, at(input, "i + k"));
      return packed(input) ? fmt::format("to_real(p_{}[u].v[k])", name) : fmt::format("p_{}[u]", name);
    });
    for (const Graph::Output& o : c_.graph.outputs) out_.line(fmt::format("store(q_{}.v[k], y_{});", o.name, o.name));
    out_.line("}");
    for (const Graph::Output& o : c_.graph.outputs) out_.line(fmt::format("q_{}.save(out_{} + i);", o.name, o.name));
    out_.line("}");
  }

  template <typename InputText>
  void call(const InputText& input_text) {
    std::vector<std::string> arguments, results;
    for (size_t i = 0; i < c_.graph.inputs.size(); ++i) arguments.push_back(input_text(i));
    for (const Graph::Output& o : c_.graph.outputs) {
      results.push_back("y_" + o.name);
      arguments.push_back("y_" + o.name);
    }
    out_.line(fmt::format("real {};", join(results, ", ")));
    out_.line(fmt::format("formula({});", join(arguments, ", ")));
  }

  const EmitContext& c_;
  const EmitOptions& options_;
  uint64_t count_;
  bool wide_;
  int width_;
  CodeWriter out_;
};

}  // namespace

Result<GeneratedKernel> emit_elements(const EmitContext& context, const EmitOptions& options) {
  for (const Graph::Output& o : context.graph.outputs) {
    if (element_count(context.graph.nodes[o.node].shape) != element_count(context.graph.domain))
      return unsupported(fmt::format(
          "output '{}' has shape {}, smaller than the {} of all inputs together; give it a formula of its own", o.name,
          formula::to_text(context.graph.nodes[o.node].shape), formula::to_text(context.graph.domain)));
  }
  return ElementEmitter(context, options).emit();
}

}  // namespace warplens::fuse
