// The body of one function: declarations, labels, scopes and instructions.
#pragma once
#include <unordered_map>
#include <vector>

#include "warplens/isa/ptx/debug_parser.h"
#include "warplens/isa/ptx/operand_parser.h"

namespace warplens::ptx {

/// Mnemonics by their text; shared by the functions of a module.
using MnemonicIndex = std::unordered_map<std::string_view, uint32_t>;

class BodyParser {
 public:
  BodyParser(ParseState& state, Function& function, MnemonicIndex& mnemonics)
      : state_(state),
        function_(function),
        mnemonics_(mnemonics),
        operands_(state, function),
        debug_(state, function) {}
  /// From after the opening brace to after the closing one.
  bool run();

 private:
  bool statement();
  bool directive();
  bool instruction();
  bool guard(Instruction& out);
  bool label(const Token& name);
  bool registers();
  bool declare_register(RegisterDeclaration declaration);
  bool variables(Space space);
  bool pragma();
  bool branch_targets(const Token& name);
  bool call_targets(const Token& name);
  bool prototype(const Token& name);
  bool add_parameters(std::vector<Variable>& parameters, SymbolKind symbol);
  void open_scope();
  bool close_scope();
  bool resolve(const Pending& name, const Meaning& meaning);
  bool add_name(const Token& name, Meaning meaning);
  uint32_t mnemonic(std::string_view text);
  uint32_t here() const { return static_cast<uint32_t>(function_.instructions.size()); }

  ParseState& state_;
  Function& function_;
  MnemonicIndex& mnemonics_;
  OperandParser operands_;
  DebugParser debug_;
  uint32_t scope_ = 0;
  std::vector<size_t> first_pending_;  // of each open scope, in operands_.pending
};

}  // namespace warplens::ptx
