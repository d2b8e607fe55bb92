#include "warplens/model/constants.h"

namespace warplens::model {

const std::vector<Constant>& all_constants() {
  static const std::vector<Constant> all = {
#define WL_CONSTANT(name, value, unit, chip, source, what) {#name, value, unit, chip, source, what},
#include "warplens/model/constants.def"
#undef WL_CONSTANT
  };
  return all;
}

}  // namespace warplens::model
