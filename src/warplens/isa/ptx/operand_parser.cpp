#include "warplens/isa/ptx/operand_parser.h"

#include <array>

namespace warplens::ptx {
namespace {

struct SpecialRow {
  std::string_view text;
  SpecialRegister id;
};
constexpr std::array kSpecials = {
#define SPECIAL(name, text, type, components) SpecialRow{text, SpecialRegister::name},
#include "warplens/isa/ptx/special_registers.def"
#undef SPECIAL
};

/// %envreg7, %pm3, %pm3_64: the numbered ones.
bool numbered_special(std::string_view name, std::string_view prefix, std::string_view suffix, uint64_t& number) {
  if (name.size() <= prefix.size() + suffix.size() || !name.starts_with(prefix) || !name.ends_with(suffix))
    return false;
  const auto value = parse_int(name.substr(prefix.size(), name.size() - prefix.size() - suffix.size()));
  number = value.value_or(99);
  return number < 32;
}

bool find_special(std::string_view name, Operand& out) {
  if (name[0] != '%') return false;
  out.kind = OperandKind::kSpecial;
  for (const SpecialRow& row : kSpecials) {
    if (row.text == name) {
      out.id = static_cast<uint32_t>(row.id);
      return true;
    }
  }
  if (numbered_special(name, "%envreg", "", out.value)) {
    out.id = static_cast<uint32_t>(SpecialRegister::kEnvreg);
  } else if (numbered_special(name, "%pm", "_64", out.value)) {
    out.id = static_cast<uint32_t>(SpecialRegister::kPm64);
  } else if (numbered_special(name, "%pm", "", out.value)) {
    out.id = static_cast<uint32_t>(SpecialRegister::kPm);
  } else {
    return false;
  }
  return true;
}

constexpr std::array<std::string_view, 14> kComponents = {"x",  "y",  "z",  "w", "b0", "b1", "b2",
                                                          "b3", "h0", "h1", "r", "g",  "b",  "a"};

}  // namespace

void OperandParser::settle(size_t begin, uint32_t& first, uint32_t& count) {
  first = static_cast<uint32_t>(function_.operands.size());
  count = static_cast<uint32_t>(scratch_.size() - begin);
  function_.operands.insert(function_.operands.end(), scratch_.begin() + static_cast<ptrdiff_t>(begin), scratch_.end());
  scratch_.resize(begin);
}

bool OperandParser::parse_all(Instruction& instruction, Opcode opcode) {
  call_ = opcode == Opcode::kCall;
  branch_ = opcode == Opcode::kBra;
  unresolved_.clear();
  const size_t begin = function_.operands.size();
  scratch_.clear();
  while (!state_.token().is(';')) {
    Operand parsed;
    if (!operand(parsed, 0)) return false;
    scratch_.push_back(parsed);
    if (!state_.token().is(';') && !state_.expect(',')) return false;
  }
  if (scratch_.size() > 0xffff) return state_.fail(instruction.position, "more than 65535 operands");
  uint32_t count = 0;
  settle(0, instruction.first_operand, count);
  instruction.operand_count = static_cast<uint16_t>(count);
  if (!unresolved_.empty()) note_unresolved(begin);
  return true;
}

void OperandParser::note_unresolved(size_t begin) {
  for (size_t i = begin; i < function_.operands.size(); ++i) {
    const Operand& operand = function_.operands[i];
    if (operand.kind != OperandKind::kLabel) continue;
    Pending name = unresolved_[operand.id];
    name.index = static_cast<uint32_t>(i);
    pending.push_back(name);
  }
}

bool OperandParser::operand(Operand& out, int depth) {
  if (depth > kDeepest) return state_.fail(state_.token().position, "the operand is nested too deeply");
  const Token token = state_.token();
  if (token.kind == TokenKind::kWord) return named(out, depth);
  if (token.is('{')) return sequence('}', OperandKind::kVector, out, depth);
  if (token.is('[')) return bracket(out, depth);
  if (token.is('(') && call_) return sequence(')', OperandKind::kList, out, depth);
  if (token.is('!') || token.is('-')) {
    Lexer ahead = state_.lexer;
    ahead.advance();
    if (ahead.token().kind == TokenKind::kWord && ahead.token().text != "WARP_SZ") {
      state_.lexer = ahead;
      if (!named(out, depth)) return false;
      out.negated = true;
      return true;
    }
  }
  const bool number = token.kind == TokenKind::kInteger || token.kind == TokenKind::kFloat || token.is('(') ||
                      token.is('-') || token.is('+') || token.is('~') || token.is('!');
  if (!number) return state_.unexpected("an operand or ';'");
  out.kind = OperandKind::kImmediate;
  return parse_expression(state_, out.value, out.immediate);
}

bool OperandParser::named(Operand& out, int depth) {
  const Token token = state_.token();
  if (token.text == "WARP_SZ") {
    out.kind = OperandKind::kImmediate;
    return parse_expression(state_, out.value, out.immediate);
  }
  if (token.text != "_") {
    const Meaning* meaning = branch_ ? nullptr : state_.names.find(token.text);
    if (meaning == nullptr && !branch_ && find_special(token.text, out)) {
      // a special register
    } else if (meaning == nullptr || meaning->kind == Meaning::kLabel) {
      out.kind = OperandKind::kLabel;
      out.id = static_cast<uint32_t>(unresolved_.size());
      unresolved_.push_back({Pending::kOperand, 0, 0, token.text, token.position});
    } else {
      out.kind = meaning->kind == Meaning::kRegister ? OperandKind::kRegister : OperandKind::kSymbol;
      out.id = meaning->id;
      out.symbol = meaning->symbol;
    }
  }
  const bool dotted = state_.lexer.dot_follows();
  state_.advance();
  if (dotted && !component(out)) return false;
  if (out.kind == OperandKind::kSymbol && depth >= 0 && !(index(out) && parse_addend(state_, out.value))) return false;
  return !state_.token().is('|') || pair(out, depth);
}

bool OperandParser::component(Operand& out) {
  for (size_t i = 0; i < kComponents.size(); ++i) {
    if (!state_.token().is_directive(kComponents[i])) continue;
    out.component = static_cast<uint8_t>(i < 10 ? i : i - 10);
    state_.advance();
    return true;
  }
  return state_.unexpected(".x, .y, .z, .w, .b0 to .b3, .h0 or .h1");
}

/// a[3] is the address of that element of a variable.
bool OperandParser::index(Operand& out) {
  const bool global = out.symbol == SymbolKind::kGlobal;
  if (!state_.token().is('[') || !(global || out.symbol == SymbolKind::kLocal)) return true;
  state_.advance();
  const Variable& variable = (global ? state_.module.variables : function_.variables)[out.id];
  Immediate immediate = Immediate::kInteger;
  if (!parse_expression(state_, out.value, immediate)) return false;
  out.value *= static_cast<uint64_t>(size_bytes(variable.type)) * variable.vector;
  return state_.expect(']');
}

/// [base + offset], or [a, {b, c}, ...].
bool OperandParser::bracket(Operand& out, int depth) {
  state_.advance();
  const size_t begin = scratch_.size();
  Operand base, whole;
  if (!operand(base, depth + 1)) return false;
  if (base.kind == OperandKind::kSymbol) std::swap(whole.value, base.value);
  if (base.kind == OperandKind::kRegister && !parse_addend(state_, whole.value)) return false;
  if (state_.token().is(']')) {
    out.kind = OperandKind::kAddress;
    out.value = whole.value;
    scratch_.push_back(base);
  } else {
    out.kind = OperandKind::kBracket;
    if (base.kind == OperandKind::kSymbol) std::swap(whole.value, base.value);
    scratch_.push_back(base);
    while (state_.accept(',')) {
      Operand element;
      if (!operand(element, depth + 1)) return false;
      scratch_.push_back(element);
    }
  }
  settle(begin, out.first, out.count);
  return state_.expect(']');
}

bool OperandParser::sequence(char close, OperandKind kind, Operand& out, int depth) {
  state_.advance();
  const size_t begin = scratch_.size();
  while (!state_.token().is(close)) {
    Operand element;
    if (!operand(element, depth + 1)) return false;
    scratch_.push_back(element);
    if (!state_.token().is(close) && !state_.expect(',')) return false;
  }
  out.kind = kind;
  settle(begin, out.first, out.count);
  state_.advance();
  return true;
}

bool OperandParser::pair(Operand& out, int depth) {
  state_.advance();
  const size_t begin = scratch_.size();
  Operand second;
  scratch_.push_back(out);
  if (!operand(second, depth + 1)) return false;
  scratch_.push_back(second);
  out = Operand{};
  out.kind = OperandKind::kPair;
  settle(begin, out.first, out.count);
  return true;
}

}  // namespace warplens::ptx
