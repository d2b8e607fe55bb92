#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include "warplens/base/text.h"
#include "warplens/formula/expression.h"
#include "warplens/formula/functions.h"

namespace warplens::formula {
namespace {

constexpr int kDeepest = 200, kMostCalls = 1000;

/// Binary operators from the loosest to the tightest; ** binds tighter still, and to the right.
struct Operator {
  std::string_view sign, function;
  int level;
};
constexpr Operator kOperators[] = {{"<=", "le", 0}, {">=", "ge", 0}, {"==", "eq", 0}, {"!=", "ne", 0}, {"<", "lt", 0},
                                   {">", "gt", 0},  {"+", "add", 1}, {"-", "sub", 1}, {"*", "mul", 2}, {"/", "div", 2}};
constexpr int kLevels = 3;

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<Formula> formula() {
    Formula out;
    for (skip_separators(); at_ < text_.size() && error_.ok(); skip_separators()) {
      const size_t begin = at_;
      Assignment a{identifier(), {}};
      if (a.name.empty()) fail("expected NAME = EXPRESSION", begin);
      else if (!eat("=") || peek("=")) fail("expected = after the name", at_);
      a.term = comparison(0);
      if (error_.ok() && !at_end_of_statement()) fail("expected an operator or the end of the statement", at_);
      for (const Assignment& earlier : out.assignments) {
        if (earlier.name == a.name) fail(fmt::format("'{}' is assigned twice", a.name), begin);
      }
      out.assignments.push_back(std::move(a));
    }
    if (error_.ok() && out.assignments.empty()) fail("expected NAME = EXPRESSION", 0);
    if (!error_.ok()) return error_;
    return find_names(std::move(out));
  }

 private:
  static bool separator(char c) { return c == ';' || c == '\n' || c == '\r'; }
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    if (at_ < text_.size() && text_[at_] == '#') {
      while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    }
  }
  void skip_separators() {
    for (skip_blanks(); at_ < text_.size() && separator(text_[at_]); skip_blanks()) ++at_;
  }
  bool at_end_of_statement() {
    skip_blanks();
    return at_ >= text_.size() || separator(text_[at_]);
  }
  bool peek(std::string_view sign) const { return text_.substr(at_).starts_with(sign); }
  bool eat(std::string_view sign) {
    skip_blanks();
    if (!peek(sign)) return false;
    at_ += sign.size();
    return true;
  }

  Term fail(std::string what, size_t place) {
    if (!error_.ok()) return {};
    const size_t line = text_.rfind('\n', place == 0 ? 0 : place - 1);
    const size_t begin = line == std::string_view::npos || place == 0 ? 0 : line + 1;
    const std::string shown(text_.substr(begin, std::min(text_.find('\n', begin), text_.size()) - begin));
    error_ = invalid_input(
        fmt::format("{} at column {}:\n  {}\n  {}^", what, place - begin + 1, shown, std::string(place - begin, ' ')));
    return {};
  }

  std::string identifier() {
    skip_blanks();
    size_t end = at_;
    const auto letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    while (end < text_.size() && letter(text_[end])) ++end;
    if (end == at_ || std::isdigit(static_cast<unsigned char>(text_[at_]))) return {};
    std::string name(text_.substr(at_, end - at_));
    at_ = end;
    return name;
  }

  const Operator* operator_at(int level) {
    skip_blanks();
    if (peek("**")) return nullptr;
    for (const Operator& op : kOperators) {
      if (peek(op.sign)) return op.level == level ? &op : nullptr;
    }
    return nullptr;
  }

  Term comparison(int level) {
    if (level == kLevels) return unary();
    Term left = comparison(level + 1);
    while (const Operator* op = error_.ok() ? operator_at(level) : nullptr) {
      const size_t place = at_;
      at_ += op->sign.size();
      Term right = comparison(level + 1);
      if (++calls_ > kMostCalls) return fail(fmt::format("more than {} operations", kMostCalls), place);
      left = Term{Term::Kind::kCall, 0, std::string(op->function), {std::move(left), std::move(right)}, place};
    }
    return left;
  }

  Term unary() {
    skip_blanks();
    const size_t place = at_;
    if (++depth_ > kDeepest) return fail("nested too deeply", place);
    Term out;
    if (eat("-")) {
      Term inner = unary();
      if (inner.kind == Term::Kind::kNumber) {
        out = inner;
        out.value = -inner.value;
      } else out = Term{Term::Kind::kCall, 0, "neg", {std::move(inner)}, place};
    } else if (eat("+")) {
      out = unary();
    } else {
      out = power();
    }
    --depth_;
    return out;
  }

  Term power() {
    Term base = primary();
    skip_blanks();
    const size_t place = at_;
    if (!error_.ok() || !eat("**")) return base;
    return Term{Term::Kind::kCall, 0, "pow", {std::move(base), unary()}, place};
  }

  Term primary() {
    skip_blanks();
    const size_t place = at_;
    if (eat("(")) {
      Term inner = comparison(0);
      if (!eat(")")) return fail("expected )", at_);
      return inner;
    }
    const std::string name = identifier();
    if (name.empty()) return number(place);
    if (!eat("(")) return Term{Term::Kind::kName, 0, name, {}, place};
    return call(name, place);
  }

  Term call(const std::string& name, size_t place) {
    Term out{Term::Kind::kCall, 0, name, {}, place};
    if (!eat(")")) {
      do out.args.push_back(comparison(0));
      while (error_.ok() && eat(","));
      if (!eat(")")) return fail("expected , or )", at_);
    }
    if (find_function(name, out.args.size()) != nullptr || (name == "length" && out.args.size() == 1)) return out;
    const std::vector<std::string> names = function_names();
    const bool known = std::find(names.begin(), names.end(), name) != names.end();
    const std::string near = known ? "" : nearest(name, names);
    return fail(known ? fmt::format("{} does not take {} arguments", name, out.args.size())
                      : fmt::format("no function '{}'{}", name, near.empty() ? "" : "; did you mean " + near + "?"),
                place);
  }

  Term number(size_t place) {
    size_t end = place;
    const auto digit = [&](size_t i) { return i < text_.size() && std::isdigit(static_cast<unsigned char>(text_[i])); };
    while (digit(end) || (end < text_.size() && text_[end] == '.')) ++end;
    if (end > place && end < text_.size() && (text_[end] == 'e' || text_[end] == 'E')) {
      const size_t sign = end + 1 < text_.size() && (text_[end + 1] == '-' || text_[end + 1] == '+') ? 1 : 0;
      if (digit(end + 1 + sign)) {
        for (end += 1 + sign; digit(end);) ++end;
      }
    }
    const auto value = end > place ? parse_double(text_.substr(place, end - place)) : std::nullopt;
    if (!value || !std::isfinite(*value)) return fail("expected a number, a name or (", place);
    at_ = end;
    return Term{Term::Kind::kNumber, *value, {}, {}, place};
  }

  static void collect(const Term& term, const std::set<std::string>& assigned, std::set<std::string>& used,
                      Formula& out) {
    if (term.kind == Term::Kind::kName) {
      used.insert(term.name);
      if (!assigned.contains(term.name) &&
          std::find(out.inputs.begin(), out.inputs.end(), term.name) == out.inputs.end())
        out.inputs.push_back(term.name);
    }
    for (const Term& arg : term.args) collect(arg, assigned, used, out);
  }

  Result<Formula> find_names(Formula out) const {
    std::set<std::string> assigned, used;
    for (const Assignment& a : out.assignments) {
      collect(a.term, assigned, used, out);
      assigned.insert(a.name);
    }
    for (const Assignment& a : out.assignments) {
      if (!used.contains(a.name)) out.outputs.push_back(a.name);
      if (std::find(out.inputs.begin(), out.inputs.end(), a.name) != out.inputs.end())
        return invalid_input(fmt::format("'{}' is used before it is assigned", a.name));
    }
    if (out.inputs.empty()) return invalid_input("the formula has no input");
    return out;
  }

  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0, calls_ = 0;
  Status error_;
};

const Operator* operator_of(const Term& term) {
  for (const Operator& op : kOperators) {
    if (term.kind == Term::Kind::kCall && term.name == op.function) return &op;
  }
  return nullptr;
}

/// How tightly a term's outermost sign binds; 9 when it needs no parentheses anywhere.
int level_of(const Term& term) {
  if (const Operator* op = operator_of(term)) return op->level;
  if (term.kind == Term::Kind::kNumber) return term.value < 0 ? kLevels : 9;
  if (term.kind != Term::Kind::kCall) return 9;
  return term.name == "neg" ? kLevels : term.name == "pow" ? kLevels + 1 : 9;
}

std::string wrapped(const Term& term, int at_least) {
  return level_of(term) < at_least ? "(" + to_text(term) + ")" : to_text(term);
}

}  // namespace

Result<Formula> parse_formula(std::string_view text) { return Parser(text).formula(); }

std::string to_text(const Term& term) {
  if (term.kind == Term::Kind::kNumber) return fmt::format("{}", term.value);
  if (term.kind == Term::Kind::kName) return term.name;
  if (const Operator* op = operator_of(term))
    return wrapped(term.args[0], op->level) + fmt::format(" {} ", op->sign) + wrapped(term.args[1], op->level + 1);
  if (term.name == "neg") return "-" + wrapped(term.args[0], kLevels);
  if (term.name == "pow") return wrapped(term.args[0], kLevels + 2) + " ** " + wrapped(term.args[1], kLevels);
  std::vector<std::string> args;
  for (const Term& arg : term.args) args.push_back(to_text(arg));
  return fmt::format("{}({})", term.name, join(args, ", "));
}

}  // namespace warplens::formula
