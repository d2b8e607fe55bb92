// Constant expressions: C's operators over 64-bit integers, signed unless a U suffix or (.u64) made them unsigned.
#include <array>
#include <bit>
#include <limits>

#include "warplens/isa/ptx/parse_state.h"

namespace warplens::ptx {
namespace {

struct Operator {
  std::string_view text;
  int precedence;
};
constexpr std::array<Operator, 18> kOperators = {{{"||", 1},
                                                  {"&&", 2},
                                                  {"|", 3},
                                                  {"^", 4},
                                                  {"&", 5},
                                                  {"==", 6},
                                                  {"!=", 6},
                                                  {"<", 7},
                                                  {">", 7},
                                                  {"<=", 7},
                                                  {">=", 7},
                                                  {"<<", 8},
                                                  {">>", 8},
                                                  {"+", 9},
                                                  {"-", 9},
                                                  {"*", 10},
                                                  {"/", 10},
                                                  {"%", 10}}};

class Evaluator {
 public:
  explicit Evaluator(ParseState& state) : state_(state) {}

  bool ternary(uint64_t& out) {
    if (++depth_ > kDeepest) return state_.fail(state_.token().position, "the expression is nested too deeply");
    if (!binary(out, 1)) return false;
    if (state_.accept('?')) {
      uint64_t yes = 0, no = 0;
      if (!ternary(yes) || !state_.expect(':') || !ternary(no)) return false;
      out = out != 0 ? yes : no;
    }
    --depth_;
    return true;
  }

 private:
  int precedence() const {
    if (state_.token().kind != TokenKind::kPunctuation) return 0;
    for (const Operator& op : kOperators) {
      if (op.text == state_.token().text) return op.precedence;
    }
    return 0;
  }

  bool binary(uint64_t& out, int least) {
    if (!unary(out)) return false;
    for (int level = precedence(); level >= least; level = precedence()) {
      const Token op = state_.token();
      state_.advance();
      uint64_t right = 0;
      if (!binary(right, level + 1)) return false;
      if ((op.is('/') || op.is('%')) && right == 0) return state_.fail(op.position, "division by zero");
      out = apply(op.text, out, right);
    }
    return true;
  }

  static uint64_t apply(std::string_view op, uint64_t a, uint64_t b) {
    const auto sa = static_cast<int64_t>(a), sb = static_cast<int64_t>(b);
    if (op == "+") return a + b;
    if (op == "-") return a - b;
    if (op == "*") return a * b;
    const bool overflows = sa == std::numeric_limits<int64_t>::min() && sb == -1;
    if (op == "/") return overflows ? a : static_cast<uint64_t>(sa / sb);
    if (op == "%") return overflows ? 0 : static_cast<uint64_t>(sa % sb);
    if (op == "<<") return b > 63 ? 0 : a << b;
    if (op == ">>") return static_cast<uint64_t>(sa >> (b > 63 ? 63 : b));
    if (op == "&") return a & b;
    if (op == "|") return a | b;
    if (op == "^") return a ^ b;
    if (op == "&&") return a != 0 && b != 0;
    if (op == "||") return a != 0 || b != 0;
    if (op == "==") return a == b;
    if (op == "!=") return a != b;
    if (op == "<") return sa < sb;
    if (op == ">") return sa > sb;
    if (op == "<=") return sa <= sb;
    return sa >= sb;
  }

  bool unary(uint64_t& out) {
    if (++depth_ > kDeepest) return state_.fail(state_.token().position, "the expression is nested too deeply");
    const Token token = state_.token();
    const bool is_operator = token.is('-') || token.is('+') || token.is('~') || token.is('!');
    if (is_operator || token.is('(')) state_.advance();
    if (is_operator) {
      if (!unary(out)) return false;
      out = token.is('-') ? ~out + 1 : token.is('~') ? ~out : token.is('!') ? out == 0 : out;
    } else if (token.is('(')) {
      const bool cast = state_.accept_directive("s64") || state_.accept_directive("u64");
      if (cast ? !(state_.expect(')') && unary(out)) : !(ternary(out) && state_.expect(')'))) return false;
    } else if (!primary(token, out)) {
      return false;
    }
    --depth_;
    return true;
  }

  bool primary(const Token& token, uint64_t& out) {
    if (token.kind == TokenKind::kWord && token.text == "WARP_SZ") {
      out = 32;
    } else if (token.kind == TokenKind::kInteger) {
      out = token.value;
    } else {
      return state_.unexpected("a number");
    }
    state_.advance();
    return true;
  }

  ParseState& state_;
  int depth_ = 0;
};

}  // namespace

bool parse_expression(ParseState& state, uint64_t& bits, Immediate& immediate) {
  immediate = Immediate::kInteger;
  const bool negative = state.token().is('-');
  Token token = state.token();
  if (token.kind == TokenKind::kFloat || negative) {  // -1.5 is a float, -1 an expression
    Lexer ahead = state.lexer;
    if (negative) ahead.advance();
    token = ahead.token();
    if (token.kind == TokenKind::kFloat) state.lexer = ahead;
    if (token.kind == TokenKind::kFloat) {
      state.advance();
      immediate = token.immediate;
      const uint64_t sign = token.immediate == Immediate::kFloat32 ? uint64_t{1} << 31 : uint64_t{1} << 63;
      bits = negative ? token.value ^ sign : token.value;
      return true;
    }
  }
  return Evaluator(state).ternary(bits);
}

bool parse_addend(ParseState& state, uint64_t& sum) {
  if (!state.token().is('+') && !state.token().is('-')) return true;
  const bool negative = state.token().is('-');
  state.advance();
  uint64_t bits = 0;
  Immediate immediate = Immediate::kInteger;
  if (!parse_expression(state, bits, immediate)) return false;
  sum += negative ? ~bits + 1 : bits;
  return true;
}

}  // namespace warplens::ptx
