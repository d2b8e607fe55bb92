// One suffix of a mnemonic (".rn", ".f32", ".shared::cta", ".m16n8k16", ".v4", ".2d"), classified.
#pragma once
#include <string_view>

#include "warplens/isa/ptx/mnemonic.h"

namespace warplens::ptx {

enum class SuffixKind : uint8_t { kUnknown, kModifier, kType, kSpace, kVector, kDimension, kShape };

struct Suffix {
  SuffixKind kind = SuffixKind::kUnknown;
  uint16_t value = 0;  // Mod, Type, Space, vector width or dimensions
  Shape shape;
};

Suffix classify(std::string_view word);

}  // namespace warplens::ptx
