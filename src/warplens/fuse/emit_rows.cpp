// Kernels with reductions along the last axis: a group of threads takes a row. Short rows stay in registers and memory
// is passed over once; rows too long for that are read again for each reduction that needs an earlier one.
#include <algorithm>
#include <map>
#include <set>

#include "warplens/base/text.h"
#include "warplens/fuse/emit_parts.h"
#include "warplens/fuse/fill.h"
#include "warplens/fuse/templates.h"

namespace warplens::fuse {
namespace {

constexpr int kWarp = 32, kMostThreads = 1024, kLongRowThreads = 512, kWarpsOfShortRows = 4;

class RowEmitter {
 public:
  RowEmitter(const EmitContext& context, const EmitOptions& options)
      : c_(context), g_(context.graph), options_(options), columns_(g_.columns()), width_(c_.vector_width(columns_)) {
    choose_group();
    find_levels();
  }

  GeneratedKernel emit() const {
    const std::string title =
        fmt::format("{} of {} elements; {} threads per row, {}.", g_.rows() == 1 ? "One row" : "Rows", columns_, group_,
                    cached_ ? "which keep it in registers" : "which read it again for each pass");
    const auto rows = static_cast<uint64_t>(g_.rows());
    return {options_.kernel_name,
            c_.prologue(options_, title) + kernel(),
            static_cast<uint32_t>((rows + rows_a_block() - 1) / rows_a_block()),
            {static_cast<uint32_t>(group_), static_cast<uint32_t>(rows_a_block())},
            {},
            {},
            static_cast<uint64_t>(element_count(g_.domain)),
            wide()};
  }

 private:
  bool wide() const { return element_count(g_.domain) >= int64_t{1} << 31; }
  int rows_a_block() const { return group_ == kWarp ? kWarpsOfShortRows : 1; }
  bool full(int node) const { return !g_.per_row(node) && !c_.constant(node); }
  const Node& node(int i) const { return g_.nodes[i]; }
  int size() const { return static_cast<int>(g_.nodes.size()); }

  /// The smallest group whose threads can keep their part of a row in registers.
  void choose_group() {
    const int64_t vectors = (columns_ + width_ - 1) / width_;
    const int64_t per_thread = std::max(1, options_.elements / width_);
    for (group_ = kWarp; group_ < kMostThreads && group_ * per_thread < vectors;) group_ *= 2;
    chunks_ = static_cast<int>((vectors + group_ - 1) / group_);
    cached_ = chunks_ * width_ <= std::max(32, options_.elements);
    if (!cached_) group_ = kLongRowThreads;
  }

  /// A node of level L can be computed once the reductions over nodes of levels under L are known.
  void find_levels() {
    level_.assign(g_.nodes.size(), 0);
    for (int i = 0; i < size(); ++i) {
      for (const int arg : node(i).args) level_[i] = std::max(level_[i], level_[arg]);
      if (node(i).kind == Node::Kind::kReduction) ++level_[i];
      if (c_.needed[i]) last_ = std::max(last_, level_[i]);
    }
    // Inputs are read where they are first needed.
    first_use_.assign(g_.nodes.size(), last_);
    for (int i = 0; i < size(); ++i) {
      if (!c_.needed[i]) continue;
      for (const int arg : node(i).args)
        first_use_[arg] = std::min(first_use_[arg], node(i).kind == Node::Kind::kReduction ? level_[i] - 1 : level_[i]);
    }
    for (const Graph::Output& o : g_.outputs) first_use_[o.node] = std::min(first_use_[o.node], level_[o.node]);
  }
  int pass_of(int i) const {
    return node(i).kind == Node::Kind::kInput ? std::max(level_[i], first_use_[i]) : level_[i];
  }

  /// Whether a full node's value must outlive the pass that computes it.
  bool kept(int i) const {
    if (!cached_ || !full(i)) return false;
    for (int user = 0; user < size(); ++user) {
      if (!c_.needed[user]) continue;
      const int pass = node(user).kind == Node::Kind::kReduction ? level_[user] - 1 : level_[user];
      if (pass > pass_of(i) && std::count(node(user).args.begin(), node(user).args.end(), i)) return true;
    }
    return false;
  }

  std::string reductions() const {
    std::string out;
    std::set<std::string_view> done;
    for (int i = 0; i < size(); ++i) {
      if (!c_.needed[i] || node(i).kind != Node::Kind::kReduction || !done.insert(node(i).function->name).second)
        continue;
      const Holes holes = {{"name", std::string(node(i).function->name)},
                           {"half_warp", fmt::format("{}", kWarp / 2)},
                           {"joined", joined(i, "x", "other")},
                           {"warps", fmt::format("{}", group_ / kWarp)}};
      Holes all = holes;
      all.emplace_back("over_warps", group_ > kWarp ? fill(kReductionOverWarps, holes) : "");
      out += fill(kReduction, all);
    }
    return out;
  }

  /// The code that makes one of two partial results of a reduction.
  std::string joined(int reduction, const std::string& a, const std::string& b) const {
    return replace_all(replace_all(std::string(node(reduction).function->code), "$0", a), "$1", b);
  }

  std::string kernel() const {
    return fill(kRows, {{"reductions", reductions()},
                        {"threads", fmt::format("{}", group_ * rows_a_block())},
                        {"kernel", options_.kernel_name},
                        {"parameters", c_.parameters(wide())},
                        {"index", wide() ? "unsigned long long" : "unsigned int"},
                        {"row", rows_a_block() > 1 ? fmt::format("blockIdx.x * {}u + threadIdx.y", rows_a_block())
                                                   : "blockIdx.x"},
                        {"columns", fmt::format("{}", columns_)},
                        {"inputs", inputs()},
                        {"kept", kept_values()},
                        {"passes", passes()}});
  }

  std::string inputs() const {
    std::string out;
    for (size_t i = 0; i < g_.inputs.size(); ++i) {
      const std::string& name = g_.inputs[i].name;
      const std::string offset = row_part(g_.inputs[i].shape);
      if (c_.streams_input(static_cast<int>(i)))
        out += fmt::format("const {0}* const row_{1} = in_{1} + {2};\n", storage_type(c_.dtypes[i]), name, offset);
      else out += fmt::format("const real v_{0} = to_real(in_{0}[{1}]);\n", name, offset);
    }
    return out;
  }

  std::string kept_values() const {
    std::string out;
    for (int i = 0; i < size(); ++i) {
      if (c_.needed[i] && kept(i)) out += fmt::format("real k_{}[{}];\n", bare(i), chunks_ * width_);
    }
    return out;
  }

  std::string passes() const {
    std::string out = row_scalars(0);
    for (int pass = 0; pass <= last_; ++pass) {
      out += pass_text(pass);
      if (pass < last_) out += row_scalars(pass + 1);
    }
    return out;
  }

  /// The offset of an operand's row: its last axis is left out.
  std::string row_part(const Shape& shape) const {
    if (shape.empty()) return "0";
    // As by_row does, but with the column taken away.
    std::string text = index_expression(g_.domain, shape, true);
    if (text == "col") return "0";
    if (text.ends_with(" + col")) text.resize(text.size() - 6);
    return text;
  }

  std::string bare(int i) const {
    return node(i).kind == Node::Kind::kInput ? g_.inputs[node(i).input].name : fmt::format("{}", i);
  }

  /// Values that a row has one of, once the reductions of `level` are known.
  std::string row_scalars(int level) const {
    std::string out;
    for (int i = 0; i < size(); ++i) {
      if (c_.needed[i] && !full(i) && level_[i] == level && node(i).kind == Node::Kind::kElement)
        out += fmt::format("const real {} = {};\n", c_.value(i), c_.expression(i));
    }
    for (const Graph::Output& o : g_.outputs) {
      if (!full(o.node) && level_[o.node] == level)
        out += fmt::format("if (threadIdx.x == 0) store(out_{}[row], {});\n", o.name, c_.value(o.node));
    }
    return out;
  }

  std::vector<int> reductions_after(int pass) const {
    std::vector<int> out;
    for (int i = 0; i < size(); ++i) {
      if (c_.needed[i] && node(i).kind == Node::Kind::kReduction && level_[i] == pass + 1) out.push_back(i);
    }
    return out;
  }
  std::vector<const Graph::Output*> outputs_of(int pass) const {
    std::vector<const Graph::Output*> out;
    for (const Graph::Output& o : g_.outputs) {
      if (full(o.node) && std::max(level_[o.node], pass_of(o.node)) == pass) out.push_back(&o);
    }
    return out;
  }

  /// Full nodes that this pass computes: those of its level when values are kept, else all that its results go back to.
  std::vector<bool> computed_in(int pass) const {
    std::vector<bool> out(g_.nodes.size());
    if (cached_) {
      for (int i = 0; i < size(); ++i) out[i] = c_.needed[i] && full(i) && pass_of(i) == pass;
      return out;
    }
    for (const int r : reductions_after(pass)) out[node(r).args[0]] = full(node(r).args[0]);
    for (const Graph::Output* o : outputs_of(pass)) out[o->node] = true;
    for (int i = size(); i-- > 0;) {
      if (out[i]) {
        for (const int arg : node(i).args) {
          if (full(arg)) out[arg] = true;
        }
      }
    }
    return out;
  }

  std::string pass_text(int pass) const {
    const std::vector<int> reductions = reductions_after(pass);
    const std::vector<const Graph::Output*> outputs = outputs_of(pass);
    const std::vector<bool> computed = computed_in(pass);
    if (reductions.empty() && outputs.empty() && std::count(computed.begin(), computed.end(), true) == 0) return "";
    std::string out = fmt::format("// Pass {}.\n", pass + 1);
    for (const int r : reductions) out += fmt::format("real a_{} = {};\n", r, c_.literal(node(r).function->initial));
    out += fill(cached_ ? kPassInRegisters : kPassOverMemory, {{"chunks", fmt::format("{}", chunks_)},
                                                               {"group", fmt::format("{}", group_)},
                                                               {"width", fmt::format("{}", width_)},
                                                               {"columns", fmt::format("{}", columns_)},
                                                               {"stride", fmt::format("{}", group_ * width_)},
                                                               {"vector", vector_text(computed, reductions, outputs)}});
    for (const int r : reductions)
      out += fmt::format("const real {} = row_{}(a_{});\n", c_.value(r), node(r).function->name, r);
    return out;
  }

  std::string vector_text(const std::vector<bool>& computed, const std::vector<int>& reductions,
                          const std::vector<const Graph::Output*>& outputs) const {
    std::string loads, packs, saves;
    for (int i = 0; i < size(); ++i) {
      if (computed[i] && node(i).kind == Node::Kind::kInput)
        loads += fmt::format("Pack<{0}, {1}> p_{2};\np_{2}.load(row_{2} + col);\n",
                             storage_type(c_.dtypes[node(i).input]), width_, bare(i));
    }
    for (const Graph::Output* o : outputs) {
      packs += fmt::format("Pack<{}, {}> q_{};\n", storage_type(dtype_of(*o)), width_, o->name);
      saves += fmt::format("q_{0}.save(out_{0} + row * {1}u + col);\n", o->name, columns_);
    }
    return fill(kVectorOfRow, {{"loads", loads},
                               {"result_packs", packs},
                               {"width", fmt::format("{}", width_)},
                               {"body", body(computed, reductions, outputs)},
                               {"saves", saves}});
  }

  std::string body(const std::vector<bool>& computed, const std::vector<int>& reductions,
                   const std::vector<const Graph::Output*>& outputs) const {
    std::string out;
    const std::string slot = fmt::format("[c * {} + k]", width_);
    std::set<int> loaded;
    const auto load_kept = [&](int i) {
      if (full(i) && !computed[i] && loaded.insert(i).second)
        out += fmt::format("const real {} = k_{}{};\n", c_.value(i), bare(i), slot);
    };
    for (int i = 0; i < size(); ++i) {
      if (!computed[i]) continue;
      for (const int arg : node(i).args) load_kept(arg);
      const bool input = node(i).kind == Node::Kind::kInput;
      out += fmt::format("const real {} = {};\n", c_.value(i),
                         input ? fmt::format("to_real(p_{}.v[k])", bare(i)) : c_.expression(i));
      if (kept(i)) out += fmt::format("k_{}{} = {};\n", bare(i), slot, c_.value(i));
    }
    for (const int r : reductions) {
      load_kept(node(r).args[0]);
      out += fmt::format("a_{} = {};\n", r, joined(r, fmt::format("a_{}", r), c_.value(node(r).args[0])));
    }
    for (const Graph::Output* o : outputs) {
      load_kept(o->node);
      out += fmt::format("store(q_{}.v[k], {});\n", o->name, c_.value(o->node));
    }
    return out;
  }

  launch::DType dtype_of(const Graph::Output& output) const {
    return c_.output_dtypes[static_cast<size_t>(&output - g_.outputs.data())];
  }

  const EmitContext& c_;
  const Graph& g_;
  const EmitOptions& options_;
  int64_t columns_;
  int width_, group_ = kWarp, chunks_ = 1, last_ = 0;
  bool cached_ = true;
  std::vector<int> level_, first_use_;
};

}  // namespace

Result<GeneratedKernel> emit_rows(const EmitContext& context, const EmitOptions& options) {
  const Graph& graph = context.graph;
  if (graph.columns() >= int64_t{1} << 31) return unsupported("a reduction over 2^31 elements or more");
  for (const Graph::Output& o : graph.outputs) {
    Shape outer = graph.nodes[o.node].shape, domain = graph.domain;
    if (!outer.empty()) outer.back() = 1;
    domain.back() = 1;
    if (element_count(outer) != element_count(domain))
      return unsupported(
          fmt::format("output '{}' has shape {}, with fewer rows than the {} of all inputs together: write a separate "
                      "formula for it",
                      o.name, formula::to_text(graph.nodes[o.node].shape), formula::to_text(graph.domain)));
  }
  return RowEmitter(context, options).emit();
}

}  // namespace warplens::fuse
