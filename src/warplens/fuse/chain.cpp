#include "warplens/fuse/chain.h"

#include <map>

#include "warplens/base/text.h"

namespace warplens::fuse {
namespace {

class ChainBuilder {
 public:
  ChainBuilder(const Formula& formula, const std::vector<Operand>& inputs,
               const std::vector<launch::DType>& output_dtypes)
      : formula_(formula) {
    for (const Operand& input : inputs) known_[input.name] = input;
    for (size_t o = 0; o < formula.outputs.size(); ++o) output_dtype_[formula.outputs[o]] = output_dtypes[o];
  }

  Result<std::vector<ChainStep>> build() {
    for (const formula::Assignment& a : formula_.assignments) {
      WL_ASSIGN(const formula::Term value, reduced(a.term));
      if (value.kind == formula::Term::Kind::kName && made_.contains(value.name)) rename(value.name, a.name);
      else WL_TRY(step(a.name, value));  // y = x alone is a copy
    }
    return std::move(steps_);
  }

 private:
  /// `term` with every call below it made a step; the name or number that holds its value.
  Result<formula::Term> reduced(const formula::Term& term) {
    if (term.kind == formula::Term::Kind::kName) return formula::Term{term.kind, 0, alias(term.name)};
    if (term.kind != formula::Term::Kind::kCall) return term;
    formula::Term call = term;
    for (formula::Term& arg : call.args) {
      WL_ASSIGN(arg, reduced(arg));
    }
    bool numbers = true;
    for (const formula::Term& arg : call.args) numbers = numbers && arg.kind == formula::Term::Kind::kNumber;
    if (numbers) return call;  // left to constant folding
    const std::string text = formula::to_text(call);
    const auto [found, fresh] = of_text_.try_emplace(text, fmt::format("t{}", of_text_.size() + 1));
    if (fresh) WL_TRY(step(found->second, call));
    return formula::Term{formula::Term::Kind::kName, 0, alias(found->second)};
  }

  std::string alias(const std::string& name) const {
    const auto renamed = renamed_.find(name);
    return renamed == renamed_.end() ? name : renamed->second;
  }

  /// The last step of an assignment takes the assigned name, unless an earlier one had.
  void rename(const std::string& from, const std::string& to) {
    for (ChainStep& s : steps_) {
      if (s.kernel.outputs[0].name != from) continue;
      known_[to] = known_[from];
      renamed_[from] = to;
      made_.erase(from);
      made_[to] = true;
      const size_t equals = s.text.find(" = ");
      const auto wanted = output_dtype_.find(to);
      const std::string text = to + s.text.substr(equals);
      if (wanted != output_dtype_.end()) known_[to].dtype = wanted->second;
      remake(s, text, known_[to].dtype);
      return;
    }
  }

  Status step(const std::string& name, const formula::Term& call) {
    std::vector<launch::DType> dtypes;
    collect(call, dtypes);
    const auto wanted = output_dtype_.find(name);
    ChainStep made;
    WL_TRY(make(made, name + " = " + formula::to_text(call),
                wanted != output_dtype_.end() ? wanted->second : promoted(dtypes)));
    known_[name] = made.kernel.outputs[0];
    made_[name] = true;
    steps_.push_back(std::move(made));
    return {};
  }

  void collect(const formula::Term& term, std::vector<launch::DType>& dtypes) const {
    if (term.kind == formula::Term::Kind::kName) dtypes.push_back(known_.at(term.name).dtype);
    for (const formula::Term& arg : term.args) collect(arg, dtypes);
  }

  Status make(ChainStep& out, const std::string& text, launch::DType dtype) const {
    WL_ASSIGN(const Formula formula, formula::parse_formula(text));
    std::vector<NamedShape> shapes;
    std::vector<launch::DType> dtypes;
    for (const std::string& name : formula.inputs) {
      shapes.push_back({name, known_.at(name).shape});
      dtypes.push_back(known_.at(name).dtype);
    }
    WL_ASSIGN(out.graph, formula::build_graph(formula, shapes));
    EmitOptions options;
    options.kernel_name = "step_" + text.substr(0, text.find(' '));
    options.comment = text;
    WL_ASSIGN(out.kernel, emit_kernel(out.graph, dtypes, {dtype}, options));
    out.text = text;
    return {};
  }

  void remake(ChainStep& s, const std::string& text, launch::DType dtype) const {
    ChainStep renamed;
    if (make(renamed, text, dtype).ok()) s = std::move(renamed);
  }

  const Formula& formula_;
  std::map<std::string, Operand> known_;
  std::map<std::string, launch::DType> output_dtype_;
  std::map<std::string, std::string> of_text_, renamed_;
  std::map<std::string, bool> made_;
  std::vector<ChainStep> steps_;
};

}  // namespace

Result<std::vector<ChainStep>> build_chain(const Formula& formula, const std::vector<Operand>& inputs,
                                           const std::vector<launch::DType>& output_dtypes) {
  return ChainBuilder(formula, inputs, output_dtypes).build();
}

}  // namespace warplens::fuse
