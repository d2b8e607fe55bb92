#include "warplens/isa/ptx/parser.h"

#include <algorithm>

#include "warplens/base/printable.h"
#include "warplens/isa/ptx/body_parser.h"
#include "warplens/isa/ptx/parse_state.h"

namespace warplens::ptx {
namespace {

constexpr int64_t kMostVersion = 1000;

class ModuleParser {
 public:
  ModuleParser(std::string_view source, Module& module) : state_(source, module), module_(module) {}

  bool run() {
    if (!version()) return false;
    while (state_.token().kind != TokenKind::kEnd) {
      if (!item()) return false;
    }
    if (module_.targets.empty()) return state_.fail(state_.token().position, "the module has no .target");
    return true;
  }
  std::string& error() { return state_.error; }

 private:
  bool version() {
    if (!state_.accept_directive("version")) return state_.unexpected(".version, which begins every PTX module");
    const Token number = state_.token();
    const auto parts = split(number.text, '.');
    const auto major = parse_int(parts[0]);
    const auto minor = parse_int(parts.size() == 2 ? parts[1] : "");
    const bool fits = major && minor && std::max(*major, *minor) <= kMostVersion;
    if (number.kind != TokenKind::kFloat || !fits) return state_.unexpected("a version such as 8.0");
    module_.version_major = static_cast<int>(*major);
    module_.version_minor = static_cast<int>(*minor);
    state_.advance();
    return true;
  }

  bool item() {
    const Token token = state_.token();
    if (token.is(';')) return state_.expect(';');
    if (token.kind != TokenKind::kDirective) return state_.unexpected("a directive such as .visible");
    state_.advance();
    if (token.text == "target") return target();
    if (token.text == "address_size") return address_size();
    if (token.text == "file") return file();
    if (token.text == "section") return section();
    if (token.text == "alias") return alias();
    if (token.text == "pragma") return pragma();
    return definition(token);
  }

  bool target() {
    do {
      std::string_view name;
      if (!state_.word(name, "a target such as sm_90")) return false;
      module_.targets.emplace_back(name);
    } while (state_.accept(','));
    return true;
  }

  bool address_size() {
    uint64_t bits = 0;
    const Position position = state_.token().position;
    if (!state_.integer(bits, "32 or 64")) return false;
    if (bits != 32 && bits != 64) return state_.fail(position, "an address has 32 or 64 bits");
    module_.address_bits = static_cast<int>(bits);
    return true;
  }

  bool file() {
    uint64_t number = 0;
    if (!state_.integer(number, "a file number")) return false;
    if (state_.token().kind != TokenKind::kString) return state_.unexpected("a file name in quotes");
    module_.files.push_back({static_cast<uint32_t>(number), printable(state_.token().text)});
    state_.advance();
    while (state_.accept(',')) {  // time and size of the file
      if (!state_.integer(number, "a number")) return false;
    }
    return true;
  }

  bool section() {
    if (state_.token().kind != TokenKind::kDirective) return state_.unexpected("a section's name");
    const std::string name(state_.token().text);
    state_.advance();
    if (!state_.token().is('{')) return state_.unexpected("'{'");
    const std::string_view body = state_.lexer.raw_block();
    module_.sections.push_back({name, std::string(trim(body))});
    return state_.expect('}');
  }

  bool alias() {
    std::string_view name, target;
    if (!state_.word(name, "a function") || !state_.expect(',') || !state_.word(target, "a function")) return false;
    module_.aliases.push_back({std::string(name), std::string(target)});
    return state_.expect(';');
  }

  bool pragma() {
    if (state_.token().kind != TokenKind::kString) return state_.unexpected("a string");
    module_.pragmas.emplace_back(state_.token().text);
    state_.advance();
    return state_.expect(';');
  }

  /// [linkage] space or .entry or .func; `first` is the directive just consumed.
  bool definition(const Token& first) {
    Linkage linkage = Linkage::kNone;
    Token token = first;
    bool managed = false;
    for (;; token = state_.token(), state_.advance()) {
      if (token.text == "extern") linkage = Linkage::kExtern;
      else if (token.text == "visible") linkage = Linkage::kVisible;
      else if (token.text == "weak") linkage = Linkage::kWeak;
      else if (token.text == "common") linkage = Linkage::kCommon;
      else break;
      if (state_.token().kind != TokenKind::kDirective) return state_.unexpected("a space, .entry or .func");
    }
    const bool kernel = token.text == "entry";
    if (kernel || token.text == "func") return function(linkage, kernel);
    const Space space = token.text == "tex" ? Space::kTexture : space_named(token.text);
    if (space == Space::kGeneric || space == Space::kRegister || space == Space::kParam) {
      return state_.fail(token.position, fmt::format("'.{}' is not a directive of a module", token.text));
    }
    Variable common;
    common.space = space;
    common.linkage = linkage;
    common.managed = managed;
    return parse_variables(state_, std::move(common), [&](Variable variable, const Token& name) {
      return add_variable(std::move(variable), name);
    });
  }

  bool add_variable(Variable variable, const Token& name) {
    const Meaning meaning{Meaning::kSymbol, SymbolKind::kGlobal, static_cast<uint32_t>(module_.variables.size()), 1};
    if (state_.names.add(name.text, meaning)) {
      module_.variables.push_back(std::move(variable));
      return true;
    }
    const Meaning* known = state_.names.find_innermost(name.text);
    if (known->symbol != SymbolKind::kGlobal) return twice(name);
    Variable& earlier = module_.variables[known->id];
    if (earlier.linkage != Linkage::kExtern && variable.linkage != Linkage::kExtern) return twice(name);
    if (variable.linkage != Linkage::kExtern) earlier = std::move(variable);
    return true;
  }

  bool twice(const Token& name) { return state_.fail(name.position, fmt::format("'{}' is defined twice", name.text)); }

  /// .attribute(...) before a function's name is a hint and is left out.
  bool skip_attribute() {
    if (!state_.accept_directive("attribute")) return true;
    if (!state_.expect('(')) return false;
    for (int depth = 1; depth > 0; state_.advance()) {
      if (state_.token().kind == TokenKind::kEnd) return state_.unexpected("')'");
      depth += state_.token().is('(') ? 1 : state_.token().is(')') ? -1 : 0;
    }
    return true;
  }

  bool function(Linkage linkage, bool kernel) {
    Function parsed;
    parsed.linkage = linkage;
    parsed.is_kernel = kernel;
    if (!skip_attribute()) return false;
    if (!kernel && state_.token().is('(') && !parse_parameters(state_, parsed.results, false)) return false;
    const Token name = state_.token();
    std::string_view text;
    if (!state_.word(text, "a function's name")) return false;
    parsed.name = text;
    parsed.position = name.position;
    if (state_.token().is('(') && !parse_parameters(state_, parsed.parameters, kernel)) return false;
    if (!parse_directives(state_, parsed.directives, parsed.pragmas)) return false;
    uint32_t id = 0;
    if (!find_function(name, id)) return false;
    parsed.is_declaration = !state_.token().is('{');
    Function& known = module_.functions[id];
    if (!known.is_declaration && !parsed.is_declaration) return twice(name);
    if (parsed.is_declaration && !state_.expect(';')) return false;
    if (!parsed.is_declaration) {
      state_.advance();
      if (!BodyParser(state_, parsed, mnemonics_).run()) return false;
    }
    if (module_.functions[id].is_declaration) module_.functions[id] = std::move(parsed);
    return true;
  }

  /// The function's index; a new one begins as a declaration, so that its body may call it.
  bool find_function(const Token& name, uint32_t& id) {
    const Meaning* known = state_.names.find_innermost(name.text);
    if (known != nullptr) {
      id = known->id;
      return known->symbol == SymbolKind::kFunction || twice(name);
    }
    id = static_cast<uint32_t>(module_.functions.size());
    module_.functions.emplace_back();
    module_.functions.back().is_declaration = true;
    return state_.names.add(name.text, {Meaning::kSymbol, SymbolKind::kFunction, id, 1});
  }

  ParseState state_;
  Module& module_;
  MnemonicIndex mnemonics_;
};

}  // namespace

bool parse_directives(ParseState& state, std::vector<Directive>& out, std::vector<Pragma>& pragmas) {
  while (state.token().kind == TokenKind::kDirective) {
    Directive directive{std::string(state.token().text), {}};
    state.advance();
    if (directive.name == "pragma") {
      if (state.token().kind != TokenKind::kString) return state.unexpected("a string");
      pragmas.push_back({0, std::string(state.token().text), true});
      state.advance();
      if (!state.expect(';')) return false;
      continue;
    }
    if (state.token().kind == TokenKind::kInteger) {
      do {
        uint64_t value = 0;
        if (!state.integer(value, "a number")) return false;
        directive.values.push_back(value);
      } while (state.accept(','));
    }
    out.push_back(std::move(directive));
  }
  return true;
}

Result<Module> parse(std::string_view source, const std::string& source_name) {
  Module module;
  module.source_name = source_name;
  if (source.size() > 0xffffffff) return invalid_input(source_name + ": more than 4 GiB of PTX");
  ModuleParser parser(source, module);
  if (!parser.run()) return invalid_input(std::move(parser.error()));
  return module;
}

}  // namespace warplens::ptx
