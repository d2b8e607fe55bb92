/* A driver whose device is this machine: memory is the host's, and the one kernel adds its second argument to every
   element of its first. CUPTI is told of the calls that programs make, as a real one is. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { kLaunch = 1, kAlloc, kFree, kCopy };
extern void fake_call(uint32_t id, uint32_t site, const void* parameters, const char* symbol);
extern void fake_range(double value);

typedef unsigned long long Address;
static size_t bytes_of_x;

int cuMemAlloc_v2(Address* address, size_t bytes) {
  struct {
    Address* address;
    size_t bytes;
  } parameters = {address, bytes};
  fake_call(kAlloc, 0, &parameters, 0);
  *address = (Address)(uintptr_t)malloc(bytes);
  if (!bytes_of_x) bytes_of_x = bytes;
  fake_call(kAlloc, 1, &parameters, 0);
  return 0;
}
int cuMemFree_v2(Address address) {
  fake_call(kFree, 0, &address, 0);
  memset((void*)(uintptr_t)address, 0xff, 1); /* what is freed must not be needed any more */
  fake_call(kFree, 1, &address, 0);
  return 0;
}
int cuMemcpyHtoD_v2(Address to, const void* from, size_t bytes) {
  fake_call(kCopy, 0, &to, 0);
  memcpy((void*)(uintptr_t)to, from, bytes);
  fake_call(kCopy, 1, &to, 0);
  return 0;
}
int cuMemcpyDtoDAsync_v2(Address to, Address from, size_t bytes, void* stream) {
  (void)stream;
  memcpy((void*)(uintptr_t)to, (void*)(uintptr_t)from, bytes);
  return 0;
}
int cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void* stream, void** values, void** packed) {
  struct {
    void* function;
    unsigned sizes[7];
    void *stream, **values, **packed;
  } parameters = {function, {gx, gy, gz, bx, by, bz, shared}, stream, values, packed};
  fake_call(kLaunch, 0, &parameters, "_Z3addPii");
  int *x = *(int**)values[0], n = (int)(bytes_of_x / sizeof(int));
  double sum = 0;
  for (int k = 0; k < n; ++k) sum += x[k];
  fake_range(sum);
  for (int k = 0; k < n; ++k) x[k] += *(int*)values[1];
  fake_call(kLaunch, 1, &parameters, "_Z3addPii");
  return 0;
}
int cuFuncGetParamInfo(void* function, size_t index, size_t* offset, size_t* bytes) {
  (void)function;
  if (index > 1) return 1;
  return *offset = 8 * index, *bytes = index ? 4 : 8, 0;
}
int cuMemGetInfo_v2(size_t* free_bytes, size_t* all) { return *free_bytes = *all = (size_t)1 << 33, 0; }
int cuFuncGetAttribute(int* value, int attribute, void* function) { return (void)attribute, (void)function, *value = 16, 0; }
int cuFuncGetModule(void** module, void* function) { return *module = function, 0; }
int cuModuleGetGlobal_v2(Address* a, size_t* b, void* m, const char* n) { return (void)a, (void)b, (void)m, (void)n, 500; }
int cuCtxSynchronize(void) { return 0; }
int cuCtxPushCurrent_v2(void* context) { return (void)context, 0; }
int cuCtxPopCurrent_v2(void** context) { return *context = 0, 0; }
extern void* fake_context(void);
int cuCtxGetCurrent(void** context) { return *context = fake_context(), 0; }
int cuCtxGetDevice(int* device) { return *device = 0, 0; }
int cuDeviceGetAttribute(int* value, int attribute, int device) { return (void)attribute, (void)device, *value = 1 << 20, 0; }
