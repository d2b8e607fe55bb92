// PTX types and state spaces.
#pragma once
#include <cstdint>
#include <string_view>

namespace warplens::ptx {

enum class Type : uint8_t {
  kNone,
#define TYPE(name, text, bits, kind) name,
#include "warplens/isa/ptx/types.def"
#undef TYPE
};

enum class TypeKind : uint8_t { kNone, kBits, kUnsigned, kSigned, kFloat, kPacked, kPredicate, kOpaque };

/// The text after the dot: "f32"; empty for kNone.
std::string_view text(Type type);
TypeKind kind(Type type);
/// Bits of one value; 6 for e3m2, 1 for a predicate.
int bits(Type type);
/// Bytes that one element takes in memory; 1 for anything under 9 bits.
int size_bytes(Type type);
/// kNone when `word` (without its dot) names no type.
Type type_named(std::string_view word);

enum class Space : uint8_t {
  kGeneric,  // no space written
  kRegister,
  kSpecial,
  kGlobal,
  kConst,
  kLocal,
  kParam,          // .param
  kParamEntry,     // .param::entry
  kParamFunction,  // .param::func
  kShared,         // .shared
  kSharedCta,      // .shared::cta
  kSharedCluster,  // .shared::cluster
  kTexture,        // .tex
  kTensor,         // the tensor memory of tcgen05 (addressed by instruction, never written as a suffix)
};

/// In shared memory: the block's own, or any of its cluster's.
constexpr bool is_shared(Space space) {
  return space == Space::kShared || space == Space::kSharedCta || space == Space::kSharedCluster;
}
/// "global", "shared::cluster", ...; empty for kGeneric.
std::string_view text(Space space);
/// kGeneric when `word` names no space.
Space space_named(std::string_view word);

}  // namespace warplens::ptx
