// CUPTI: the activities that PyTorch's profiler asks for. Calls have their real times, the GPU's work modelled ones.
#include "warplens/collect/process/clock.h"
#include "warplens/cuda_api/visible.h"
#include "warplens/libraries/cupti/session.h"
#include "warplens/libraries/queue/queue.h"

using namespace warplens;
using namespace warplens::libraries;

namespace {

constexpr int kSuccess = 0, kInvalidParameter = 1, kMaxLimitReached = 12, kQueueEmpty = 18, kInvalidKind = 21,
              kNotSupported = 27;
constexpr uint32_t kVersion = 130202;

int enable(uint32_t kind, bool on) {
  CuptiSession& session = CuptiSession::get();
  if (kind >= session.enabled.size()) return on ? kInvalidKind : kSuccess;
  session.enabled[kind] = on;
  session.listen();
  return kSuccess;
}

}  // namespace

CUDA_API int cuptiGetVersion(uint32_t* version) {
  return version != nullptr ? (*version = kVersion, kSuccess) : kInvalidParameter;
}
CUDA_API int cuptiGetTimestamp(uint64_t* out) {
  return out != nullptr ? (*out = collect::now_ns(), kSuccess) : kInvalidParameter;
}
CUDA_API int cuptiGetResultString(int result, const char** text) {
  if (text == nullptr) return kInvalidParameter;
  *text = result == kSuccess ? "CUPTI_SUCCESS" : "not emulated: warplens replaces CUPTI here";
  return kSuccess;
}
CUDA_API int cuptiGetCallbackName(uint32_t domain, uint32_t number, const char** name) {
  if (name == nullptr) return kInvalidParameter;
  *name = callback_name(domain, number);
  return *name != nullptr ? kSuccess : kInvalidParameter;
}

CUDA_API int cuptiActivityRegisterCallbacks(RequestBuffer request, CompleteBuffer complete) {
  if (request == nullptr || complete == nullptr) return kInvalidParameter;
  CuptiSession::get().request = request;
  CuptiSession::get().complete = complete;
  return kSuccess;
}
CUDA_API int cuptiActivityRegisterTimestampCallback(uint64_t (*clock)()) {
  CuptiSession::get().set_timestamp(clock);
  return kSuccess;
}
CUDA_API int cuptiActivityEnable(uint32_t kind) { return enable(kind, true); }
CUDA_API int cuptiActivityDisable(uint32_t kind) { return enable(kind, false); }
CUDA_API int cuptiActivityFlushAll(uint32_t) {
  CuptiSession::get().flush();
  return kSuccess;
}
CUDA_API int cuptiActivityGetNextRecord(uint8_t* buffer, size_t valid_bytes, uint8_t** record) {
  if (buffer == nullptr || record == nullptr) return kInvalidParameter;
  uint8_t* const next = *record == nullptr ? buffer : *record + kRecordBytes;
  if (next + kRecordBytes > buffer + valid_bytes) return kMaxLimitReached;
  *record = next;
  return kSuccess;
}
CUDA_API int cuptiActivityGetNumDroppedRecords(void*, uint32_t, size_t* dropped) {
  return dropped != nullptr ? (*dropped = 0, kSuccess) : kInvalidParameter;
}
CUDA_API int cuptiActivityPushExternalCorrelationId(uint32_t kind, uint64_t id) {
  external_ids()[kind].push_back(id);
  return kSuccess;
}
CUDA_API int cuptiActivityPopExternalCorrelationId(uint32_t kind, uint64_t* last) {
  std::vector<uint64_t>& ids = external_ids()[kind];
  if (ids.empty()) return kQueueEmpty;
  if (last != nullptr) *last = ids.back();
  ids.pop_back();
  return kSuccess;
}

// What changes nothing of the events above: accepted.
CUDA_API int cuptiActivitySetAttribute(uint32_t, size_t*, void*) { return kSuccess; }
CUDA_API int cuptiActivityEnableRuntimeApi(uint32_t, uint8_t) { return kSuccess; }
CUDA_API int cuptiActivityEnableDriverApi(uint32_t, uint8_t) { return kSuccess; }
CUDA_API int cuptiActivityEnableCudaEventDeviceTimestamps(uint8_t) { return kSuccess; }
CUDA_API int cuptiSubscribe(void** subscriber, void*, void*) {
  static char only;
  return subscriber != nullptr ? (*subscriber = &only, kSuccess) : kInvalidParameter;
}
CUDA_API int cuptiUnsubscribe(void*) { return kSuccess; }
CUDA_API int cuptiEnableCallback(uint32_t, void*, uint32_t, uint32_t) { return kSuccess; }
CUDA_API int cuptiEnableDomain(uint32_t, void*, uint32_t) { return kSuccess; }
CUDA_API int cuptiFinalize() { return kSuccess; }

#define CALL(name)                                                                                       \
  CUDA_API int name() {                                                                                  \
    tell_refused(#name,                                                                                  \
                 "the program gets CUPTI_ERROR_NOT_SUPPORTED; activities of calls, kernels, copies and " \
                 "fills are: torch.profiler works");                                                     \
    return kNotSupported;                                                                                \
  }
#include "warplens/libraries/cupti/refused.def"
#undef CALL
