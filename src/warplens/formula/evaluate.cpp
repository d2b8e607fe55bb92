#include "warplens/formula/evaluate.h"

#include <algorithm>

#include "warplens/base/threads.h"

namespace warplens::formula {
namespace {

/// A window of every node; a node that has one value a row has one element.
class WindowEvaluator {
 public:
  WindowEvaluator(const Graph& graph, std::span<const std::span<const double>> inputs, const Window& window)
      : graph_(graph), values_(graph.nodes.size()) {
    for (size_t i = 0; i < values_.size(); ++i) {
      values_[i].resize(graph.per_row(static_cast<int>(i)) ? 1 : static_cast<size_t>(window.end - window.begin));
      node(graph_.nodes[i], values_[i], inputs, window);
    }
  }
  const std::vector<double>& values(int node) const { return values_[node]; }

 private:
  void node(const Node& n, std::vector<double>& out, std::span<const std::span<const double>> inputs,
            const Window& window) {
    switch (n.kind) {
      case Node::Kind::kConstant: out[0] = n.value; break;
      case Node::Kind::kInput: {
        const double* from = inputs[n.input].data() + row_offset(graph_.domain, n.shape, window.row);
        if (!n.shape.empty() && n.shape.back() != 1) from += window.begin;
        std::copy(from, from + out.size(), out.begin());
        break;
      }
      case Node::Kind::kElement: element(n, out); break;
      case Node::Kind::kReduction: out[0] = reduce(*n.function, values_[n.args[0]]); break;
    }
  }

  void element(const Node& n, std::vector<double>& out) {
    double args[3];
    for (size_t c = 0; c < out.size(); ++c) {
      for (size_t a = 0; a < n.args.size(); ++a) {
        const std::vector<double>& from = values_[n.args[a]];
        args[a] = from.size() == 1 ? from[0] : from[c];
      }
      out[c] = n.function->eval(args);
    }
  }

  /// By halves, so that a long sum keeps its digits.
  static double reduce(const Function& f, std::span<const double> values) {
    if (values.size() <= 8) {
      double joined = f.initial;
      for (const double v : values) {
        const double pair[2] = {joined, v};
        joined = f.eval(pair);
      }
      return joined;
    }
    const size_t half = values.size() / 2;
    const double pair[2] = {reduce(f, values.first(half)), reduce(f, values.subspan(half))};
    return f.eval(pair);
  }

  const Graph& graph_;
  std::vector<std::vector<double>> values_;
};

}  // namespace

int64_t row_offset(const Shape& domain, const Shape& shape, int64_t row) {
  int64_t offset = 0, stride = shape.empty() ? 1 : shape.back();
  for (size_t from_end = 1; from_end < domain.size(); ++from_end) {
    const int64_t extent = domain[domain.size() - 1 - from_end], index = row % extent;
    row /= extent;
    if (from_end >= shape.size()) continue;
    const int64_t own = shape[shape.size() - 1 - from_end];
    if (own != 1) offset += index * stride;
    stride *= own;
  }
  return offset;
}

std::vector<std::vector<double>> evaluate_window(const Graph& graph, std::span<const std::span<const double>> inputs,
                                                 const Window& window) {
  const WindowEvaluator evaluator(graph, inputs, window);
  std::vector<std::vector<double>> out;
  for (const Graph::Output& o : graph.outputs) out.push_back(evaluator.values(o.node));
  return out;
}

std::vector<Window> windows_of(const Graph& graph, int64_t columns) {
  const int64_t width = graph.has_reductions() ? graph.columns() : std::min(columns, graph.columns());
  std::vector<Window> out;
  for (int64_t row = 0; row < graph.rows(); ++row) {
    for (int64_t begin = 0; begin < graph.columns(); begin += width)
      out.push_back({row, begin, std::min(begin + width, graph.columns())});
  }
  return out;
}

std::vector<std::vector<double>> evaluate(const Graph& graph, std::span<const std::span<const double>> inputs) {
  std::vector<std::vector<double>> out;
  for (const Graph::Output& o : graph.outputs)
    out.emplace_back(static_cast<size_t>(graph.rows() * (graph.per_row(o.node) ? 1 : graph.columns())));
  const std::vector<Window> windows = windows_of(graph, 8192);
  // Short rows are taken several at a time, so that handing them out costs little.
  const auto at_once = static_cast<size_t>(std::max<int64_t>(1, 8192 / graph.columns()));
  parallel_for((windows.size() + at_once - 1) / at_once, default_threads(), [&](size_t c) {
    for (size_t w = c * at_once; w < std::min(windows.size(), (c + 1) * at_once); ++w) {
      const std::vector<std::vector<double>> part = evaluate_window(graph, inputs, windows[w]);
      for (size_t o = 0; o < out.size(); ++o) {
        const bool per_row = graph.per_row(graph.outputs[o].node);
        const int64_t at = per_row ? windows[w].row : windows[w].row * graph.columns() + windows[w].begin;
        std::copy(part[o].begin(), part[o].end(), out[o].begin() + at);
      }
    }
  });
  return out;
}

}  // namespace warplens::formula
