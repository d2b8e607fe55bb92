// Where the nanoseconds of a recorded launch go: the host's time (and instructions, where they can be counted) of a kernel's
// launch, without and with one part of CUPTI, in turns of 256 launches into an empty queue.
//   nvcc -O2 -arch=native -o launch_floor launch_floor.cu -lcupti -lcuda
//   ./launch_floor PAIRS PART...          parts are switched on and off together; launch_floor.py tries them all
// kernel serial          records of kernels, CUPTI's concurrent kind or the one that serialises
// driver runtime         callbacks for the launch there; with `kept` they do what the recorder's do
// driver-records runtime-records        CUPTI's own records of that call alone
// copies                 records of copies and sets beside
// before the context is made, and so for both turns: buffer=KB device=KB pre=N limit=N pinned shared zeroed clock latency hardware
#include <cuda.h>
#include <cupti.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <x86intrin.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

namespace {

constexpr int kBurst = 256, kWarm = 32;

std::vector<std::string> parts;
bool has(const char* part) { return std::find(parts.begin(), parts.end(), part) != parts.end(); }
size_t number(const std::string& key) {
  for (const std::string& part : parts)
    if (part.rfind(key + "=", 0) == 0) return std::strtoull(part.c_str() + key.size() + 1, nullptr, 10);
  return 0;
}

void need(CUptiResult result, const char* what) {
  if (result == CUPTI_SUCCESS) return;
  const char* text = "";
  cuptiGetResultString(result, &text);
  std::printf("{\"refused\": \"%s: %s\"}\n", what, text);
  std::exit(0);
}
#define NEED(call) need(call, #call)

std::mutex pool_mutex;
std::vector<uint8_t*> pool;
size_t buffer_bytes = size_t{256} << 10;
std::atomic<size_t> records{0}, buffers{0};

void CUPTIAPI request(uint8_t** buffer, size_t* bytes, size_t* most) {
  const std::lock_guard lock(pool_mutex);
  *buffer = pool.empty() ? nullptr : pool.back();
  if (!pool.empty()) pool.pop_back();
  *bytes = *buffer ? buffer_bytes : 0, *most = 0;
}

void CUPTIAPI complete(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  for (CUpti_Activity* record = nullptr; cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS;) ++records;
  ++buffers;
  const std::lock_guard lock(pool_mutex);
  pool.push_back(buffer);
}

CUpti_SubscriberHandle subscriber;
uint64_t ring[1 << 15];
size_t at = 0, calls = 0;
bool kept = false;

void CUPTIAPI on_call(void*, CUpti_CallbackDomain, CUpti_CallbackId id, const void* data) {
  const auto& call = *static_cast<const CUpti_CallbackData*>(data);
  if (!kept) return;
  if (call.callbackSite == CUPTI_API_ENTER) {
    *call.correlationData = __rdtsc();
    return;
  }
  uint64_t* to = ring + at;
  at = (at + 8) % (sizeof ring / sizeof *ring);
  to[0] = *call.correlationData, to[1] = __rdtsc(), to[2] = call.correlationId, to[3] = id, to[4] = calls++;
}

uint64_t CUPTIAPI own_clock() { return __rdtsc(); }

void attribute(int which, size_t value, size_t bytes) {
  NEED(cuptiActivitySetAttribute(static_cast<CUpti_ActivityAttribute>(which), &bytes, &value));
}

void prepare() {
  if (number("buffer")) buffer_bytes = number("buffer") << 10;
  const size_t count = std::clamp<size_t>((size_t{32} << 20) / buffer_bytes, 4, 128);
  for (size_t i = 0; i < count; ++i)
    pool.push_back(static_cast<uint8_t*>(
        mmap(nullptr, buffer_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0)));
  kept = has("kept");
  if (has("bare")) return;
  NEED(cuptiSubscribe(&subscriber, on_call, nullptr));
  if (has("shared")) attribute(CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER, 0, 1);
  if (has("zeroed")) attribute(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, 1, 1);
  if (has("pinned")) attribute(CUPTI_ACTIVITY_ATTR_MEM_ALLOCATION_TYPE_HOST_PINNED, 1, 1);
  if (number("device")) attribute(CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE, number("device") << 10, 8);
  if (number("limit")) attribute(CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_POOL_LIMIT, number("limit"), 8);
  if (number("pre")) attribute(CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_PRE_ALLOCATE_VALUE, number("pre"), 8);
  if (has("clock")) NEED(cuptiActivityRegisterTimestampCallback(own_clock));
  if (has("latency")) NEED(cuptiActivityEnableLatencyTimestamps(1));
  if (has("hardware")) NEED(cuptiActivityEnableHWTrace(1));
  NEED(cuptiActivityRegisterCallbacks(request, complete));
}

void each_launch(CUpti_CallbackDomain domain, bool as_records, bool on) {
  for (uint32_t id = 1; id < 2000; ++id) {
    const char* name = nullptr;
    if (cuptiGetCallbackName(domain, id, &name) != CUPTI_SUCCESS || !name) break;
    if (std::strncmp(name, "cuLaunchKernel", 14) != 0 && std::strncmp(name, "cudaLaunchKernel", 16) != 0) continue;
    if (!as_records) NEED(cuptiEnableCallback(on, subscriber, domain, id));
    else if (domain == CUPTI_CB_DOMAIN_DRIVER_API) NEED(cuptiActivityEnableDriverApi(id, on));
    else NEED(cuptiActivityEnableRuntimeApi(id, on));
  }
}

void kind(CUpti_ActivityKind which, bool on) { on ? NEED(cuptiActivityEnable(which)) : NEED(cuptiActivityDisable(which)); }

void turn(bool on) {
  if (has("kernel")) kind(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, on);
  if (has("serial")) kind(CUPTI_ACTIVITY_KIND_KERNEL, on);
  if (has("copies")) kind(CUPTI_ACTIVITY_KIND_MEMCPY, on), kind(CUPTI_ACTIVITY_KIND_MEMSET, on);
  if (has("driver")) each_launch(CUPTI_CB_DOMAIN_DRIVER_API, false, on);
  if (has("runtime")) each_launch(CUPTI_CB_DOMAIN_RUNTIME_API, false, on);
  if (has("driver-records")) each_launch(CUPTI_CB_DOMAIN_DRIVER_API, true, on);
  if (has("runtime-records")) each_launch(CUPTI_CB_DOMAIN_RUNTIME_API, true, on);
}

__global__ void add(float* data) { data[threadIdx.x] += 1; }

int open_counter() {
  perf_event_attr what{};
  what.size = sizeof what, what.type = PERF_TYPE_HARDWARE, what.config = PERF_COUNT_HW_INSTRUCTIONS, what.exclude_kernel = 1;
  return static_cast<int>(syscall(SYS_perf_event_open, &what, 0, -1, -1, 0));
}

uint64_t count(int counter) {
  uint64_t out = 0;
  return counter >= 0 && read(counter, &out, sizeof out) == sizeof out ? out : 0;
}

struct Cost {
  double ns, instructions;
};

Cost burst(float* data, int counter) {
  for (int i = 0; i < kWarm; ++i) add<<<1, 128>>>(data);
  cudaDeviceSynchronize();
  const uint64_t before = count(counter);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kBurst; ++i) add<<<1, 128>>>(data);
  const double ns = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
  const double instructions = static_cast<double>(count(counter) - before) / kBurst;
  cudaDeviceSynchronize();
  return {ns / kBurst, instructions};
}

double at_share(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(share * static_cast<double>(values.size() - 1))];
}

}  // namespace

int main(int argc, char** argv) {
  const int pairs = argc > 1 ? std::atoi(argv[1]) : 100;
  parts.assign(argv + std::min(argc, 2), argv + argc);
  prepare();
  float* data = nullptr;
  if (cudaMalloc(&data, 512) != cudaSuccess) return std::puts("no device"), 1;
  cpu_set_t core;  // this thread's alone: CUPTI's own run where they like
  CPU_ZERO(&core);
  CPU_SET(sched_getcpu(), &core);
  sched_setaffinity(0, sizeof core, &core);
  const int counter = open_counter();
  for (int i = 0; i < 20; ++i) burst(data, counter);
  std::vector<double> off, on, more, off_instructions, on_instructions;
  for (int i = 0; i < pairs; ++i) {
    turn(false);
    const Cost without = burst(data, counter);
    turn(true);
    const Cost with = burst(data, counter);
    if (i % 8 == 7 && !has("bare")) cuptiActivityFlushAll(0);
    off.push_back(without.ns), on.push_back(with.ns), more.push_back(with.ns - without.ns);
    off_instructions.push_back(without.instructions), on_instructions.push_back(with.instructions);
  }
  if (!has("bare")) cuptiActivityFlushAll(1);
  std::printf("{\"off_ns\": %.0f, \"on_ns\": %.0f, \"more_ns\": %.0f, \"quarter\": %.0f, \"three_quarters\": %.0f, "
              "\"off_instructions\": %.0f, \"on_instructions\": %.0f, \"records\": %zu, \"buffers\": %zu, \"calls\": %zu}\n",
              at_share(off, 0.5), at_share(on, 0.5), at_share(more, 0.5), at_share(more, 0.25), at_share(more, 0.75),
              at_share(off_instructions, 0.5), at_share(on_instructions, 0.5), records.load(), buffers.load(), calls);
}
