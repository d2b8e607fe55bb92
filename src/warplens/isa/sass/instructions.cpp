#include "warplens/isa/sass/instructions.h"

#include <array>

namespace warplens::sass {
namespace {

/// Names of the columns' values, as instructions.def has them.
namespace column {
constexpr bool Lanes = false, Uniform = true;

constexpr Arithmetic None{};
constexpr Arithmetic Fadd{"fadd", Precision::kSingle, 1}, Fmul{"fmul", Precision::kSingle, 1},
    Ffma{"ffma", Precision::kSingle, 2};
constexpr Arithmetic Fadd2{"fadd2", Precision::kSingle, 2}, Fmul2{"fmul2", Precision::kSingle, 2},
    Ffma2{"ffma2", Precision::kSingle, 4};
constexpr Arithmetic Dadd{"dadd", Precision::kDouble, 1}, Dmul{"dmul", Precision::kDouble, 1},
    Dfma{"dfma", Precision::kDouble, 2};
constexpr Arithmetic Hadd{"hadd", Precision::kHalf, 2}, Hmul{"hmul", Precision::kHalf, 2},
    Hfma{"hfma", Precision::kHalf, 4};

constexpr uint64_t field(int at, int count = 1) { return ((uint64_t{1} << count) - 1) << (at - 64); }
constexpr Exact Always{}, Never{0, 1};
constexpr Exact OfWords{field(73, 8), 0};                // VIADD, not of halves
constexpr Exact OneResult{field(84, 3), field(84, 3)};   // DSETP, not .MIN, .MAX
constexpr Exact Single{field(72, 2) | field(80, 7), 0};  // MUFU of 32 bits
}  // namespace column

constexpr Instruction kInstructions[] = {
#define OP(id, code, name, category, pipe, access, latency, arithmetic, exact, registers) \
  {Opcode::k##id,                                                                         \
   code,                                                                                  \
   name,                                                                                  \
   Category::k##category,                                                                 \
   Pipe::k##pipe,                                                                         \
   Access::k##access,                                                                     \
   Latency::k##latency,                                                                   \
   column::arithmetic,                                                                    \
   column::exact,                                                                         \
   column::registers},
#define VARIANT(since, form, ...) OP(__VA_ARGS__)
#include "warplens/isa/sass/instructions.def"
#undef OP
#undef VARIANT
};
static_assert(std::size(kInstructions) == kOpcodes);

constexpr Instruction kUnknownInstruction{};

constexpr int kAnyForm = -1;
struct Meaning {
  int since, form;
  Opcode opcode;
};
constexpr Meaning kMeanings[] = {
#define OP(id, ...) {0, kAnyForm, Opcode::k##id},
#define VARIANT(since, form, id, ...) {since, form, Opcode::k##id},
#include "warplens/isa/sass/instructions.def"
#undef OP
#undef VARIANT
};

constexpr uint32_t kForms = 8, kCodes = 512;
using ByCode = std::array<const Instruction*, size_t{kForms} * kCodes>;

ByCode by_code(int architecture) {
  ByCode out;
  out.fill(&kUnknownInstruction);
  for (const Meaning& meaning : kMeanings) {
    if (architecture < meaning.since) continue;
    const Instruction& row = instruction(meaning.opcode);
    for (uint32_t form = 0; form < kForms; ++form) {
      if (meaning.form == kAnyForm || meaning.form == static_cast<int>(form)) out[form * kCodes + row.code] = &row;
    }
  }
  return out;
}

const ByCode& by_code_of(int architecture) {
  static const ByCode before = by_code(70), since90 = by_code(90), since110 = by_code(110);
  return architecture >= 110 ? since110 : architecture >= 90 ? since90 : before;
}

constexpr std::string_view kCategories[kCategoryCount] = {
    "integer", "fp16",    "fp32",       "fp64",   "special function", "conversion", "move", "load",
    "store",   "atomic",  "async copy", "matrix", "matrix move",      "barrier",    "warp", "control",
    "texture", "uniform", "other"};

}  // namespace

std::string_view text(Category category) { return kCategories[static_cast<size_t>(category)]; }

std::string_view text(MemorySpace space) {
  constexpr std::string_view kSpaces[] = {"", "generic", "global", "shared", "local", "constant", "tensor"};
  return kSpaces[static_cast<size_t>(space)];
}

MemorySpace space_of(Access access) {
  switch (access) {
    case Access::kGenericLoad:
    case Access::kGenericStore:
    case Access::kGenericAtomic: return MemorySpace::kGeneric;
    case Access::kGlobalLoad:
    case Access::kGlobalStore:
    case Access::kGlobalAtomic:
    case Access::kReduction:
    case Access::kGlobalCopy:
    case Access::kGlobalMulticast: return MemorySpace::kGlobal;
    case Access::kSharedLoad:
    case Access::kSharedStore:
    case Access::kSharedAtomic:
    case Access::kRemoteStore:
    case Access::kRemoteAtomic: return MemorySpace::kShared;
    case Access::kLocalLoad:
    case Access::kLocalStore: return MemorySpace::kLocal;
    case Access::kConstantLoad: return MemorySpace::kConstant;
    case Access::kTensorLoad:
    case Access::kTensorStore: return MemorySpace::kTensor;
    default: return MemorySpace::kNone;  // the copy engine's bytes are not a lane's
  }
}

std::span<const Instruction> instructions() { return kInstructions; }

const Instruction& instruction(Opcode opcode) {
  return opcode < Opcode::kUnknown ? kInstructions[static_cast<size_t>(opcode)] : kUnknownInstruction;
}

const Instruction& instruction_of(const Word& word, int architecture) {
  return *by_code_of(architecture)[word.form() * kCodes + word.code()];
}

Access access_of(const Instruction& row, const Word& word) {
  const bool by_word = row.access == Access::kBulkCopy || row.opcode == Opcode::kUblkred;
  if (!by_word) return row.access;
  switch (word.bulk_spaces()) {
    case BulkSpaces::kFromGlobal: return row.access == Access::kBulkCopy ? Access::kBulkLoad : Access::kBulkOther;
    case BulkSpaces::kToGlobal: return row.access == Access::kBulkCopy ? Access::kBulkStore : row.access;
    default: return Access::kBulkOther;  // within the cluster
  }
}

bool is_compare_and_swap(Opcode opcode) {
  return opcode == Opcode::kAtomCas || opcode == Opcode::kAtomsCas || opcode == Opcode::kAtomgCas;
}

bool is_branch(Opcode opcode) {
  switch (opcode) {
    case Opcode::kBra:
    case Opcode::kBrx:
    case Opcode::kBrxu:
    case Opcode::kCallAbs:
    case Opcode::kCallRel:
    case Opcode::kRet: return true;
    default: return false;
  }
}

bool moves_matrices(Opcode opcode) { return opcode == Opcode::kLdsm || opcode == Opcode::kStsm; }

bool is_group_product(Opcode opcode) {
  return opcode == Opcode::kHgmma || opcode == Opcode::kIgmma || opcode == Opcode::kQgmma;
}

}  // namespace warplens::sass
