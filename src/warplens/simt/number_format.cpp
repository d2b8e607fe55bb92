#include "warplens/simt/number_format.h"

namespace warplens::simt {

NumberFormat number_format(ptx::Type type) {
  using ptx::Type;
  switch (type) {
    case Type::kF16: return {5, 10, 15, true, 0x7bff, 0x7fff};
    case Type::kBf16: return {8, 7, 127, true, 0x7f7f, 0x7fff};
    case Type::kTf32: return {8, 10, 127, true, 0x3fbff, 0x3ffff};
    case Type::kF32: return {8, 23, 127, true, 0x7f7fffff, 0x7fffffff};
    case Type::kE4m3: return {4, 3, 7, false, 0x7e, 0x7f};
    case Type::kE5m2: return {5, 2, 15, true, 0x7b, 0x7f};
    case Type::kE3m2: return {3, 2, 3, false, 0x1f, 0};
    case Type::kE2m3: return {2, 3, 1, false, 0x1f, 0};
    case Type::kE2m1: return {2, 1, 1, false, 0x7, 0};
    default: return {11, 52, 1023, true, 0x7fefffffffffffff, 0x7fffffffffffffff};
  }
}

}  // namespace warplens::simt
