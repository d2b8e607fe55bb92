// Instructions and operands as text.
#include <array>

#include "warplens/base/text.h"
#include "warplens/isa/ptx/print.h"

namespace warplens::ptx {
namespace {

constexpr std::array<std::string_view, 10> kComponents = {"x", "y", "z", "w", "b0", "b1", "b2", "b3", "h0", "h1"};
constexpr std::array kSpecials = {
#define SPECIAL(name, text, type, components) std::string_view(text),
#include "warplens/isa/ptx/special_registers.def"
#undef SPECIAL
};

class OperandPrinter {
 public:
  OperandPrinter(const Module& module, const Function& function, std::string& out)
      : module_(module), function_(function), out_(out) {}

  void list(uint32_t first, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
      if (i > 0) out_ += ", ";
      print(function_.operands[first + i]);
    }
  }

 private:
  void print(const Operand& operand) {
    if (operand.negated) out_ += is_predicate(operand) ? '!' : '-';
    switch (operand.kind) {
      case OperandKind::kRegister: out_ += function_.register_name(operand.id); break;
      case OperandKind::kSpecial: special(operand); break;
      case OperandKind::kImmediate: immediate(operand); break;
      case OperandKind::kSymbol:
        out_ += symbol(operand);
        offset(operand.value);
        break;
      case OperandKind::kAddress:
        out_ += '[';
        list(operand.first, 1);
        offset(operand.value);
        out_ += ']';
        break;
      case OperandKind::kBracket: enclosed('[', operand, ']'); break;
      case OperandKind::kVector: enclosed('{', operand, '}'); break;
      case OperandKind::kList: enclosed('(', operand, ')'); break;
      case OperandKind::kPair:
        print(function_.operands[operand.first]);
        out_ += '|';
        print(function_.operands[operand.first + 1]);
        break;
      case OperandKind::kLabel: out_ += function_.labels[operand.id].name; break;
      case OperandKind::kSink: out_ += '_'; break;
    }
    if (operand.component != kNoComponent)
      fmt::format_to(std::back_inserter(out_), ".{}", kComponents[operand.component]);
  }

  bool is_predicate(const Operand& operand) const {
    return operand.kind == OperandKind::kRegister && function_.registers[operand.id].type == Type::kPred;
  }

  void enclosed(char open, const Operand& operand, char close) {
    out_ += open;
    list(operand.first, operand.count);
    out_ += close;
  }

  void offset(uint64_t value) {
    if (value != 0) fmt::format_to(std::back_inserter(out_), "{:+}", static_cast<int64_t>(value));
  }

  void special(const Operand& operand) {
    const auto id = static_cast<SpecialRegister>(operand.id);
    auto out = std::back_inserter(out_);
    if (id == SpecialRegister::kPm64) {
      fmt::format_to(out, "%pm{}_64", operand.value);
    } else {
      out_ += kSpecials[operand.id];
      if (id == SpecialRegister::kPm || id == SpecialRegister::kEnvreg) fmt::format_to(out, "{}", operand.value);
    }
  }

  void immediate(const Operand& operand) {
    auto out = std::back_inserter(out_);
    switch (operand.immediate) {
      case Immediate::kInteger: fmt::format_to(out, "{}", static_cast<int64_t>(operand.value)); break;
      case Immediate::kFloat32: fmt::format_to(out, "0f{:08X}", operand.value & 0xffffffff); break;
      case Immediate::kFloat64: fmt::format_to(out, "0d{:016X}", operand.value); break;
    }
  }

  std::string_view symbol(const Operand& operand) const {
    switch (operand.symbol) {
      case SymbolKind::kGlobal: return module_.variables[operand.id].name;
      case SymbolKind::kLocal: return function_.variables[operand.id].name;
      case SymbolKind::kParameter: return function_.parameters[operand.id].name;
      case SymbolKind::kResult: return function_.results[operand.id].name;
      case SymbolKind::kFunction: return module_.functions[operand.id].name;
      case SymbolKind::kBranchTargets: return function_.branch_targets[operand.id].name;
      case SymbolKind::kCallTargets: return function_.call_targets[operand.id].name;
      case SymbolKind::kPrototype: return function_.prototypes[operand.id].name;
    }
    return "";
  }

  const Module& module_;
  const Function& function_;
  std::string& out_;
};

}  // namespace

std::string print(const Module& module, const Function& function, const Instruction& instruction) {
  std::string out;
  if (instruction.guard != kNone) {
    out += instruction.guard_negated ? "@!" : "@";
    out += function.register_name(instruction.guard);
    out += ' ';
  }
  out += module.mnemonic(instruction).text;
  if (instruction.operand_count > 0) out += ' ';
  OperandPrinter(module, function, out).list(instruction.first_operand, instruction.operand_count);
  out += ';';
  return out;
}

}  // namespace warplens::ptx
