// A PTX module after parsing: everything is resolved to indices, and no names remain to look up. Comparisons ignore
// positions in the text, so a printed and parsed module equals its original.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "warplens/isa/ptx/mnemonic.h"
#include "warplens/isa/ptx/types.h"

namespace warplens::ptx {

inline constexpr uint32_t kNone = 0xffffffff;  // "no such index"

/// A place in the PTX text, from 1.
struct Position {
  uint32_t line = 0, column = 0;
  bool operator==(const Position&) const { return true; }
};

enum class SpecialRegister : uint16_t {
#define SPECIAL(name, text, type, components) name,
#include "warplens/isa/ptx/special_registers.def"
#undef SPECIAL
};

enum class OperandKind : uint8_t {
  kRegister,  // id: Function::registers
  kSpecial,  // id: SpecialRegister; component: 0..3 for .x .y .z .w, kNoComponent when none; value: N of %pmN, %envregN
  kImmediate,  // value: bits; immediate says how written
  kSymbol,     // symbol + id (+ value as byte offset): the address of a variable, a function
  kAddress,    // [base + value]: one element (register, symbol, or immediate when absolute) + byte offset in value
  kBracket,    // [a, {b, c}]: the elements inside (tensor and texture coordinates)
  kVector,     // {a, b, c, d}
  kPair,       // d|p
  kList,       // (a, b): arguments of call
  kLabel,      // id: Function::labels
  kSink,       // _
};

enum class Immediate : uint8_t { kInteger, kFloat32 /* 0f, bits in the low half */, kFloat64 /* 0d or decimal */ };
enum class SymbolKind : uint8_t {
  kGlobal,         // id: Module::variables
  kLocal,          // id: Function::variables
  kParameter,      // id: Function::parameters
  kResult,         // id: Function::results
  kFunction,       // id: Module::functions
  kBranchTargets,  // id: Function::branch_targets
  kCallTargets,    // id: Function::call_targets
  kPrototype,      // id: Function::prototypes
};
inline constexpr uint8_t kNoComponent = 0xff;

struct Operand {
  OperandKind kind = OperandKind::kSink;
  Immediate immediate = Immediate::kInteger;
  SymbolKind symbol = SymbolKind::kGlobal;
  bool negated = false;              // !p; -r
  uint8_t component = kNoComponent;  // of special and vector registers; 4..7 .b0-.b3, 8 and 9 .h0 .h1 (video)
  uint32_t id = 0;
  uint32_t first = 0, count = 0;  // elements in Function::operands, for the kinds that have some
  uint64_t value = 0;
  bool operator==(const Operand&) const = default;
};

struct Instruction {
  uint32_t mnemonic = 0;       // Module::mnemonics
  uint32_t guard = kNone;      // register of @p; kNone when unguarded
  bool guard_negated = false;  // @!p
  uint16_t operand_count = 0;  // operands as written, left to right
  uint32_t first_operand = 0;  // in Function::operands
  uint32_t debug = kNone;      // Function::debug_locations
  Position position;
  bool operator==(const Instruction&) const = default;
};

struct Register {
  Type type = Type::kNone;
  uint8_t vector = 1;        // .reg .v4 .f32 v
  uint32_t declaration = 0;  // Function::register_declarations
  bool operator==(const Register&) const = default;
};

/// `.reg .b32 %r<501>` (count 501, ranged) or `.reg .pred p` (count 1).
struct RegisterDeclaration {
  std::string name;
  Type type = Type::kNone;
  uint8_t vector = 1;
  bool ranged = false;
  uint32_t first = 0, count = 1;  // registers
  uint32_t scope = 0;
  uint32_t instruction = 0;  // comes before this one
  bool parameter = false;    // declared in the function's parameter list
  Position position;
  bool operator==(const RegisterDeclaration&) const = default;
};

enum class Linkage : uint8_t { kNone, kExtern, kVisible, kWeak, kCommon };

/// An address in an initialiser: `bytes` bytes at `offset` hold (address + addend) >> shift.
struct Relocation {
  uint64_t offset = 0;
  uint8_t bytes = 8, shift = 0;
  bool masked = false;                    // written as one byte of the address, 0xFF00(symbol)
  bool generic = false;                   // generic(symbol); otherwise an offset in the symbol's own space
  SymbolKind kind = SymbolKind::kGlobal;  // kGlobal or kFunction
  uint32_t id = 0;
  int64_t addend = 0;
  bool operator==(const Relocation&) const = default;
};

/// A variable in .global, .const, .shared, .local or .param, or a parameter.
struct Variable {
  std::string name;
  Space space = Space::kGlobal;
  Linkage linkage = Linkage::kNone;
  Type type = Type::kNone;
  uint8_t vector = 1;
  uint32_t alignment = 0;            // bytes; natural when none is written
  std::vector<uint64_t> dimensions;  // [4][8]; a leading 0 is an open array []
  uint64_t size_bytes = 0;           // 0 for an open array without initialiser (dynamic shared memory)
  bool managed = false;
  bool initialised = false;
  std::vector<uint8_t> data;  // the initialiser, padded with zeros to size_bytes
  std::vector<Relocation> relocations;
  bool pointer = false;  // .ptr on a kernel parameter
  Space pointee_space = Space::kGeneric;
  uint32_t pointee_alignment = 0;
  uint32_t register_id = kNone;         // a .reg parameter of a function
  uint32_t scope = 0, instruction = 0;  // of variables in functions: their position
  uint32_t offset = 0;                  // of kernel parameters: place in the parameter block
  Position position;
  bool operator==(const Variable&) const = default;
};

struct Label {
  std::string name;
  uint32_t instruction = 0;  // index of the instruction that follows; the instruction count when at the end
  uint32_t scope = 0;
  Position position;
  bool operator==(const Label&) const = default;
};

/// { ... } inside a body; scope 0 is the body itself.
struct Scope {
  uint32_t parent = kNone;
  uint32_t first = 0, end = 0;  // instructions
  bool operator==(const Scope&) const = default;
};

/// .loc file line column[, function_name f[+n], inlined_at file line column]
struct DebugLocation {
  uint32_t file = 0;  // number in Module::files
  uint32_t line = 0, column = 0;
  std::string function;         // label of the function's name in .debug_str, empty when not inlined
  uint32_t inlined_at = kNone;  // Function::debug_locations
  bool operator==(const DebugLocation&) const = default;
};

/// .pragma "text"; before instruction `instruction`, or before the body.
struct Pragma {
  uint32_t instruction = 0;
  std::string text;
  bool in_header = false;
  bool operator==(const Pragma&) const = default;
};

/// A performance-tuning or ABI directive of a function with its numbers: {"maxntid", {128, 1, 1}}.
struct Directive {
  std::string name;
  std::vector<uint64_t> values;
  bool operator==(const Directive&) const = default;
};

struct BranchTargets {
  std::string name;
  std::vector<uint32_t> labels;
  uint32_t instruction = 0, scope = 0;  // where it stands
  bool operator==(const BranchTargets&) const = default;
};

struct CallTargets {
  std::string name;
  std::vector<uint32_t> functions;
  uint32_t instruction = 0, scope = 0;
  bool operator==(const CallTargets&) const = default;
};

struct Prototype {
  std::string name;
  std::vector<Variable> results, parameters;
  std::vector<Directive> directives;
  uint32_t instruction = 0, scope = 0;
  bool operator==(const Prototype&) const = default;
};

struct Function {
  std::string name;
  Linkage linkage = Linkage::kNone;
  bool is_kernel = false;
  bool is_declaration = false;  // no body
  std::vector<Variable> results, parameters;
  std::vector<Directive> directives;
  std::vector<Register> registers;
  std::vector<RegisterDeclaration> register_declarations;
  std::vector<Variable> variables;  // .shared, .local, .param, ... declared in the body
  std::vector<Scope> scopes;
  std::vector<Label> labels;
  std::vector<Instruction> instructions;
  std::vector<Operand> operands;
  std::vector<DebugLocation> debug_locations;
  std::vector<Pragma> pragmas;
  std::vector<BranchTargets> branch_targets;
  std::vector<CallTargets> call_targets;
  std::vector<Prototype> prototypes;
  Position position;

  const Operand* operands_of(const Instruction& instruction) const {
    return operands.data() + instruction.first_operand;
  }
  /// "%r12"
  std::string register_name(uint32_t id) const;
  /// The directive `name` ("reqntid", "maxntid", "minnctapersm", "reqnctapercluster", ...), or nullptr.
  const Directive* directive(std::string_view name) const;
  /// Bytes of the parameter block of a kernel.
  uint32_t parameter_bytes() const;
  bool operator==(const Function&) const = default;
};

struct File {
  uint32_t number = 0;
  std::string name;
  bool operator==(const File&) const = default;
};

/// .section name { ... }, kept as text.
struct Section {
  std::string name, body;
  bool operator==(const Section&) const = default;
};

struct Alias {
  std::string name, target;
  bool operator==(const Alias&) const = default;
};

struct Module {
  std::string source_name;  // for messages: the file
  int version_major = 0, version_minor = 0;
  std::vector<std::string> targets;  // "sm_90a", then options such as "debug", "texmode_independent"
  int address_bits = 64;
  std::vector<Mnemonic> mnemonics;  // distinct ones, in order of first use
  std::vector<Variable> variables;  // in order of declaration
  std::vector<Function> functions;
  std::vector<File> files;
  std::vector<Section> sections;
  std::vector<Alias> aliases;
  std::vector<std::string> pragmas;

  /// The kernel or function `name` with a body, else its declaration, else nullptr.
  const Function* function(std::string_view name) const;
  const Variable* variable(std::string_view name) const;
  std::string_view file_name(uint32_t number) const;  // "" when there is no such .file
  const Mnemonic& mnemonic(const Instruction& instruction) const { return mnemonics[instruction.mnemonic]; }
  /// 90 for sm_90a.
  int architecture() const;
  bool operator==(const Module&) const;  // all but source_name
};

}  // namespace warplens::ptx
