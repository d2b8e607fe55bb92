// The hardware's constants in the model: constants.def as constants, and as a table with units and sources.
#pragma once
#include <vector>

namespace warplens::model {

#define WL_CONSTANT(name, value, unit, chip, source, what) inline constexpr double name = value;
#include "warplens/model/constants.def"
#undef WL_CONSTANT

struct Constant {
  const char* name;
  double value;
  const char *unit, *chip;  // "cycles/warp", "H200"
  const char* source;       // a script that measures it alone, "fitted", "data sheet" or "assumed"
  const char* what;
};
/// In the order of constants.def.
const std::vector<Constant>& all_constants();

}  // namespace warplens::model
