// The list of formats.
#include "warplens/trace/readers/format.h"

namespace warplens {

extern const TraceFormat kHatchet;
extern const TraceFormat kKineto;
extern const TraceFormat kNative;
extern const TraceFormat kNsysReport;
extern const TraceFormat kPerfetto;
extern const TraceFormat kRecorded;
extern const TraceFormat kRocprofJson;
extern const TraceFormat kSqlite;
extern const TraceFormat kXplane;

const std::vector<const TraceFormat*>& all_formats() {
  static const std::vector<const TraceFormat*> formats = {
      &kNative, &kRecorded, &kSqlite, &kNsysReport, &kXplane, &kPerfetto, &kRocprofJson, &kHatchet, &kKineto,
  };
  return formats;
}

}  // namespace warplens
