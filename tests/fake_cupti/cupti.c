/* A libcupti that refuses: where a real one would need a driver and a GPU that may not be profiled. Launches are made
   by calling fake_launch(). WARPLENS_TEST_REFUSAL is the CUptiResult of the call named by WARPLENS_TEST_CALL; times of
   kernels are handed out. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef void (*Callback)(void*, uint32_t, uint32_t, const void*);
static Callback callback;
static void* user;
static void (*request)(uint8_t**, size_t*, size_t*);
static void (*complete)(void*, uint32_t, uint8_t*, size_t, size_t);
static int times_wanted, launches;

static int refusal(const char* call) {
  const char* wanted = getenv("WARPLENS_TEST_CALL");
  return wanted && strcmp(wanted, call) == 0 ? atoi(getenv("WARPLENS_TEST_REFUSAL")) : 0;
}

#define FINE(name)         \
  int name(void* p) {      \
    (void)p;               \
    return refusal(#name); \
  }
FINE(cuptiProfilerHostDeinitialize)
FINE(cuptiProfilerHostGetSupportedChips) FINE(cuptiProfilerHostGetBaseMetrics) FINE(cuptiProfilerHostGetSubMetrics)
    FINE(cuptiProfilerHostConfigAddMetrics) FINE(cuptiProfilerHostGetConfigImageSize)
        FINE(cuptiProfilerHostGetConfigImage) FINE(cuptiProfilerHostGetNumOfPasses)
            FINE(cuptiProfilerHostEvaluateToGpuValues) FINE(cuptiProfilerHostGetMetricProperties)
                FINE(cuptiProfilerHostInitialize) FINE(cuptiProfilerInitialize)
                    FINE(cuptiProfilerGetCounterAvailability) FINE(cuptiRangeProfilerEnable)
                        FINE(cuptiRangeProfilerDisable) FINE(cuptiRangeProfilerGetCounterDataSize)
                            FINE(cuptiRangeProfilerCounterDataImageInitialize) FINE(cuptiRangeProfilerSetConfig)
                                FINE(cuptiRangeProfilerStart) FINE(cuptiRangeProfilerStop)
                                    FINE(cuptiRangeProfilerDecodeData) FINE(cuptiRangeProfilerGetCounterDataInfo)

                                        int cuptiDeviceGetChipName(void* p) {
  ((const char**)p)[3] = "GH100"; /* after size, priv, device */
  return refusal("cuptiDeviceGetChipName");
}

int cuptiGetVersion(uint32_t* version) { return *version = 130001, 0; }
int cuptiGetResultString(int result, const char** text) { return (void)result, *text = "CUPTI_ERROR_OF_THE_TEST", 0; }
int cuptiSubscribe(void** subscriber, Callback function, void* data) {
  *subscriber = &callback, callback = function, user = data;
  return refusal("cuptiSubscribe");
}
int cuptiEnableCallback(uint32_t on, void* subscriber, uint32_t domain, uint32_t id) {
  return (void)on, (void)subscriber, (void)domain, (void)id, 0;
}
int cuptiGetCallbackName(uint32_t domain, uint32_t id, const char** name) {
  *name = "cuLaunchKernel";
  return domain == 1 && id == 1 ? 0 : 1;
}
int cuptiActivityRegisterCallbacks(void* r, void* c) { return *(void**)&request = r, *(void**)&complete = c, 0; }
int cuptiActivityEnable(uint32_t kind) { return times_wanted |= kind == 10, 0; }
int cuptiActivityDisable(uint32_t kind) { return (void)kind, 0; }
int cuptiActivityEnableRuntimeApi(uint32_t id, uint8_t on) { return (void)id, (void)on, 0; }
int cuptiActivityEnableDriverApi(uint32_t id, uint8_t on) { return (void)id, (void)on, 0; }
int cuptiActivityGetNumDroppedRecords(void* c, uint32_t s, size_t* n) { return (void)c, (void)s, *n = 0, 0; }
int cuptiGetGraphNodeId(void* node, uint64_t* id) { return (void)node, *id = 0, 0; }

enum { kRecord = 160, kStart = 16, kEnd = 24, kCorrelation = 92 }; /* bytes of a kernel's record that are read */
int cuptiActivityGetNextRecord(uint8_t* buffer, size_t valid, void** record) {
  uint8_t* next = *record ? (uint8_t*)*record + kRecord : buffer;
  if (next + kRecord > buffer + valid) return 12;
  return *record = next, 0;
}
int cuptiActivityFlushAll(uint32_t flag) {
  uint8_t* buffer = 0;
  size_t size = 0, most = 0;
  (void)flag;
  if (!times_wanted || !request) return 0;
  request(&buffer, &size, &most);
  for (int k = 0; k < launches; ++k) {
    uint8_t* record = buffer + k * kRecord;
    const uint32_t kind = 10, correlation = 100 + k;
    const uint64_t start = 1000, end = 1000 + 5000 * (k + 1);
    memcpy(record, &kind, 4), memcpy(record + kStart, &start, 8), memcpy(record + kEnd, &end, 8);
    memcpy(record + kCorrelation, &correlation, 4);
  }
  complete(0, 0, buffer, size, (size_t)launches * kRecord);
  return 0;
}

/* A launch of 264 blocks of 128 threads, as the driver tells of it. */
void fake_launch(void) {
  struct {
    void* function;
    uint32_t grid[3], block[3], shared;
    void* stream;
  } parameters = {0, {264, 1, 1}, {128, 1, 1}, 0, 0};
  struct {
    uint32_t site;
    const char* function;
    const void* parameters;
    int* result;
    const char* symbol;
    void* context;
    uint32_t context_id;
    uint64_t* data;
    uint32_t correlation;
  } call;
  int result = 0;
  memset(&call, 0, sizeof call);
  call.parameters = &parameters, call.result = &result, call.symbol = "_Z5scalePfi", call.context = &launches;
  call.correlation = 100 + launches++;
  if (!callback) return;
  callback(user, 1, 1, &call);
  call.site = 1;
  callback(user, 1, 1, &call);
}
