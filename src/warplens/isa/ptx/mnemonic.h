// The mnemonic of an instruction, decoded: opcode, modifiers, types. Each distinct one is decoded once a module.
#pragma once
#include <array>
#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/isa/ptx/types.h"

namespace warplens::ptx {

/// The longest dotted name that the table knows: "cp.async.bulk.tensor" is one, with ".2d" as its modifier.
enum class Opcode : uint16_t {
  kUnknown,
#define OPCODE(name, text, since, doc) name,
#define FORM(modifiers, operands, category)
#include "warplens/isa/ptx/instructions.def"
#undef OPCODE
#undef FORM
};

/// Every suffix other than a type, a space, a vector width or a matrix shape: ".rn" is kRn, ".L2::128B" kL2128B.
enum class Mod : uint16_t {
#define MOD(name, text) name,
#include "warplens/isa/ptx/modifiers.def"
#undef MOD
  kCount
};

/// The class in which an instruction is counted.
enum class Category : uint8_t {
  kInteger,  // integer arithmetic, logic, shifts, comparison
  kFp16,     // f16, bf16 and their pairs
  kFp32,
  kFp64,
  kSpecial,  // approximations of the special-function unit
  kConversion,
  kMove,  // mov, selp, prmt, cvta, mapa: no arithmetic
  kLoad,  // of the memory that `Mnemonic::space` names
  kStore,
  kAtomic,      // atom, red, multimem.red
  kAsyncCopy,   // cp.async, bulk and tensor copies
  kMatrix,      // mma, wgmma, tcgen05.mma
  kMatrixMove,  // ldmatrix, stmatrix, movmatrix, tensor memory moves
  kBarrier,     // bar, barrier, mbarrier, fences
  kWarp,        // shfl, vote, match, redux, elect
  kControl,     // bra, call, ret, exit
  kTexture,
  kOther,
};
inline constexpr int kCategoryCount = static_cast<int>(Category::kOther) + 1;

/// .m16n8k16; zeros when none is written.
struct Shape {
  uint16_t m = 0, n = 0, k = 0;
  bool operator==(const Shape&) const = default;
};

struct Mnemonic {
  std::string text;  // as written: "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
  Opcode opcode = Opcode::kUnknown;
  int16_t form = -1;  // row of the table (see table.h); -1: not in the table, so it cannot be executed
  Category category = Category::kOther;
  uint8_t vector = 1;      // .v2 .v4 .v8
  uint8_t dimensions = 0;  // .1d ... .5d
  uint8_t type_count = 0, space_count = 0;
  std::array<Type, 8> types{};    // in the order written
  std::array<Space, 2> spaces{};  // the same; spaces[0] is kGeneric when none is written
  Shape shape;
  std::vector<Mod> modifiers;        // in the order written
  std::vector<std::string> unknown;  // unknown suffixes
  std::bitset<static_cast<size_t>(Mod::kCount)> set;

  bool has(Mod modifier) const { return set[static_cast<size_t>(modifier)]; }
  Type type(int i = 0) const { return types[i]; }  // kNone past the last
  Space space() const { return spaces[0]; }
  bool operator==(const Mnemonic& other) const { return text == other.text; }
};

/// Never fails: unknown parts go to `unknown`, an unknown opcode becomes kUnknown.
Mnemonic decode(std::string_view mnemonic);

std::string_view text(Opcode opcode);      // "cp.async"; "" for kUnknown
std::string_view text(Mod modifier);       // "rn"
std::string_view text(Category category);  // "integer", "memory load", ...

}  // namespace warplens::ptx
