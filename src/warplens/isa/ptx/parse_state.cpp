#include "warplens/isa/ptx/parse_state.h"

namespace warplens::ptx {

bool ParseState::fail(Position position, std::string_view message) {
  if (error.empty()) error = describe(module.source_name, lexer.source(), position, message);
  return false;
}

bool ParseState::unexpected(std::string_view what) {
  if (token().kind == TokenKind::kBad) return fail(token().position, token().text);
  if (token().kind == TokenKind::kEnd) return fail(token().position, fmt::format("expected {}, found the end", what));
  const char* dot = token().kind == TokenKind::kDirective ? "." : "";
  return fail(token().position, fmt::format("expected {}, found '{}{}'", what, dot, token().text.substr(0, 60)));
}

bool ParseState::expect(char punctuation) {
  if (!token().is(punctuation)) return unexpected(fmt::format("'{}'", punctuation));
  advance();
  return true;
}

bool ParseState::accept(char punctuation) {
  if (!token().is(punctuation)) return false;
  advance();
  return true;
}

bool ParseState::accept_directive(std::string_view name) {
  if (!token().is_directive(name)) return false;
  advance();
  return true;
}

bool ParseState::word(std::string_view& out, std::string_view what) {
  if (token().kind != TokenKind::kWord) return unexpected(what);
  out = token().text;
  advance();
  return true;
}

bool ParseState::integer(uint64_t& out, std::string_view what) {
  if (token().kind != TokenKind::kInteger) return unexpected(what);
  out = token().value;
  advance();
  return true;
}

}  // namespace warplens::ptx
