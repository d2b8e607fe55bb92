// Kernels without reductions: each thread takes whole vectors of each input, the last block the rest one by one.
#include <algorithm>
#include <map>

#include "warplens/base/text.h"
#include "warplens/fuse/emit_parts.h"
#include "warplens/fuse/fill.h"
#include "warplens/fuse/templates.h"

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

  GeneratedKernel emit() const {
    const std::string title =
        plain() ? "One pass over memory, any number of elements."
                : fmt::format("One pass over memory; the shape {} is compiled in.", formula::to_text(c_.graph.domain));
    return {options_.kernel_name,
            c_.prologue(options_, title) + kernel(),
            grid(),
            {static_cast<uint32_t>(options_.threads), 1},
            {},
            {},
            count_,
            wide_};
  }

 private:
  /// No operand but scalars is broadcast, and so no shape matters.
  bool plain() const { return c_.graph.flat(); }
  bool scalar(size_t input) const { return element_count(c_.graph.inputs[input].shape) == 1; }
  bool whole(size_t input) const { return element_count(c_.graph.inputs[input].shape) == static_cast<int64_t>(count_); }
  std::string at(size_t input, const std::string& i) const {
    if (scalar(input)) return "0";
    return whole(input) ? i : fmt::format("index_{}({})", name_of(input), i);
  }
  uint64_t tile() const { return static_cast<uint64_t>(options_.threads) * width_ * options_.vectors; }
  uint32_t grid() const { return static_cast<uint32_t>((count_ + tile() - 1) / tile()); }

  std::string kernel() const {
    return fill(
        kElements,
        {{"index", wide_ ? "long long" : "int"},
         {"indices", indices()},
         {"formula_parameters", formula_parameters()},
         {"formula", formula()},
         {"threads", fmt::format("{}", options_.threads)},
         {"kernel", options_.kernel_name},
         {"parameters", c_.parameters(wide_)},
         {"tile", fmt::format("{}", tile())},
         {"aligned", aligned()},
         {"vectors", fmt::format("{}", options_.vectors)},
         {"width", fmt::format("{}", width_)},
         {"scalars_and_packs", scalars_and_packs()},
         {"loads", loads()},
         {"result_packs", each_output([&](size_t o, const std::string& name) {
            return fmt::format("Pack<{}, {}> q_{};", storage_type(c_.output_dtypes[o]), width_, name);
          })},
         {"of_packs", call([&](size_t input) { return of_pack(input); })},
         {"into_packs",
          each_output([](size_t, const std::string& name) { return fmt::format("store(q_{0}.v[k], y_{0});", name); })},
         {"saves",
          each_output([](size_t, const std::string& name) { return fmt::format("q_{0}.save(out_{0} + i);", name); })},
         {"of_elements",
          call([&](size_t input) { return fmt::format("to_real(in_{}[{}])", name_of(input), at(input, "i")); })},
         {"into_elements", each_output([](size_t, const std::string& name) {
            return fmt::format("store(out_{0}[i], y_{0});", name);
          })}});
  }

  const std::string& name_of(size_t input) const { return c_.graph.inputs[input].name; }

  /// A line for each output, as `line_of` of its number and name gives it.
  template <typename LineOf>
  std::string each_output(const LineOf& line_of) const {
    std::string out;
    for (size_t o = 0; o < c_.graph.outputs.size(); ++o) out += line_of(o, c_.graph.outputs[o].name) + '\n';
    return out;
  }

  std::string indices() const {
    if (plain()) return "";
    std::string out;
    for (size_t i = 0; i < c_.graph.inputs.size(); ++i) {
      if (!scalar(i) && !whole(i))
        out += fmt::format("__device__ __forceinline__ Index index_{}(Index i) {{ return {}; }}\n", name_of(i),
                           index_expression(c_.graph.domain, c_.graph.inputs[i].shape, false));
    }
    return out;
  }

  std::string formula_parameters() const {
    std::vector<std::string> parameters;
    for (const NamedShape& input : c_.graph.inputs) parameters.push_back("real v_" + input.name);
    for (const Graph::Output& o : c_.graph.outputs) parameters.push_back("real& y_" + o.name);
    return join(parameters, ", ");
  }

  std::string formula() const {
    std::string out;
    for (int i = 0; i < static_cast<int>(c_.graph.nodes.size()); ++i) {
      if (c_.needed[i] && c_.graph.nodes[i].kind == Node::Kind::kElement)
        out += fmt::format("const real {} = {};\n", c_.value(i), c_.expression(i));
    }
    return out + each_output([&](size_t o, const std::string& name) {
             return fmt::format("y_{} = {};", name, c_.value(c_.graph.outputs[o].node));
           });
  }

  /// Vectors need aligned addresses; a caller's pointer may stand anywhere.
  std::string aligned() const {
    std::vector<std::string> parts;
    for (size_t i = 0; i < c_.graph.inputs.size(); ++i) {
      if (packed(i)) parts.push_back("size_t(in_" + name_of(i) + ")");
    }
    for (const Graph::Output& o : c_.graph.outputs) parts.push_back("size_t(out_" + o.name + ")");
    return fmt::format("({}) % 16 == 0", join(parts, " | "));
  }
  /// Broadcast operands whose rows are no whole number of vectors are read element by element.
  bool gathered(size_t input) const { return !scalar(input) && !whole(input) && c_.graph.columns() % width_ != 0; }
  bool packed(size_t input) const {
    return whole(input) || (!scalar(input) && !gathered(input) && c_.streams_input(static_cast<int>(input)));
  }

  std::string scalars_and_packs() const {
    std::string out;
    for (size_t i = 0; i < c_.graph.inputs.size(); ++i) {
      const std::string& name = name_of(i);
      if (scalar(i)) out += fmt::format("const real s_{0} = to_real(in_{0}[0]);\n", name);
      else if (packed(i))
        out += fmt::format("Pack<{}, {}> p_{}[{}];\n", storage_type(c_.dtypes[i]), width_, name, options_.vectors);
      else if (!gathered(i)) out += fmt::format("real p_{}[{}];\n", name, options_.vectors);
    }
    return out;
  }
  std::string loads() const {
    std::string out;
    for (size_t i = 0; i < c_.graph.inputs.size(); ++i) {
      if (packed(i)) out += fmt::format("p_{0}[u].load(in_{0} + {1});\n", name_of(i), at(i, "i"));
      else if (!scalar(i) && !gathered(i))
        out += fmt::format("p_{0}[u] = to_real(in_{0}[{1}]);\n", name_of(i), at(i, "i"));
    }
    return out;
  }
  std::string of_pack(size_t input) const {
    const std::string& name = name_of(input);
    if (scalar(input)) return "s_" + name;
    if (gathered(input)) return fmt::format("to_real(in_{}[{}])", name, at(input, "i + k"));
    return packed(input) ? fmt::format("to_real(p_{}[u].v[k])", name) : fmt::format("p_{}[u]", name);
  }

  template <typename InputText>
  std::string call(const InputText& input_text) const {
    std::vector<std::string> arguments, results;
    for (size_t i = 0; i < c_.graph.inputs.size(); ++i) arguments.push_back(input_text(i));
    for (const Graph::Output& o : c_.graph.outputs) {
      results.push_back("y_" + o.name);
      arguments.push_back("y_" + o.name);
    }
    return fmt::format("real {};\nformula({});\n", join(results, ", "), join(arguments, ", "));
  }

  const EmitContext& c_;
  const EmitOptions& options_;
  uint64_t count_;
  bool wide_;
  int width_;
};

}  // namespace

Result<GeneratedKernel> emit_elements(const EmitContext& context, const EmitOptions& options) {
  for (const Graph::Output& o : context.graph.outputs) {
    if (element_count(context.graph.nodes[o.node].shape) != element_count(context.graph.domain))
      return unsupported(fmt::format(
          "output '{}' has shape {}, but all inputs together have {}: write a separate formula for it", o.name,
          formula::to_text(context.graph.nodes[o.node].shape), formula::to_text(context.graph.domain)));
  }
  return ElementEmitter(context, options).emit();
}

}  // namespace warplens::fuse
