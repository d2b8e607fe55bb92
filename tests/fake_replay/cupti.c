/* A libcupti whose passes count what is in memory when a launch comes: WARPLENS_TEST_PASSES gives it three of them, and
   WARPLENS_TEST_LOST has it hand out one range alone for passes that are repeated by hand. */
#include <stdlib.h>

#include "../fake_cupti/common.h"

enum { kPasses = 3, kMostRanges = 64 };
enum { kUserRange = 2, kUserReplay = 3 };
static int pass, range, started, ranges, differ, passes_by_user, whole_ranges, pushed;
static double seen[kMostRanges];

/* A launch that finds `value` in memory: the same in every pass. */
void fake_range(double value) {
  if (!started || range >= kMostRanges) return;
  if (whole_ranges) { /* how many launches ran in it */
    seen[0] += pushed && pass == 0;
    return;
  }
  if (pass == 0) seen[range] = value;
  differ += seen[range++] != value;
}

int cuptiProfilerHostGetNumOfPasses(size_t* p) { return p[4] = getenv("WARPLENS_TEST_PASSES") ? kPasses : 1, 0; }
int cuptiRangeProfilerSetConfig(uint8_t* p) {
  whole_ranges = *(uint32_t*)(p + 56) == kUserRange; /* after size, priv, object, two images with sizes */
  passes_by_user = *(uint32_t*)(p + 60) == kUserReplay;
  seen[0] = 0;
  return pass = ranges = differ = 0;
}
int cuptiRangeProfilerPushRange(void* p) { return (void)p, pushed = 1, 0; }
int cuptiRangeProfilerPopRange(void* p) { return (void)p, pushed = 0, range = 1, 0; }
int cuptiRangeProfilerStart(void* p) { return (void)p, started = 1, range = 0; }
int cuptiRangeProfilerStop(uint8_t* p) {
  started = 0, ranges = range;
  p[40] = ++pass == kPasses; /* after size, priv, object, pass, level */
  return 0;
}
int cuptiRangeProfilerGetCounterDataInfo(size_t* p) {
  const int lost = passes_by_user && getenv("WARPLENS_TEST_LOST") != 0;
  return p[4] = lost ? 1 : ranges, 0;
}
int cuptiProfilerHostEvaluateToGpuValues(size_t* p) {
  double* values = (double*)p[8]; /* after size, priv, host, image, bytes, range, names, count */
  for (size_t k = 0; k < p[7]; ++k) values[k] = differ ? -1 : seen[p[5]];
  return 0;
}

#define FINE(name) \
  int name(void* p) { return (void)p, 0; }
FINE(cuptiProfilerHostInitialize)
FINE(cuptiProfilerHostDeinitialize)
FINE(cuptiProfilerHostGetSupportedChips)
FINE(cuptiProfilerHostGetBaseMetrics)
FINE(cuptiProfilerHostGetSubMetrics)
FINE(cuptiProfilerHostGetMetricProperties)
FINE(cuptiProfilerHostConfigAddMetrics)
FINE(cuptiProfilerHostGetConfigImageSize)
FINE(cuptiProfilerHostGetConfigImage)
FINE(cuptiProfilerInitialize)
FINE(cuptiProfilerGetCounterAvailability)
FINE(cuptiRangeProfilerEnable)
FINE(cuptiRangeProfilerDisable)
FINE(cuptiRangeProfilerGetCounterDataSize)
FINE(cuptiRangeProfilerCounterDataImageInitialize)
FINE(cuptiRangeProfilerDecodeData)
FINE(cuptiActivityRegisterCallbacks)
FINE(cuptiActivityEnable)
FINE(cuptiActivityDisable)
FINE(cuptiActivityEnableRuntimeApi)
FINE(cuptiActivityEnableDriverApi)
FINE(cuptiActivityFlushAll)
FINE(cuptiActivityGetNextRecord)
FINE(cuptiActivityGetNumDroppedRecords)
FINE(cuptiGetGraphNodeId)
FINE(cuptiGetStreamIdEx)

int cuptiDeviceGetChipName(const char** p) { return p[3] = "GH100", 0; } /* after size, priv, device */
int cuptiSubscribe(void** subscriber, Callback function, void* data) {
  return *subscriber = &callback, callback = function, user = data, 0;
}
int cuptiEnableCallback(uint32_t on, void* subscriber, uint32_t domain, uint32_t id) {
  return (void)on, (void)subscriber, (void)domain, (void)id, 0;
}
int cuptiGetCallbackName(uint32_t domain, uint32_t id, const char** name) {
  static const char* const names[] = {0, "cuLaunchKernel", "cuMemAlloc_v2", "cuMemFree_v2", "cuMemcpyHtoD_v2"};
  if (domain != 1 || id == 0 || id > 4) return 1;
  return *name = names[id], 0;
}

/* A call of the driver as CUPTI tells of it: `id` as cuptiGetCallbackName has it, `site` 0 before and 1 after. */
void fake_call(uint32_t id, uint32_t site, const void* parameters, const char* symbol) {
  struct CallData call = call_data("", parameters, symbol, 1);
  call.site = site;
  if (callback) callback(user, 1, id, &call);
}
