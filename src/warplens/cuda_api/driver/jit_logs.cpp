#include "warplens/cuda_api/driver/jit_logs.h"

#include <algorithm>

namespace warplens::cuda_api {

void JitLog::write(std::string_view what) const {
  if (text != nullptr && room_bytes > 0) text[what.copy(text, room_bytes - 1)] = '\0';
  if (length != nullptr) *length = reinterpret_cast<void*>(std::min(what.size(), room_bytes));  // as a driver counts it
}

JitLogs logs_of(unsigned count, const int* options, void** values) {
  enum : int { kInfoLog = 3, kInfoBytes = 4, kErrorLog = 5, kErrorBytes = 6, kVerbose = 12 };
  JitLogs out;
  for (unsigned i = 0; options != nullptr && values != nullptr && i < count; ++i) {
    switch (options[i]) {
      case kInfoLog: out.info.text = static_cast<char*>(values[i]); break;
      case kErrorLog: out.errors.text = static_cast<char*>(values[i]); break;
      case kInfoBytes:
        out.info.room_bytes = reinterpret_cast<size_t>(values[i]);
        out.info.length = &values[i];
        break;
      case kErrorBytes:
        out.errors.room_bytes = reinterpret_cast<size_t>(values[i]);
        out.errors.length = &values[i];
        break;
      case kVerbose: out.verbose = values[i] != nullptr; break;
      default: break;
    }
  }
  return out;
}

}  // namespace warplens::cuda_api
