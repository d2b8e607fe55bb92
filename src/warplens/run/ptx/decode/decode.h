// Decoding: from PTX instructions to operations with resolved slots. One function an opcode, registered in a table.
#pragma once
#include <initializer_list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "warplens/base/status.h"
#include "warplens/run/ptx/decode/contraction.h"
#include "warplens/run/ptx/decode/flow.h"
#include "warplens/run/ptx/decode/matrix_registers.h"
#include "warplens/run/ptx/emulator.h"
#include "warplens/run/ptx/handlers.h"
#include "warplens/run/ptx/program.h"

namespace warplens::simt::ptx_machine {

class Decoding;

/// Emits the operations of Decoding::instruction(). Errors become an operation that faults when it is reached.
using DecodeFunction = Status (*)(Decoding& d);
using DecoderTable = std::map<ptx::Opcode, DecodeFunction>;

/// Every opcode that can be executed. A family adds its own in add_*_decoders (see decoders.cpp).
const DecoderTable& decoders();

/// For operations without an effect here: emits none.
Status decode_nothing(Decoding&);

/// The part that all functions of a program share.
struct DecodeContext {
  const ptx::Module& module;
  const std::vector<Address>& variables;  // addresses of .global and .const variables
  Program& program;
  std::map<uint32_t, uint32_t> function_index;  // ptx function -> Program::functions
  std::map<std::pair<uint32_t, uint32_t>, uint64_t>
      function_variables;              // (ptx function, variable) -> address or offset
  std::set<uint32_t> taken_functions;  // ptx functions whose address is used
  int architecture = 0;
  uint8_t checks = 0;  // Check bits
  bool observed = false;
};

/// Addresses of functions, for indirect calls: this + 16 * ptx function.
inline constexpr Address kFunctionWindow = Address{5} << 56;

/// A memory operand: register slot (or a constant one) and byte offset.
struct AddressOperand {
  uint32_t slot = kNoSlot;
  uint8_t bits = 64;  // of the slot
  int64_t offset = 0;
  ptx::Space space = ptx::Space::kGeneric;  // of the symbol it names, kGeneric when it names none
  bool constant = false;  // the slot is a constant: `offset` holds all of the address, and the slot zero
};

/// The state of decoding one function.
class Decoding {
 public:
  Decoding(DecodeContext& context, uint32_t function);

  /// Decodes every instruction into blocks of the program.
  Status run();

  // The instruction at hand.
  const ptx::Module& module() const { return context_.module; }
  const ptx::Function& function() const { return ptx_; }
  const ptx::Instruction& instruction() const { return *instruction_; }
  const ptx::Mnemonic& mnemonic() const { return *mnemonic_; }
  bool has(ptx::Mod modifier) const { return mnemonic_->has(modifier); }
  int operands() const { return instruction_->operand_count; }
  const ptx::Operand& operand(int i) const {
    return ptx_.operands[instruction_->first_operand + static_cast<uint32_t>(i)];
  }
  /// Element i of a vector, pair, list, address or bracket.
  const ptx::Operand& element(const ptx::Operand& of, uint32_t i) const { return ptx_.operands[of.first + i]; }
  int architecture() const { return context_.architecture; }
  Program& program() { return context_.program; }
  FunctionCode& code() { return context_.program.functions[index_]; }
  DecodeContext& context() { return context_; }

  /// The slot of an operand that the operation reads as `bits` bits (1: predicate; up to 32: a 4-byte lane). Registers
  /// of another width, negations, special registers and addresses of symbols are brought there by operations before.
  /// Immediates become constants; `type` says how a floating one is meant.
  Result<uint32_t> read(const ptx::Operand& operand, int bits, ptx::Type type = ptx::Type::kNone);
  Result<uint32_t> read(int i, int bits, ptx::Type type = ptx::Type::kNone) { return read(operand(i), bits, type); }
  /// The slot that the operation writes; kNoSlot for `_`. A wider register is filled afterwards, by sign if
  /// `is_signed`.
  Result<uint32_t> write(const ptx::Operand& operand, int bits, bool is_signed = false);
  Result<uint32_t> write(int i, int bits, bool is_signed = false) { return write(operand(i), bits, is_signed); }
  /// An address operand; 32-bit ones stay 32 bits wide.
  Result<AddressOperand> address(const ptx::Operand& operand);
  /// An integer immediate.
  Result<int64_t> immediate(int i) const;
  /// Reads (writes) the elements of a vector, or a lone operand, as Program::slots entries.
  Result<SlotList> read_list(const ptx::Operand& operand, int bits);
  Result<SlotList> write_list(const ptx::Operand& operand, int bits, bool is_signed = false);

  uint32_t constant(uint64_t value, int bits);
  uint32_t temporary(int bits);
  /// The slot of a register; its own width.
  uint32_t register_slot(uint32_t id);
  int register_bits(uint32_t id) const;
  uint32_t carry_slot();  // the carry flag of this function
  uint32_t new_range() { return context_.program.range_slots++; }

  /// Emits the instruction's operation: the guard and the row of counts are added.
  Op& emit(Op op);
  /// Emits an operation that computes an operand: no guard, no row.
  void emit_before(Op op);
  /// Emits one of handler `key` with sources a, b and c; returns the temporary of `bits` bits that holds the result.
  Result<uint32_t> compute(std::string_view key, int bits, std::initializer_list<uint32_t> sources);
  /// The handler `key`, or an error that says which is missing.
  Result<Handler> find(std::string_view key) const;
  /// Ends the block with a jump or call; `op` holds its row and slots, and is not run.
  void end_block(End end, uint32_t target, Op op = {});
  /// The block that a label starts.
  uint32_t block_of_label(uint32_t label) const { return leaders_[ptx_.labels[label].instruction]; }
  /// Ends the block: `op` runs once its wait is over.
  void sync(SyncKind kind, Op op);
  /// Notes a memory access for checks and observers; call before emit, with Op::range set.
  void note_access(const Op& op, const AccessInfo& info);

  /// The number in Program::functions of a ptx function; decoded later when it is new.
  uint32_t function_number(uint32_t ptx_function);
  /// Notes a load of global memory that a reduction could have changed, and a float reduction on global memory.
  void note_plain_load();
  void note_reduction();
  /// How this add or sub is fused with a product, or nullptr.
  const Contraction* contraction() const {
    const Contraction& c = contractions_.by_instruction[static_cast<size_t>(instruction_ - ptx_.instructions.data())];
    return c.product == ptx::kNone ? nullptr : &c;
  }
  /// Whether anything reads the register (or one of the vector) that this operand writes.
  bool is_read(const ptx::Operand& destination) const;

  /// Offset of a .local or .param variable of this function in its local memory.
  uint32_t local_offset(ptx::SymbolKind kind, uint32_t id) const;

  Status unsupported(std::string what) const;

 private:
  struct BlockSets {
    std::vector<uint32_t> used, defined;  // register slots
    bool waits = false;                   // has an instruction that may wait for other threads
    bool loads = false, reduces = false, loads_after_reduction = false;  // of global memory
  };

  void lay_out_locals();
  void find_leaders();
  Status decode_block(uint32_t block);
  void decode_instruction(uint32_t index, Block& block);
  void emit_unsupported(const Status& why);
  void emit_register_check(uint32_t index);
  bool gives_the_same_everywhere() const;
  void hoist(size_t first_op);
  void finish_blocks();
  void find_cleared();
  void judge_reductions();
  BlockSets& sets() { return sets_[static_cast<size_t>(block_ - &context_.program.blocks[first_block_])]; }
  uint32_t allocate(int bits);
  Result<uint32_t> read_register(const ptx::Operand& operand, int bits);
  Result<uint32_t> read_symbol(const ptx::Operand& operand, int bits);
  uint64_t immediate_bits(const ptx::Operand& operand, int bits, ptx::Type type) const;
  void note_read(uint32_t slot);

  DecodeContext& context_;
  const ptx::Function& ptx_;
  uint32_t index_;  // in Program::functions
  const ptx::Instruction* instruction_ = nullptr;
  const ptx::Mnemonic* mnemonic_ = nullptr;
  Block* block_ = nullptr;
  std::vector<uint32_t> leaders_;  // instruction -> block, kNoBlock when it starts none
  std::vector<uint32_t> starts_;   // first instruction of each block
  uint32_t first_block_ = 0;
  std::vector<uint32_t> register_slots_;
  std::map<std::pair<uint64_t, int>, uint32_t> constants_;
  std::vector<uint32_t> pending_writes_;  // register slots written by the instruction at hand
  std::vector<Op> pending_after_;         // operations to add after it
  std::vector<BlockSets> sets_;           // by block
  FlowGraph graph_;
  RegisterUses uses_;
  Contractions contractions_;
  std::map<uint32_t, MatrixRegisterUse> matrix_uses_;  // by instruction, under the check of races
  std::set<uint32_t> invariant_;                       // register slots that hold one value throughout a launch
  std::map<uint32_t, uint32_t> slot_bytes_;            // of registers
  std::vector<uint32_t> local_offsets_;                // by Function::variables
  uint32_t frame_ = 0, predicate_next_ = 0, predicate_end_ = 0, carry_ = kNoSlot;
  bool row_given_ = false, ended_ = false, noted_ = false;
};

/// Where a module's variables lie.
struct ModuleSymbols {
  std::vector<Address> variables;                        // parallel to ptx::Module::variables; .shared ones are 0
  std::unordered_map<std::string_view, size_t> by_name;  // of those that have memory
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> function_variables;  // (ptx function, variable) in .global, .const
};

/// Decodes a kernel and its callees. An instruction that cannot be run is not an error: it faults when reached.
Result<std::unique_ptr<Program>> decode_program(const ptx::Module& module, uint32_t kernel,
                                                const ModuleSymbols& symbols, int architecture, bool deterministic,
                                                uint8_t checks, bool observed);

// Helpers of decoders.
/// Places a function's parameters and results one after another from `top` in its local memory.
void lay_out_parameters(const ptx::Function& function, uint32_t& top, std::vector<uint32_t>& parameters,
                        std::vector<uint32_t>& results);
int lane_bits(ptx::Type type);  // 1, 16, 32, 64 or 128
bool is_signed(ptx::Type type);
uint8_t rounding_mode(const ptx::Mnemonic& mnemonic);  // rn 0, rz 1, rm 2, rp 3, rna 4

}  // namespace warplens::simt::ptx_machine
