// The list of formats.
#include "warplens/trace/readers/format.h"

namespace warplens {

extern const TraceFormat kKineto;
extern const TraceFormat kNative;
extern const TraceFormat kRecorded;

const std::vector<const TraceFormat*>& all_formats() {
  static const std::vector<const TraceFormat*> formats = {
      &kNative,
      &kRecorded,
      &kKineto,
  };
  return formats;
}

}  // namespace warplens
