// The declarations and directives that stand in a function's body.
#include "warplens/isa/ptx/body_parser.h"

namespace warplens::ptx {

bool BodyParser::directive() {
  const Token token = state_.token();
  state_.advance();
  if (token.text == "loc") return debug_.parse();
  if (token.text == "reg") return registers();
  if (token.text == "pragma") return pragma();
  const Space space = space_named(token.text);
  if (space == Space::kShared || space == Space::kLocal || space == Space::kParam || space == Space::kConst ||
      space == Space::kGlobal) {
    return variables(space);
  }
  return state_.fail(token.position, fmt::format("'.{}' is not a directive of a function's body", token.text));
}

bool BodyParser::pragma() {
  do {
    if (state_.token().kind != TokenKind::kString) return state_.unexpected("a string");
    function_.pragmas.push_back({here(), std::string(state_.token().text)});
    state_.advance();
  } while (state_.accept(','));
  return state_.expect(';');
}

bool BodyParser::registers() {
  RegisterDeclaration common;
  common.scope = scope_;
  common.instruction = here();
  while (state_.token().kind == TokenKind::kDirective) {
    const std::string_view word = state_.token().text;
    if (word == "v2" || word == "v4" || word == "v8") {
      common.vector = static_cast<uint8_t>(word[1] - '0');
    } else if (common.type = type_named(word); common.type == Type::kNone) {
      return state_.unexpected("a type");
    }
    state_.advance();
  }
  if (common.type == Type::kNone) return state_.unexpected("a type such as .b32");
  do {
    if (!declare_register(common)) return false;
  } while (state_.accept(','));
  return state_.expect(';');
}

bool BodyParser::declare_register(RegisterDeclaration declaration) {
  const Token name = state_.token();
  if (name.kind != TokenKind::kWord) return state_.unexpected("a register");
  state_.advance();
  declaration.name = name.text;
  declaration.position = name.position;
  declaration.first = static_cast<uint32_t>(function_.registers.size());
  uint64_t count = 1;
  if (state_.accept('<')) {
    declaration.ranged = true;
    if (!state_.integer(count, "a count of registers") || !state_.expect('>')) return false;
  }
  state_.registers += count;
  if (count > kMostRegisters || state_.registers > kMostRegisters) {
    return state_.fail(name.position, fmt::format("more than {} registers in one module", kMostRegisters));
  }
  declaration.count = static_cast<uint32_t>(count);
  const auto kind = declaration.ranged ? Meaning::kRange : Meaning::kRegister;
  const Register each{declaration.type, declaration.vector,
                      static_cast<uint32_t>(function_.register_declarations.size())};
  const Meaning meaning{kind, SymbolKind::kGlobal, declaration.first, declaration.count};
  function_.registers.insert(function_.registers.end(), count, each);
  function_.register_declarations.push_back(std::move(declaration));
  return add_name(name, meaning);
}

bool BodyParser::variables(Space space) {
  Variable common;
  common.space = space;
  common.scope = scope_;
  common.instruction = here();
  return parse_variables(state_, std::move(common), [&](Variable variable, const Token& name) {
    const Meaning meaning{Meaning::kSymbol, SymbolKind::kLocal, static_cast<uint32_t>(function_.variables.size()), 1};
    function_.variables.push_back(std::move(variable));
    return add_name(name, meaning);
  });
}

bool BodyParser::branch_targets(const Token& name) {
  const auto id = static_cast<uint32_t>(function_.branch_targets.size());
  function_.branch_targets.push_back({std::string(name.text), {}, here(), scope_});
  do {
    const Token target = state_.token();
    if (target.kind != TokenKind::kWord) return state_.unexpected("a label");
    auto& labels = function_.branch_targets.back().labels;
    operands_.pending.push_back(
        {Pending::kBranchTarget, id, static_cast<uint32_t>(labels.size()), target.text, target.position});
    labels.push_back(kNone);
    state_.advance();
  } while (state_.accept(','));
  return state_.expect(';') && add_name(name, {Meaning::kSymbol, SymbolKind::kBranchTargets, id, 1});
}

bool BodyParser::call_targets(const Token& name) {
  const auto id = static_cast<uint32_t>(function_.call_targets.size());
  function_.call_targets.push_back({std::string(name.text), {}, here(), scope_});
  do {
    const Token target = state_.token();
    const Meaning* meaning = target.kind == TokenKind::kWord ? state_.names.find(target.text) : nullptr;
    if (meaning == nullptr || meaning->symbol != SymbolKind::kFunction) return state_.unexpected("a function");
    function_.call_targets.back().functions.push_back(meaning->id);
    state_.advance();
  } while (state_.accept(','));
  return state_.expect(';') && add_name(name, {Meaning::kSymbol, SymbolKind::kCallTargets, id, 1});
}

bool BodyParser::prototype(const Token& name) {
  Prototype parsed{std::string(name.text), {}, {}, {}, here(), scope_};
  std::string_view placeholder;
  if (state_.token().is('(') && !parse_parameters(state_, parsed.results, false)) return false;
  if (!state_.word(placeholder, "_")) return false;
  if (state_.token().is('(') && !parse_parameters(state_, parsed.parameters, false)) return false;
  std::vector<Pragma> pragmas;
  if (!parse_directives(state_, parsed.directives, pragmas)) return false;
  const auto id = static_cast<uint32_t>(function_.prototypes.size());
  function_.prototypes.push_back(std::move(parsed));
  return state_.expect(';') && add_name(name, {Meaning::kSymbol, SymbolKind::kPrototype, id, 1});
}

}  // namespace warplens::ptx
