// Declarations of variables and parameters.
#include <algorithm>
#include <bit>

#include "warplens/isa/ptx/initialiser.h"
#include "warplens/isa/ptx/parse_state.h"

namespace warplens::ptx {
namespace {

constexpr uint64_t kLargestVariable = uint64_t{1} << 40;

uint32_t natural_alignment(const Variable& variable) {
  return static_cast<uint32_t>(size_bytes(variable.type)) * variable.vector;
}

bool parse_alignment(ParseState& state, uint32_t& out) {
  uint64_t value = 0;
  const Position position = state.token().position;
  if (!state.integer(value, "an alignment")) return false;
  if (value == 0 || value > 4096 || !std::has_single_bit(value)) {
    return state.fail(position, "an alignment is a power of two up to 4096");
  }
  out = static_cast<uint32_t>(value);
  return true;
}

/// .ptr .global .align 16
bool parse_pointer(ParseState& state, Variable& variable) {
  variable.pointer = true;
  if (state.token().kind == TokenKind::kDirective) {
    const Space space = space_named(state.token().text);
    if (space != Space::kGeneric) {
      variable.pointee_space = space;
      state.advance();
    }
  }
  return !state.accept_directive("align") || parse_alignment(state, variable.pointee_alignment);
}

/// .attribute(.managed), .attribute(.unified(1, 2)): managed is kept, unified is a hint.
bool parse_attribute(ParseState& state, Variable& variable) {
  if (!state.expect('(')) return false;
  for (int depth = 1; depth > 0; state.advance()) {
    if (state.token().kind == TokenKind::kEnd || state.token().kind == TokenKind::kBad) return state.unexpected("')'");
    if (state.token().is_directive("managed")) variable.managed = true;
    depth += state.token().is('(') ? 1 : state.token().is(')') ? -1 : 0;
  }
  return true;
}

bool parse_dimensions(ParseState& state, Variable& variable) {
  while (state.accept('[')) {
    uint64_t extent = 0;
    const Position position = state.token().position;
    Immediate immediate = Immediate::kInteger;
    if (!state.token().is(']') && !parse_expression(state, extent, immediate)) return false;
    if (immediate != Immediate::kInteger || extent > kLargestVariable) {
      return state.fail(position, "an array's extent is a whole number up to 2^40");
    }
    if (variable.dimensions.size() == 16) return state.fail(position, "more than 16 dimensions");
    variable.dimensions.push_back(extent);
    if (!state.expect(']')) return false;
  }
  return true;
}

bool set_size(ParseState& state, Variable& variable) {
  uint64_t size = natural_alignment(variable);
  for (uint64_t extent : variable.dimensions) {
    if (extent != 0 && size > kLargestVariable / extent) {
      return state.fail(variable.position, "the variable is larger than 2^40 bytes");
    }
    size *= extent;
  }
  variable.size_bytes = size;
  return true;
}

}  // namespace

bool parse_variable_head(ParseState& state, Variable& variable) {
  while (state.token().kind == TokenKind::kDirective) {
    const std::string_view word = state.token().text;
    if (word == "align") {
      state.advance();
      if (!parse_alignment(state, variable.alignment)) return false;
    } else if (word == "ptr") {
      state.advance();
      if (!parse_pointer(state, variable)) return false;
    } else if (word == "attribute") {
      state.advance();
      if (!parse_attribute(state, variable)) return false;
    } else if (word == "v2" || word == "v4" || word == "v8") {
      variable.vector = static_cast<uint8_t>(word[1] - '0');
      state.advance();
    } else if (const Type type = type_named(word); type != Type::kNone) {
      variable.type = type;
      state.advance();
    } else {
      return state.unexpected("a type, .align or .ptr");
    }
  }
  if (variable.type == Type::kNone) return state.unexpected("a type such as .b32");
  return true;
}

bool parse_variable_tail(ParseState& state, Variable& variable, bool may_initialise) {
  variable.position = state.token().position;
  std::string_view name;
  if (!state.word(name, "a name")) return false;
  variable.name = name;
  if (!parse_dimensions(state, variable)) return false;
  if (variable.alignment == 0) variable.alignment = natural_alignment(variable);
  if (may_initialise && state.accept('=')) {
    variable.initialised = true;
    if (!parse_initialiser(state, variable)) return false;
  }
  if (!set_size(state, variable)) return false;
  if (!variable.initialised) return true;
  if (variable.data.size() > variable.size_bytes) {
    return state.fail(variable.position, fmt::format("the initialiser of '{}' has more values than it holds", name));
  }
  state.initialised_bytes += variable.size_bytes;
  if (state.initialised_bytes > kMostInitialisedBytes) {
    return state.fail(variable.position, "more than 256 MiB of initialised variables");
  }
  variable.data.resize(variable.size_bytes);
  return true;
}

bool parse_parameters(ParseState& state, std::vector<Variable>& out, bool is_kernel) {
  if (!state.expect('(')) return false;
  while (!state.token().is(')')) {
    Variable parameter;
    if (state.accept_directive("reg")) {
      parameter.space = Space::kRegister;
    } else if (state.accept_directive("param")) {
      parameter.space = Space::kParam;
    } else {
      return state.unexpected(".param or .reg");
    }
    if (!parse_variable_head(state, parameter) || !parse_variable_tail(state, parameter, false)) return false;
    out.push_back(std::move(parameter));
    if (!state.token().is(')') && !state.expect(',')) return false;
  }
  if (is_kernel) lay_out(out);
  return state.expect(')');
}

void lay_out(std::vector<Variable>& parameters) {
  uint64_t at = 0;
  for (Variable& parameter : parameters) {
    at = (at + parameter.alignment - 1) / parameter.alignment * parameter.alignment;
    parameter.offset = static_cast<uint32_t>(at);
    at += parameter.size_bytes;
  }
}

}  // namespace warplens::ptx
