// CUPTI and nothing else, for record_cost.py: what of a recording's cost is CUPTI's, whoever asks it. Injected, and told to start by name.
//   nvcc -O2 -shared -Xcompiler -fPIC -o FOLDER/libcupti_alone.so cupti_alone.cu -lcupti
#include <cupti.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

namespace {

constexpr size_t kBufferBytes = size_t{4} << 20, kBuffers = 16;

std::mutex pool_mutex;
std::vector<uint8_t*> pool;
CUpti_SubscriberHandle subscriber;
size_t calls = 0;

void need(CUptiResult result, const char* what) {
  if (result == CUPTI_SUCCESS) return;
  const char* text = "";
  cuptiGetResultString(result, &text);
  std::fprintf(stderr, "%s: %s\n", what, text);
  std::abort();
}
#define NEED(call) need(call, #call)

void CUPTIAPI request(uint8_t** buffer, size_t* bytes, size_t* most) {
  const std::lock_guard lock(pool_mutex);
  *buffer = pool.empty() ? nullptr : pool.back();
  if (!pool.empty()) pool.pop_back();
  *bytes = *buffer ? kBufferBytes : 0, *most = 0;
}

/// What the records say nobody asks.
void CUPTIAPI complete(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t) {
  const std::lock_guard lock(pool_mutex);
  pool.push_back(buffer);
}

void CUPTIAPI on_call(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) { ++calls; }

void call_back_launches() {
  const CUpti_CallbackDomain domain = CUPTI_CB_DOMAIN_DRIVER_API;
  const char* name = nullptr;
  for (uint32_t id = 1; cuptiGetCallbackName(domain, id, &name) == CUPTI_SUCCESS && name; ++id) {
    if (std::strncmp(name, "cuLaunchKernel", 14) == 0) NEED(cuptiEnableCallback(1, subscriber, domain, id));
  }
}

}  // namespace

extern "C" int InitializeInjection() {
  for (size_t i = 0; i < kBuffers; ++i) pool.push_back(static_cast<uint8_t*>(std::calloc(1, kBufferBytes)));
  NEED(cuptiSubscribe(&subscriber, on_call, nullptr));
  NEED(cuptiActivityRegisterCallbacks(request, complete));
  return 1;
}

extern "C" void records_of_kernels(int on) {
  NEED(on ? cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) : cuptiActivityDisable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
}
extern "C" void callbacks_of_launches() { call_back_launches(); }
