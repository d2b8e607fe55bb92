// The list of formats.
#include "warplens/trace/readers/format.h"

namespace warplens {

extern const Format kKineto;
extern const Format kNative;

const std::vector<const Format*>& all_formats() {
  static const std::vector<const Format*> formats = {
      &kNative,
      &kKineto,
  };
  return formats;
}

}  // namespace warplens
