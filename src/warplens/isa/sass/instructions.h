// The machine instruction set: the meaning of every opcode, from instructions.def.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "warplens/isa/sass/word.h"

namespace warplens::sass {

/// An instruction by its effect; one code may mean two of them on different architectures.
enum class Opcode : uint16_t {
#define OP(id, ...) k##id,
#define VARIANT(since, form, id, ...) k##id,
#include "warplens/isa/sass/instructions.def"
#undef OP
#undef VARIANT
  kUnknown
};
inline constexpr size_t kOpcodes = static_cast<size_t>(Opcode::kUnknown);

/// The class in which a machine instruction is counted.
enum class Category : uint8_t {
  kInteger,
  kFp16,
  kFp32,
  kFp64,
  kSpecial,
  kConversion,
  kMove,
  kLoad,
  kStore,
  kAtomic,
  kAsyncCopy,
  kMatrix,
  kMatrixMove,
  kBarrier,
  kWarp,
  kControl,
  kTexture,
  kUniform,
  kOther
};
inline constexpr int kCategoryCount = static_cast<int>(Category::kOther) + 1;
std::string_view text(Category category);  // "integer", "special function", ...

/// Which unit of an SM carries it out.
enum class Pipe : uint8_t { kAlu, kFma, kImad, kFp64, kHalf, kSpecial, kMemory, kTensor, kUniform, kControl };

/// Its effect on memory. Bulk: by the copy engine; remote: in shared memory of the cluster.
enum class Access : uint8_t {
  kNone,
  kGenericLoad,
  kGenericStore,
  kGenericAtomic,
  kGlobalLoad,
  kGlobalStore,
  kGlobalAtomic,  // with a result
  kReduction,     // without one
  kGlobalCopy,    // to shared memory, lane by lane
  kGlobalMulticast,
  kSharedLoad,
  kSharedStore,
  kSharedAtomic,
  kLocalLoad,
  kLocalStore,
  kConstantLoad,
  kBulkLoad,
  kBulkStore,
  kBulkReduction,
  kBulkCopy,  // its word says where from and where to: see access_of
  kBulkOther,
  kRemoteStore,
  kRemoteAtomic,
  kTensorLoad,
  kTensorStore
};

enum class MemorySpace : uint8_t { kNone, kGeneric, kGlobal, kShared, kLocal, kConstant, kTensor };
std::string_view text(MemorySpace space);
MemorySpace space_of(Access access);

/// The latency of its result, if the compiler does not know it: a class of instructions with equal latency.
enum class Latency : uint8_t {
  kFixed,
  kGlobal,
  kGlobalAtomic,
  kLocal,
  kShared,
  kSharedAtomic,
  kConstant,
  kExchange,
  kSpecial,
  kConvert64,
  kDouble,
  kMatrix,
  kRegister
};
inline constexpr size_t kLatencies = static_cast<size_t>(Latency::kRegister) + 1;

enum class Precision : uint8_t { kNone, kHalf, kSingle, kDouble };

/// Floating-point operations of one thread. Halves come in pairs.
struct Arithmetic {
  std::string_view name;  // as in Nsight Compute's counters: "ffma"
  Precision precision = Precision::kNone;
  uint8_t flops = 0;
};

/// When the machine follows an instruction to the last bit: where these bits of its upper half are so. Handlers may
/// know better of a single one.
struct Exact {
  uint64_t mask = 0, value = 0;
  constexpr bool holds(const Word& word) const { return (word.high & mask) == value; }
};

/// A row of instructions.def.
struct Instruction {
  Opcode opcode = Opcode::kUnknown;
  uint16_t code = 0;
  std::string_view name;
  Category category = Category::kOther;
  Pipe pipe = Pipe::kControl;
  Access access = Access::kNone;
  Latency latency = Latency::kFixed;
  Arithmetic arithmetic;
  Exact exact;
  bool uniform = false;
};

/// All rows, in the order of Opcode.
std::span<const Instruction> instructions();
/// Of Opcode::kUnknown: a row without a name.
const Instruction& instruction(Opcode opcode);
/// The meaning of a word on an architecture (80, 90, ...).
const Instruction& instruction_of(const Word& word, int architecture);

/// Its access, where the word decides that too.
Access access_of(const Instruction& instruction, const Word& word);
/// A compare-and-swap, of any memory.
bool is_compare_and_swap(Opcode opcode);
/// Sends lanes to another instruction and may bring them back: branches, calls, returns.
bool is_branch(Opcode opcode);
/// Of shared memory by whole matrices.
bool moves_matrices(Opcode opcode);
/// Products of a whole warp group.
bool is_group_product(Opcode opcode);

}  // namespace warplens::sass
