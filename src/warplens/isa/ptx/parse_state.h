// The state that the parts of the parser share: the lexer, the module, the names, and the first error.
#pragma once
#include <string>
#include <string_view>

#include "warplens/base/text.h"
#include "warplens/isa/ptx/lexer.h"
#include "warplens/isa/ptx/module.h"
#include "warplens/isa/ptx/names.h"

namespace warplens::ptx {

/// Limits that keep a hostile file from taking the machine's memory.
inline constexpr uint64_t kMostRegisters = 1 << 24;           // of one module
inline constexpr uint64_t kMostInitialisedBytes = 256 << 20;  // of one module
inline constexpr int kDeepest = 64;                           // nesting of scopes, expressions, operands

struct ParseState {
  ParseState(std::string_view source, Module& target) : lexer(source), module(target) { names.open(); }

  Lexer lexer;
  Module& module;
  Names names;
  std::string error;  // the first one, described; functions below return false once it is set
  uint64_t registers = 0, initialised_bytes = 0;

  const Token& token() const { return lexer.token(); }
  void advance() { lexer.advance(); }
  bool fail(Position position, std::string_view message);
  /// "expected WHAT, found TOKEN"
  bool unexpected(std::string_view what);
  bool expect(char punctuation);
  /// Consumes the token when it is this punctuation or directive.
  bool accept(char punctuation);
  bool accept_directive(std::string_view name);
  bool word(std::string_view& out, std::string_view what);
  bool integer(uint64_t& out, std::string_view what);
};

/// A constant expression, with PTX's operators; `bits` is an integer unless `immediate` says otherwise.
bool parse_expression(ParseState& state, uint64_t& bits, Immediate& immediate);
/// + 16, - 4, +-8 after an operand, added to `sum`; may be absent.
bool parse_addend(ParseState& state, uint64_t& sum);

/// Declarations such as `.shared .align 16 .b8 a[4], b = 1;` after their space and linkage; `add` gets each one.
/// Ends after the semicolon.
template <typename Add>
bool parse_variables(ParseState& state, Variable common, const Add& add);
/// One variable: attributes, name, dimensions; `needs_name` as prototypes may say _.
bool parse_variable_head(ParseState& state, Variable& variable);
bool parse_variable_tail(ParseState& state, Variable& variable, bool may_initialise);
/// .maxntid 128, 1, 1 and its like, up to something that is not such directive.
bool parse_directives(ParseState& state, std::vector<Directive>& out, std::vector<Pragma>& pragmas);
/// ( .param .b32 a, .param .b64 b )
bool parse_parameters(ParseState& state, std::vector<Variable>& out, bool is_kernel);
/// Places kernel parameters in their block.
void lay_out(std::vector<Variable>& parameters);

template <typename Add>
bool parse_variables(ParseState& state, Variable common, const Add& add) {
  if (!parse_variable_head(state, common)) return false;
  do {
    Variable variable = common;
    const Token name = state.token();
    if (!parse_variable_tail(state, variable, true) || !add(std::move(variable), name)) return false;
  } while (state.accept(','));
  return state.expect(';');
}

}  // namespace warplens::ptx
