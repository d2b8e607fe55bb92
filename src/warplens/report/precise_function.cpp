#include "warplens/report/precise_function.h"

#include <cstddef>

namespace warplens::report {
namespace {

constexpr PreciseFunction kFunctions[] = {
    {"sinf or cosf", "__sinf, __cosf", 0x3f22f983, 24},  // 2 / pi
    {"powf", "products for whole powers, else __powf", 0x3b52e7db, 70},
    {"logf", "__logf", 0x3e1039f6, 20},
    {"log2f", "__log2f", 0x3e2fcf2a, 20},
    {"tanhf", "__tanhf", 0x4038aa3b, 14},
    {"expf", "__expf", 0x4b400001, 4},
    {"sqrtf", "rsqrtf if the root is a divisor, otherwise -prec-sqrt=false", 0xf3000000, 7},
    {"1 / x", "__frcp_rn or -prec-div=false", 0x01800000, 7},
    {"a division", "__fdividef, or one reciprocal for several divisions", 0, 9},
};

bool may_hold_mark(const sass::Word& word) {
  return word.is(sass::Form::kImmediateB) || word.is(sass::Form::kImmediateC);
}

}  // namespace

std::span<const PreciseFunction> precise_functions() { return kFunctions; }

int precise_function(sass::Opcode opcode, const sass::Word& word) {
  const bool check = opcode == sass::Opcode::kFchk;
  if (!check && !may_hold_mark(word)) return -1;
  const uint32_t mark = check ? 0 : word.immediate();
  if (!check && mark == 0) return -1;
  for (size_t k = 0; k < std::size(kFunctions); ++k) {
    if (kFunctions[k].mark == mark) return static_cast<int>(k);
  }
  return -1;
}

}  // namespace warplens::report
