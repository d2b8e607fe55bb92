// The list of formats.
#include "warplens/trace/readers/format.h"

namespace warplens {

extern const Format kKineto;
extern const Format kNative;
extern const Format kRecorded;

const std::vector<const Format*>& all_formats() {
  static const std::vector<const Format*> formats = {
      &kNative,
      &kRecorded,
      &kKineto,
  };
  return formats;
}

}  // namespace warplens
