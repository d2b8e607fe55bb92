#include "warplens/isa/ptx/body_parser.h"

#include "warplens/isa/ptx/table.h"

namespace warplens::ptx {

bool BodyParser::run() {
  open_scope();
  if (!add_parameters(function_.results, SymbolKind::kResult) ||
      !add_parameters(function_.parameters, SymbolKind::kParameter)) {
    return false;
  }
  while (!first_pending_.empty()) {
    if (!statement()) return false;
  }
  return true;
}

bool BodyParser::add_parameters(std::vector<Variable>& parameters, SymbolKind symbol) {
  for (uint32_t i = 0; i < parameters.size(); ++i) {
    Variable& parameter = parameters[i];
    Meaning meaning{Meaning::kSymbol, symbol, i, 1};
    if (parameter.space == Space::kRegister) {
      RegisterDeclaration declaration;
      declaration.name = parameter.name;
      declaration.type = parameter.type;
      declaration.vector = parameter.vector;
      declaration.first = static_cast<uint32_t>(function_.registers.size());
      declaration.position = parameter.position;
      declaration.parameter = true;
      parameter.register_id = declaration.first;
      meaning = {Meaning::kRegister, symbol, declaration.first, 1};
      function_.registers.push_back(
          {declaration.type, declaration.vector, static_cast<uint32_t>(function_.register_declarations.size())});
      function_.register_declarations.push_back(std::move(declaration));
    }
    if (!state_.names.add(parameter.name, meaning)) {
      return state_.fail(parameter.position, fmt::format("'{}' is declared twice", parameter.name));
    }
  }
  return true;
}

void BodyParser::open_scope() {
  const uint32_t parent = function_.scopes.empty() ? kNone : scope_;
  scope_ = static_cast<uint32_t>(function_.scopes.size());
  function_.scopes.push_back({parent, here(), here()});
  first_pending_.push_back(operands_.pending.size());
  state_.names.open();
}

bool BodyParser::close_scope() {
  const bool outermost = first_pending_.size() == 1;
  auto& pending = operands_.pending;
  size_t kept = first_pending_.back();
  for (size_t i = kept; i < pending.size(); ++i) {
    const Meaning* meaning = state_.names.find_innermost(pending[i].name);
    if (meaning != nullptr) {
      if (!resolve(pending[i], *meaning)) return false;
    } else if (outermost) {
      const std::string near = nearest(pending[i].name, state_.names.all());
      const std::string hint = near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near);
      return state_.fail(pending[i].position,
                         fmt::format("nothing named '{}' is declared here{}", pending[i].name, hint));
    } else {
      pending[kept++] = pending[i];
    }
  }
  pending.resize(kept);
  first_pending_.pop_back();
  function_.scopes[scope_].end = here();
  if (!outermost) scope_ = function_.scopes[scope_].parent;
  state_.names.close();
  return true;
}

bool BodyParser::resolve(const Pending& name, const Meaning& meaning) {
  const bool is_label = meaning.kind == Meaning::kLabel;
  if (name.place == Pending::kBranchTarget) {
    if (!is_label) return state_.fail(name.position, fmt::format("'{}' is no label", name.name));
    function_.branch_targets[name.index].labels[name.slot] = meaning.id;
    return true;
  }
  Operand& operand = function_.operands[name.index];
  operand.id = meaning.id;
  if (is_label) return true;
  operand.kind = meaning.kind == Meaning::kSymbol ? OperandKind::kSymbol : OperandKind::kRegister;
  operand.symbol = meaning.symbol;
  return true;
}

bool BodyParser::add_name(const Token& name, Meaning meaning) {
  if (state_.names.add(name.text, meaning)) return true;
  return state_.fail(name.position, fmt::format("'{}' is declared twice", name.text));
}

bool BodyParser::statement() {
  const Token token = state_.token();
  if (token.kind == TokenKind::kDirective) return directive();
  if (token.kind == TokenKind::kWord) {
    if (state_.lexer.dot_follows()) return instruction();
    Lexer ahead = state_.lexer;
    ahead.advance();
    if (!ahead.token().is(':')) return instruction();
    ahead.advance();
    state_.lexer = ahead;
    return label(token);
  }
  if (token.is('@')) return instruction();
  if (token.is('{')) {
    if (first_pending_.size() > static_cast<size_t>(kDeepest)) {
      return state_.fail(token.position, "scopes are nested too deeply");
    }
    state_.advance();
    open_scope();
    return true;
  }
  if (token.is('}')) {
    if (!close_scope()) return false;
    state_.advance();
    return true;
  }
  if (token.is(';')) {
    state_.advance();
    return true;
  }
  return state_.unexpected("an instruction, a label or '}'");
}

bool BodyParser::label(const Token& name) {
  if (state_.accept_directive("branchtargets")) return branch_targets(name);
  if (state_.accept_directive("calltargets")) return call_targets(name);
  if (state_.accept_directive("callprototype")) return prototype(name);
  const auto id = static_cast<uint32_t>(function_.labels.size());
  function_.labels.push_back({std::string(name.text), here(), scope_, name.position});
  return add_name(name, {Meaning::kLabel, SymbolKind::kGlobal, id, 1});
}

uint32_t BodyParser::mnemonic(std::string_view text) {
  const auto [found, added] = mnemonics_.try_emplace(text, static_cast<uint32_t>(state_.module.mnemonics.size()));
  if (added) state_.module.mnemonics.push_back(decode(text));
  return found->second;
}

bool BodyParser::guard(Instruction& out) {
  if (!state_.accept('@')) return true;
  out.guard_negated = state_.accept('!');
  const Token name = state_.token();
  const Meaning* meaning = name.kind == TokenKind::kWord ? state_.names.find(name.text) : nullptr;
  if (meaning == nullptr || meaning->kind != Meaning::kRegister ||
      function_.registers[meaning->id].type != Type::kPred) {
    return state_.unexpected("a predicate register");
  }
  out.guard = meaning->id;
  state_.advance();
  return true;
}

bool BodyParser::instruction() {
  Instruction parsed;
  if (!guard(parsed)) return false;
  if (state_.token().kind != TokenKind::kWord) return state_.unexpected("an instruction");
  parsed.position = state_.token().position;
  state_.lexer.extend_mnemonic();
  parsed.mnemonic = mnemonic(state_.token().text);
  parsed.debug = debug_.current();
  state_.advance();
  const Mnemonic& decoded = state_.module.mnemonics[parsed.mnemonic];
  if (!operands_.parse_all(parsed, decoded.opcode) || !state_.expect(';')) return false;
  if (decoded.form >= 0) {
    const FormRow& form = forms()[decoded.form];
    if (parsed.operand_count < form.operand_min || parsed.operand_count > form.operand_max) {
      return state_.fail(parsed.position, fmt::format("'{}' takes the operands '{}'; here are {}", decoded.text,
                                                      form.operands, parsed.operand_count));
    }
  }
  function_.instructions.push_back(parsed);
  return true;
}

}  // namespace warplens::ptx
