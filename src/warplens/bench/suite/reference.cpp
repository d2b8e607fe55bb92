#include "warplens/bench/suite/reference.h"

#include <algorithm>
#include <map>
#include <set>

#include "warplens/base/text.h"
#include "warplens/formula/evaluate.h"

namespace warplens::bench {
namespace {

/// "dw = column_sum(t)"; a statement without a function where it is none of those.
ReferenceStatement array_call(std::string_view statement) {
  ReferenceStatement out;
  const size_t equals = statement.find('='), open = statement.find('('), close = statement.rfind(')');
  if (equals == std::string_view::npos || open == std::string_view::npos || close == std::string_view::npos ||
      equals > open || open > close || !trim(statement.substr(close + 1)).empty())
    return out;
  out.name = trim(statement.substr(0, equals));
  out.function = find_array_function(trim(statement.substr(equals + 1, open - equals - 1)));
  for (const std::string_view arg : split(statement.substr(open + 1, close - open - 1), ','))
    out.args.emplace_back(trim(arg));
  return out;
}

Status parse_statements(const std::string& text, Reference& out) {
  std::vector<std::string_view> statements;
  bool calls = false;
  for (const std::string_view statement : split(text, ';')) {
    if (trim(statement).empty()) continue;
    statements.push_back(statement);
    calls = calls || array_call(statement).function != nullptr;
  }
  if (!calls) statements = {text};
  for (const std::string_view statement : statements) {
    ReferenceStatement& each = out.statements.emplace_back(array_call(statement));
    if (each.function == nullptr) {
      WL_ASSIGN(each.formula, formula::parse_formula(statement));
      if (each.formula.outputs.size() != 1) return usage_error("one buffer at a time");
      each.name = each.formula.outputs[0];
      each.args = each.formula.inputs;
    } else if (each.args.size() != each.function->arity) {
      return usage_error(fmt::format("{} takes {} argument{}", each.function->name, each.function->arity,
                                     each.function->arity == 1 ? "" : "s"));
    }
  }
  if (out.statements.empty()) return usage_error("expected NAME = EXPRESSION");
  out.output = out.statements.back().name;
  return {};
}

/// The names that statements use, filled in one after the other.
class Evaluation {
 public:
  Evaluation(const launch::Description& description, const Reference& reference, const ContentsOf& contents,
             const OutputSample* sample)
      : description_(description), reference_(reference), contents_(contents), sample_(sample) {}

  Result<ReferenceValues> run() {
    for (const ReferenceStatement& statement : reference_.statements) {
      for (const std::string& arg : statement.args) WL_TRY(provide(arg));
      WL_ASSIGN(known_[statement.name], statement.function ? call(statement) : formula(statement));
    }
    return std::move(known_[reference_.output]);
  }

 private:
  Status provide(const std::string& name) {
    if (known_.contains(name)) return {};
    if (const auto number = parse_double(name)) {
      known_[name] = {{}, {*number}};
      return {};
    }
    const std::string buffer = name == reference_.output + "0" ? reference_.output : name;
    const launch::BufferSpec& spec = *description_.buffer(buffer);
    const std::vector<Stretch> stretches = sample_ ? elements_of(spec, *sample_) : std::vector<Stretch>();
    ReferenceValues& held = known_[name];
    held.shape = shape(spec);
    WL_ASSIGN(held.values, contents_(buffer, stretches));
    return {};
  }

  /// As far as it is in the sample.
  formula::Shape shape(const launch::BufferSpec& buffer) const {
    formula::Shape out = shape_of(buffer);
    if (sample_ == nullptr || !sample_->arrays.contains(buffer.name)) return out;
    out[0] = 0;
    for (const Stretch& s : sample_->stretches) out[0] += static_cast<int64_t>(s.count);
    return out;
  }

  Result<ReferenceValues> call(const ReferenceStatement& statement) {
    std::vector<ArrayArgument> args;
    for (const std::string& arg : statement.args) args.push_back({known_[arg].shape, known_[arg].values});
    return statement.function->compute(args, shape(*description_.buffer(reference_.output)));
  }

  Result<ReferenceValues> formula(const ReferenceStatement& statement) {
    std::vector<formula::NamedShape> shapes;
    std::vector<std::span<const double>> inputs;
    for (const std::string& input : statement.formula.inputs) {
      shapes.push_back({input, known_[input].shape});
      inputs.emplace_back(known_[input].values);
    }
    WL_ASSIGN(const formula::Graph graph, formula::build_graph(statement.formula, shapes));
    return ReferenceValues{graph.nodes[graph.outputs[0].node].shape, std::move(formula::evaluate(graph, inputs)[0])};
  }

  const launch::Description& description_;
  const Reference& reference_;
  const ContentsOf& contents_;
  const OutputSample* sample_;
  std::map<std::string, ReferenceValues> known_;
};

}  // namespace

formula::Shape shape_of(const launch::BufferSpec& buffer) {
  formula::Shape shape;
  for (const uint64_t extent : buffer.shape) shape.push_back(static_cast<int64_t>(extent));
  return shape;
}

std::vector<Stretch> elements_of(const launch::BufferSpec& buffer, const OutputSample& sample) {
  if (!sample.arrays.contains(buffer.name)) return {};
  const uint64_t width = buffer.count() / buffer.shape[0];
  std::vector<Stretch> out;
  for (const Stretch& s : sample.stretches) out.push_back({s.begin * width, s.count * width});
  return out;
}

Result<Reference> parse_reference(const std::string& text, const launch::Description& description) {
  Reference out;
  if (const Status parsed = parse_statements(text, out); !parsed.ok())
    return parsed.in(fmt::format("--reference '{}'", text));
  std::set<std::string> assigned;
  for (const ReferenceStatement& statement : out.statements) {
    for (const std::string& name : statement.args) {
      // y = 2*x + y is y's old contents: in a formula a name is assigned once, so old contents are written y0.
      const bool old = name == out.output + "0";
      out.in_place = out.in_place || old;
      if (!old && !assigned.contains(name) && !parse_double(name) && description.buffer(name) == nullptr)
        return usage_error(fmt::format("--reference '{}': no buffer '{}'", text, name));
    }
    assigned.insert(statement.name);
  }
  if (description.buffer(out.output) == nullptr)
    return usage_error(fmt::format("--reference '{}': no buffer '{}'", text, out.output));
  return out;
}

Result<ReferenceValues> reference_values(const launch::Description& description, const Reference& reference,
                                         const ContentsOf& contents, const OutputSample* sample) {
  return Evaluation(description, reference, contents, sample).run();
}

Output checked_output(const std::string& name, std::vector<double> values, ReferenceValues want, double tolerance) {
  Output out{name, std::move(values), std::move(want.values), tolerance};
  if (want.places.empty()) return out;
  out.of = out.values.size();
  std::vector<double> chosen;
  for (const size_t place : want.places) chosen.push_back(out.values[place]);
  out.values = std::move(chosen);
  out.places = std::move(want.places);
  return out;
}

void place_in_whole(Output& sampled, const std::vector<Stretch>& stretches, uint64_t count) {
  std::vector<size_t> places;
  for (const Stretch& s : stretches) {
    for (uint64_t i = 0; i < s.count; ++i) places.push_back(s.begin + i);
  }
  if (sampled.places.empty()) sampled.places = std::move(places);
  else
    for (size_t& place : sampled.places) place = places[place];
  sampled.of = count;
}

}  // namespace warplens::bench
