#include "warplens/formula/graph.h"

#include <bit>
#include <cmath>
#include <map>
#include <tuple>

#include "warplens/base/text.h"

namespace warplens::formula {
namespace {

constexpr size_t kMostNodes = 4000;

class Builder {
 public:
  explicit Builder(Graph& graph) : graph_(graph) {}

  using Names = std::map<std::string, int>;

  Result<int> term(const Term& t, const Names& names) {
    if (t.kind == Term::Kind::kNumber) return constant(t.value);
    if (t.kind == Term::Kind::kName) return names.at(t.name);
    std::vector<int> args;
    for (const Term& arg : t.args) {
      WL_ASSIGN(const int node, term(arg, names));
      args.push_back(node);
    }
    if (t.name == "length") {
      const Shape& shape = graph_.nodes[args[0]].shape;
      return constant(static_cast<double>(shape.empty() ? 1 : shape.back()));
    }
    return call(*find_function(t.name, args.size()), args);
  }

  int input(int index) { return add({Node::Kind::kInput, nullptr, {}, 0, index, graph_.inputs[index].shape}); }

 private:
  int constant(double value) { return add({Node::Kind::kConstant, nullptr, {}, value, -1, {}}); }
  bool is_constant(int node) const { return graph_.nodes[node].kind == Node::Kind::kConstant; }

  Result<int> call(const Function& f, const std::vector<int>& args) {
    if (graph_.nodes.size() > kMostNodes) return invalid_input("the formula has more than 4000 operations");
    if (f.kind == FunctionKind::kComposite) return composite(f, args);
    if (f.kind == FunctionKind::kReduction) return reduction(f, args[0]);
    if (f.name == "pow" && is_constant(args[1])) {
      if (const auto simpler = power(args[0], graph_.nodes[args[1]].value)) return *simpler;
    }
    // One division a row instead of one an element.
    if (f.name == "div" && row_value(args[1]) && !row_value(args[0])) {
      WL_ASSIGN(const int inverse, element(f, {constant(1), args[1]}));
      return element(*find_function("mul", 2), {args[0], inverse});
    }
    return element(f, args);
  }
  /// A value of a whole row that is computed in the kernel.
  bool row_value(int node) const {
    const Node& n = graph_.nodes[node];
    return n.kind != Node::Kind::kConstant && (n.shape.empty() || n.shape.back() == 1);
  }

  Result<int> element(const Function& f, const std::vector<int>& args) {
    Shape shape;
    bool folds = true;
    std::vector<double> values;
    for (const int arg : args) {
      WL_ASSIGN(shape, broadcast(shape, graph_.nodes[arg].shape));
      folds = folds && is_constant(arg);
      values.push_back(graph_.nodes[arg].value);
    }
    if (folds && std::isfinite(f.eval(values.data()))) return constant(f.eval(values.data()));
    return add({Node::Kind::kElement, &f, args, 0, -1, shape});
  }

  Result<int> reduction(const Function& f, int arg) {
    Shape shape = graph_.nodes[arg].shape;
    if (shape.empty() || shape.back() == 1) return arg;  // over one element
    shape.back() = 1;
    return add({Node::Kind::kReduction, &f, {arg}, 0, -1, shape});
  }

  Result<int> composite(const Function& f, const std::vector<int>& args) {
    static std::map<std::string, Formula> parsed;
    const auto [found, missing] = parsed.try_emplace(std::string(f.code));
    if (missing) {
      WL_ASSIGN(found->second, parse_formula("y = " + std::string(f.code)));
    }
    Names names;
    for (size_t i = 0; i < args.size(); ++i) names[std::string(1, static_cast<char>('a' + i))] = args[i];
    return term(found->second.assignments[0].term, names);
  }

  /// x ** n as multiplications, a root or a division; nothing where only pow will do.
  std::optional<Result<int>> power(int x, double n) {
    const auto apply = [&](const char* name, const std::vector<int>& args) {
      return element(*find_function(name, args.size()), args);
    };
    if (n == 1) return x;
    if (n == 0.5) return apply("sqrt", {x});
    if (n == -0.5) return apply("rsqrt", {x});
    const double size = std::fabs(n);
    if (size > 8 || size < 1 || size != std::floor(size)) return std::nullopt;
    if (n < 0) return apply("div", {constant(1), power(x, size)->value()});
    // From the highest bit of n down: square, and multiply where a bit is set. Shapes stay x's, so that nothing fails.
    const auto whole = static_cast<unsigned>(size);
    int out = x;
    for (unsigned bit = std::bit_floor(whole) >> 1; bit != 0; bit >>= 1) {
      out = apply("mul", {out, out}).value();
      if (whole & bit) out = apply("mul", {out, x}).value();
    }
    return out;
  }

  int add(Node node) {
    const auto key = std::tuple(node.kind, node.function, node.args, node.value, node.input);
    const auto [found, fresh] = known_.try_emplace(key, static_cast<int>(graph_.nodes.size()));
    if (fresh) graph_.nodes.push_back(std::move(node));
    return found->second;
  }

  Graph& graph_;
  std::map<std::tuple<Node::Kind, const Function*, std::vector<int>, double, int>, int> known_;
};

}  // namespace

bool Graph::has_reductions() const {
  for (const Node& n : nodes) {
    if (n.kind == Node::Kind::kReduction) return true;
  }
  return false;
}

bool Graph::flat() const {
  for (const NamedShape& input : inputs) {
    if (element_count(input.shape) != 1 && element_count(input.shape) != element_count(domain)) return false;
  }
  return !has_reductions();
}

double Graph::flops() const {
  double total = 0;
  for (const Node& n : nodes) {
    if (n.kind == Node::Kind::kElement) total += static_cast<double>(element_count(n.shape)) * n.function->flops;
    if (n.kind == Node::Kind::kReduction)
      total += static_cast<double>(element_count(nodes[n.args[0]].shape)) * n.function->flops;
  }
  return total;
}

Result<Graph> build_graph(const Formula& formula, const std::vector<NamedShape>& inputs) {
  Graph graph;
  Builder builder(graph);
  Builder::Names names;
  for (const std::string& name : formula.inputs) {
    const NamedShape* given = nullptr;
    for (const NamedShape& input : inputs) {
      if (input.name == name) given = &input;
    }
    if (given == nullptr) return usage_error(fmt::format("no shape for the input '{}'", name));
    Result<Shape> domain = broadcast(graph.domain, given->shape);
    if (!domain.ok()) return domain.status().in(fmt::format("input '{}'", name));
    graph.domain = *domain;
    graph.inputs.push_back(*given);
    names[name] = builder.input(static_cast<int>(graph.inputs.size()) - 1);
  }
  for (const Assignment& a : formula.assignments) {
    WL_ASSIGN(names[a.name], builder.term(a.term, names));
  }
  for (const std::string& name : formula.outputs) {
    if (graph.nodes[names[name]].kind == Node::Kind::kConstant)
      return invalid_input(fmt::format("'{}' is the constant {}", name, graph.nodes[names[name]].value));
    graph.outputs.push_back({name, names[name]});
  }
  return graph;
}

}  // namespace warplens::formula
