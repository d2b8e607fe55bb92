// Kernels with reductions along the last axis: a group of threads takes a row. Short rows stay in registers and memory
// is passed over once; rows too long for that are read again for each reduction that needs an earlier one.
#include <algorithm>
#include <map>
#include <set>

#include "warplens/base/text.h"
#include "warplens/fuse/emit_parts.h"

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

  GeneratedKernel emit() {
    c_.prologue(out_, options_,
                fmt::format("{} of {} elements; {} threads a row, {}.", g_.rows() == 1 ? "One row" : "Rows", columns_,
                            group_, cached_ ? "which keep it in registers" : "which read it anew for each pass"));
    helpers();
    kernel();
    const auto rows = static_cast<uint64_t>(g_.rows());
    return {options_.kernel_name,
            out_.take(),
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

  void helpers() {
    std::set<std::string_view> done;
    for (int i = 0; i < size(); ++i) {
      if (!c_.needed[i] || node(i).kind != Node::Kind::kReduction || !done.insert(node(i).function->name).second)
        continue;
      const std::string join_code =
          replace_all(replace_all(std::string(node(i).function->code), "$0", "x"), "$1", "other");
      out_.line(fmt::format("__device__ __forceinline__ real row_{}(real x) {{", node(i).function->name));
      out_.line("#pragma unroll");
      out_.line(fmt::format("for (int step = {}; step > 0; step /= 2) {{", kWarp / 2));
      out_.line("const real other = __shfl_xor_sync(0xffffffffu, x, step);");
      out_.line(fmt::format("x = {};", join_code));
      out_.line("}");
      if (group_ > kWarp) {
        out_.line(fmt::format("__shared__ real parts[{}];", group_ / kWarp));
        out_.line("__syncthreads();");
        out_.line("if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = x;");
        out_.line("__syncthreads();");
        out_.line("x = parts[0];");
        out_.line("#pragma unroll");
        out_.line(fmt::format("for (int warp = 1; warp < {}; ++warp) {{", group_ / kWarp));
        out_.line("const real other = parts[warp];");
        out_.line(fmt::format("x = {};", join_code));
        out_.line("}");
      }
      out_.line("return x;");
      out_.line("}");
    }
    out_.blank();
  }

  void kernel() {
    const std::string type = wide() ? "unsigned long long" : "unsigned int";
    out_.line(fmt::format("extern \"C\" __global__ void __launch_bounds__({}) {}({}) {{", group_ * rows_a_block(),
                          options_.kernel_name, c_.parameters(wide())));
    out_.line(
        fmt::format("const {} row = {};", type,
                    rows_a_block() > 1 ? fmt::format("blockIdx.x * {}u + threadIdx.y", rows_a_block()) : "blockIdx.x"));
    out_.line(fmt::format("if (row * {}u >= n) return;", columns_));
    for (size_t i = 0; i < g_.inputs.size(); ++i) {
      const bool streams = c_.streams_input(static_cast<int>(i));
      Shape own = g_.inputs[i].shape;
      const std::string offset = row_part(own);
      if (streams)
        out_.line(fmt::format("const {}* const row_{} = in_{} + {};", storage_type(c_.dtypes[i]), g_.inputs[i].name,
                              g_.inputs[i].name, offset));
      else
        out_.line(fmt::format("const real v_{} = to_real(in_{}[{}]);", g_.inputs[i].name, g_.inputs[i].name, offset));
    }
    for (int i = 0; i < size(); ++i) {
      if (c_.needed[i] && kept(i)) out_.line(fmt::format("real k_{}[{}];", bare(i), chunks_ * width_));
    }
    row_scalars(0);
    for (int pass = 0; pass <= last_; ++pass) emit_pass(pass);
    out_.line("}");
  }

  /// The offset of an operand's row: its last axis is left out.
  std::string row_part(const Shape& shape) const {
    Shape domain = g_.domain, own = shape;
    if (own.empty()) return "0";
    // As by_row does, but with the column taken away.
    std::string text = index_expression(domain, own, true);
    if (text == "col") return "0";
    if (text.ends_with(" + col")) text.resize(text.size() - 6);
    return text;
  }

  std::string bare(int i) const {
    return node(i).kind == Node::Kind::kInput ? g_.inputs[node(i).input].name : fmt::format("{}", i);
  }

  /// Values that a row has one of, once the reductions of `level` are known.
  void row_scalars(int level) {
    for (int i = 0; i < size(); ++i) {
      if (c_.needed[i] && !full(i) && level_[i] == level && node(i).kind == Node::Kind::kElement)
        out_.line(fmt::format("const real {} = {};", c_.value(i), c_.expression(i)));
    }
    for (const Graph::Output& o : g_.outputs) {
      if (!full(o.node) && level_[o.node] == level)
        out_.line(fmt::format("if (threadIdx.x == 0) store(out_{}[row], {});", o.name, c_.value(o.node)));
    }
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

  void emit_pass(int pass) {
    const std::vector<int> reductions = reductions_after(pass);
    const std::vector<const Graph::Output*> outputs = outputs_of(pass);
    const std::vector<bool> computed = computed_in(pass);
    if (!reductions.empty() || !outputs.empty() || std::count(computed.begin(), computed.end(), true) > 0) {
      out_.line(fmt::format("// Pass {}.", pass + 1));
      for (const int r : reductions)
        out_.line(fmt::format("real a_{} = {};", r, c_.literal(node(r).function->initial)));
      loop(computed, reductions, outputs);
      for (const int r : reductions)
        out_.line(fmt::format("const real {} = row_{}(a_{});", c_.value(r), node(r).function->name, r));
    }
    if (pass < last_) row_scalars(pass + 1);
  }

  void loop(const std::vector<bool>& computed, const std::vector<int>& reductions,
            const std::vector<const Graph::Output*>& outputs) {
    if (cached_) {
      out_.line("#pragma unroll");
      out_.line(fmt::format("for (int c = 0; c < {}; ++c) {{", chunks_));
      out_.line(fmt::format("const unsigned int col = (c * {}u + threadIdx.x) * {}u;", group_, width_));
      out_.line(fmt::format("if (col < {}u) {{", columns_));
    } else {
      out_.line(fmt::format("for (unsigned int col = threadIdx.x * {}u; col < {}u; col += {}u) {{", width_, columns_,
                            group_ * width_));
    }
    for (int i = 0; i < size(); ++i) {
      if (computed[i] && node(i).kind == Node::Kind::kInput) {
        out_.line(fmt::format("Pack<{}, {}> p_{};", storage_type(c_.dtypes[node(i).input]), width_, bare(i)));
        out_.line(fmt::format("p_{}.load(row_{} + col);", bare(i), bare(i)));
      }
    }
    for (const Graph::Output* o : outputs)
      out_.line(fmt::format("Pack<{}, {}> q_{};", storage_type(dtype_of(*o)), width_, o->name));
    out_.line("#pragma unroll");
    out_.line(fmt::format("for (int k = 0; k < {}; ++k) {{", width_));
    body(computed, reductions, outputs);
    out_.line("}");
    for (const Graph::Output* o : outputs)
      out_.line(fmt::format("q_{}.save(out_{} + row * {}u + col);", o->name, o->name, columns_));
    if (cached_) out_.line("}");
    out_.line("}");
  }

  void body(const std::vector<bool>& computed, const std::vector<int>& reductions,
            const std::vector<const Graph::Output*>& outputs) {
    const std::string slot = fmt::format("[c * {} + k]", width_);
    std::set<int> loaded;
    const auto load_kept = [&](int i) {
      if (full(i) && !computed[i] && loaded.insert(i).second)
        out_.line(fmt::format("const real {} = k_{}{};", c_.value(i), bare(i), slot));
    };
    for (int i = 0; i < size(); ++i) {
      if (!computed[i]) continue;
      for (const int arg : node(i).args) load_kept(arg);
      const bool input = node(i).kind == Node::Kind::kInput;
      out_.line(fmt::format("const real {} = {};", c_.value(i),
                            input ? fmt::format("to_real(p_{}.v[k])", bare(i)) : c_.expression(i)));
      if (kept(i)) out_.line(fmt::format("k_{}{} = {};", bare(i), slot, c_.value(i)));
    }
    for (const int r : reductions) {
      load_kept(node(r).args[0]);
      const std::string joined =
          replace_all(replace_all(std::string(node(r).function->code), "$0", fmt::format("a_{}", r)), "$1",
                      c_.value(node(r).args[0]));
      out_.line(fmt::format("a_{} = {};", r, joined));
    }
    for (const Graph::Output* o : outputs) {
      load_kept(o->node);
      out_.line(fmt::format("store(q_{}.v[k], {});", o->name, c_.value(o->node)));
    }
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
  CodeWriter out_;
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
          fmt::format("output '{}' has shape {}, with fewer rows than the {} of all inputs together; give it a formula "
                      "of its own",
                      o.name, formula::to_text(graph.nodes[o.node].shape), formula::to_text(graph.domain)));
  }
  return RowEmitter(context, options).emit();
}

}  // namespace warplens::fuse
