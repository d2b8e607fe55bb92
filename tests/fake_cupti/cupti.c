/* A libcupti where a real one would need a driver and a GPU. Launches are made by calling fake_launch(), through the
   driver, or fake_runtime_launch(); times of kernels are handed out. WARPLENS_TEST_REFUSAL is the CUptiResult of the
   call named by WARPLENS_TEST_CALL. */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "common.h"

static void (*request)(uint8_t**, size_t*, size_t*);
static void (*complete)(void*, uint32_t, uint8_t*, size_t, size_t);
static int times_wanted, launches, given;

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
                                FINE(cuptiRangeProfilerStart) FINE(cuptiRangeProfilerStop) FINE(cuptiRangeProfilerPushRange) FINE(cuptiRangeProfilerPopRange)
                                    FINE(cuptiRangeProfilerDecodeData) FINE(cuptiRangeProfilerGetCounterDataInfo)

                                        int cuptiDeviceGetChipName(void* p) {
  ((const char**)p)[3] = "GH100"; /* after size, priv, device */
  return refusal("cuptiDeviceGetChipName");
}

/* While a process ends, the real one is not there any more once its own handler ran. */
static int ended;
static void end(void) { ended = 1; }
int cuptiSubscribe(void** subscriber, Callback function, void* data) {
  if (callback) return 39; /* CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED */
  atexit(end);
  *subscriber = &callback, callback = function, user = data;
  return refusal("cuptiSubscribe");
}
enum { kDriver = 1, kRuntime = 2, kLaunch = 1, kSynchronize = 2, kProfilerStart = 3, kProfilerStop = 4, kMostLaunches = 1000 };
static int enabled[4][5];
int cuptiEnableCallback(uint32_t on, void* subscriber, uint32_t domain, uint32_t id) {
  (void)subscriber;
  if (domain < 4 && id <= kProfilerStop) enabled[domain][id] = (int)on;
  return 0;
}
int cuptiGetCallbackName(uint32_t domain, uint32_t id, const char** name) {
  static const char* const runtime[] = {"cudaLaunchKernel_v7000", "cudaStreamSynchronize_v3020", "cudaProfilerStart_v4000",
                                        "cudaProfilerStop_v4000"};
  if (id < kLaunch || id > (domain == kDriver ? kLaunch : kProfilerStop) || (domain != kDriver && domain != kRuntime)) return 1;
  return *name = domain == kDriver ? "cuLaunchKernel" : runtime[id - 1], 0;
}
int cuptiGetStreamIdEx(void* context, void* stream, uint8_t own, uint32_t* id) {
  return (void)context, (void)own, *id = (uint32_t)(uintptr_t)stream, 0;
}
int cuptiActivityRegisterCallbacks(void* r, void* c) { return *(void**)&request = r, *(void**)&complete = c, 0; }
int cuptiActivityEnable(uint32_t kind) { return times_wanted |= kind == 10, 0; }
int cuptiActivityDisable(uint32_t kind) { return times_wanted &= kind != 10, 0; }
static uint64_t (*their_clock)(void);
int cuptiActivityRegisterTimestampCallback(void* clock) { return *(void**)&their_clock = clock, 0; }
int cuptiFinalize(void) { return callback = 0, request = 0, complete = 0, 0; }
int cuptiActivityEnableRuntimeApi(uint32_t id, uint8_t on) { return (void)id, (void)on, 0; }
int cuptiActivityEnableDriverApi(uint32_t id, uint8_t on) { return (void)id, (void)on, 0; }
int cuptiActivityGetNumDroppedRecords(void* c, uint32_t s, size_t* n) { return (void)c, (void)s, *n = 0, 0; }
int cuptiGetGraphNodeId(void* node, uint64_t* id) { return (void)node, *id = 0, 0; }

/* Bytes of a kernel's record that are read. */
enum { kRecord = 160, kRegisters = 6, kStart = 16, kEnd = 24, kStream = 48, kGrid = 52, kBlock = 64, kCorrelation = 92, kName = 104 };
static uint8_t records[kMostLaunches][kRecord];
static void add_record(uint64_t start, uint64_t end, uint32_t correlation) {
  static const char* name = "_Z5scalePfi";
  const uint32_t kind = 10, stream = 7, grid[3] = {264, 1, 1}, block[3] = {128, 1, 1};
  const uint16_t registers = 32;
  uint8_t* record = records[launches++];
  memcpy(record, &kind, 4), memcpy(record + kStart, &start, 8), memcpy(record + kEnd, &end, 8);
  memcpy(record + kCorrelation, &correlation, 4), memcpy(record + kStream, &stream, 4);
  memcpy(record + kGrid, grid, 12), memcpy(record + kBlock, block, 12), memcpy(record + kRegisters, &registers, 2);
  memcpy(record + kName, &name, 8);
}
int cuptiActivityGetNextRecord(uint8_t* buffer, size_t valid, void** record) {
  uint8_t* next = *record ? (uint8_t*)*record + kRecord : buffer;
  if (next + kRecord > buffer + valid) return 12;
  return *record = next, 0;
}
int cuptiActivityFlushAll(uint32_t flag) {
  uint8_t* buffer = 0;
  size_t size = 0, most = 0;
  (void)flag;
  if (ended) abort();
  static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER; /* the recorder flushes from a thread of its own */
  pthread_mutex_lock(&one);
  while (request && launches > given) {
    int fit = launches - given;
    request(&buffer, &size, &most);
    if ((size_t)fit > size / kRecord) fit = (int)(size / kRecord);
    memcpy(buffer, records[given], (size_t)fit * kRecord);
    complete(0, 0, buffer, size, (size_t)fit * kRecord);
    given += fit;
  }
  pthread_mutex_unlock(&one);
  return 0;
}

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Calls back before and behind a function, as the real one does for those that are enabled. */
static void call(uint32_t domain, uint32_t id, const char* function, const void* parameters, uint32_t correlation) {
  uint64_t scratch = 0;
  struct CallData data = call_data(function, parameters, "_Z5scalePfi", correlation);
  data.data = &scratch;
  if (!callback || !enabled[domain][id]) return;
  callback(user, domain, id, &data);
  data.site = 1;
  callback(user, domain, id, &data);
}

/* A launch of 264 blocks of 128 threads, as the driver tells of it. */
void fake_launch(void) {
  struct {
    void* function;
    uint32_t grid[3], block[3], shared;
    void* stream;
  } parameters = {0, {264, 1, 1}, {128, 1, 1}, 0, 0};
  const uint32_t correlation = 100 + (uint32_t)launches;
  call(kDriver, kLaunch, "cuLaunchKernel", &parameters, correlation);
  if (times_wanted) add_record(1000, 1000 + 5000 * (uint64_t)(launches + 1), correlation);
}

/* By the runtime, which asks the driver for it; it runs at once for 2 us. */
void fake_runtime_launch(void) {
  const uint32_t correlation = 100 + (uint32_t)launches;
  call(kRuntime, kLaunch, "cudaLaunchKernel", 0, correlation);
  call(kDriver, kLaunch, "cuLaunchKernel", 0, correlation);
  const uint64_t at = their_clock ? their_clock() : now(); /* in its own unit, half of ours */
  if (times_wanted) add_record(at, at + (their_clock ? 1000 : 2000), correlation);
}

void fake_profiler(int starts) {
  if (starts) call(kRuntime, kProfilerStart, "cudaProfilerStart", 0, 0);
  else call(kRuntime, kProfilerStop, "cudaProfilerStop", 0, 0);
}

/* The call alone, from any thread. */
void fake_thread_launch(void) { call(kDriver, kLaunch, "cuLaunchKernel", 0, 0); }

void fake_synchronize(void) {
  void* const parameters[] = {(void*)7};
  call(kRuntime, kSynchronize, "cudaStreamSynchronize", parameters, 99);
}
