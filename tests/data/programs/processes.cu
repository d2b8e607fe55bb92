// Memory and events of one process in another, and memory that is mapped twice. Each part prints one line.
#include <cuda.h>
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

constexpr int kCount = 70000;  // more than a page, and no multiple of one

__global__ void add(int* values, int count, int more) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] += more;
}

void must(int error, const char* what) {
  if (error == 0) return;
  std::printf("%s: %s\n", what, cudaGetErrorName(static_cast<cudaError_t>(error)));
  std::exit(1);
}

template <typename T>
std::string hex(const T& bytes) {
  std::string out;
  char two[3];
  for (size_t i = 0; i < sizeof(T); ++i) {
    std::snprintf(two, sizeof two, "%02x", reinterpret_cast<const unsigned char*>(&bytes)[i]);
    out += two;
  }
  return out;
}

template <typename T>
T unhex(const char* text) {
  T out;
  for (size_t i = 0; i < sizeof(T); ++i) {
    unsigned value = 0;
    std::sscanf(text + 2 * i, "%2x", &value);
    reinterpret_cast<unsigned char*>(&out)[i] = static_cast<unsigned char>(value);
  }
  return out;
}

int child(char** words) {
  const auto memory = unhex<cudaIpcMemHandle_t>(words[2]);
  const auto event = unhex<cudaIpcEventHandle_t>(words[3]);
  int *values = nullptr, *again = nullptr;
  must(cudaIpcOpenMemHandle(reinterpret_cast<void**>(&values), memory, cudaIpcMemLazyEnablePeerAccess), "open");
  must(cudaIpcOpenMemHandle(reinterpret_cast<void**>(&again), memory, cudaIpcMemLazyEnablePeerAccess), "open again");
  cudaEvent_t ready;
  must(cudaIpcOpenEventHandle(&ready, event), "open event");
  must(cudaStreamWaitEvent(nullptr, ready, 0), "wait");
  add<<<(kCount + 255) / 256, 256>>>(values, kCount, 1000);
  must(cudaDeviceSynchronize(), "child");
  int last = 0;
  must(cudaMemcpy(&last, values + kCount - 1, sizeof last, cudaMemcpyDeviceToHost), "copy");
  std::printf("child: the same place: %s, last %d, cudaFree: %s\n", values == again ? "yes" : "no", last,
              cudaGetErrorName(cudaFree(values)));
  must(cudaIpcCloseMemHandle(values), "close");
  must(cudaIpcCloseMemHandle(values), "close");
  std::printf("child: closed once more: %s\n", cudaGetErrorName(cudaIpcCloseMemHandle(values)));
  return 0;
}

int parent(const char* self) {
  int *before = nullptr, *values = nullptr, *behind = nullptr;
  must(cudaMalloc(&before, 40), "cudaMalloc");
  must(cudaMalloc(&values, kCount * sizeof(int)), "cudaMalloc");
  must(cudaMalloc(&behind, 40), "cudaMalloc");
  must(cudaMemset(before, 1, 40), "cudaMemset");
  must(cudaMemset(behind, 2, 40), "cudaMemset");
  std::string made(kCount * sizeof(int), '\0');
  for (int i = 0; i < kCount; ++i) std::memcpy(&made[i * sizeof(int)], &i, sizeof i);
  must(cudaMemcpy(values, made.data(), made.size(), cudaMemcpyHostToDevice), "copy");
  cudaEvent_t ready, timed;
  must(cudaEventCreateWithFlags(&ready, cudaEventInterprocess | cudaEventDisableTiming), "event");
  must(cudaEventCreate(&timed), "event");
  cudaIpcMemHandle_t memory, other;
  cudaIpcEventHandle_t event;
  must(cudaIpcGetMemHandle(&memory, values), "export");
  must(cudaIpcGetMemHandle(&other, behind), "export the neighbour");
  must(cudaIpcGetEventHandle(&event, ready), "export event");
  must(cudaEventRecord(ready, nullptr), "record");
  void* own = nullptr;
  std::printf("own handle: %d, a timed event: %s\n", cudaIpcOpenMemHandle(&own, memory, cudaIpcMemLazyEnablePeerAccess),
              cudaGetErrorName(cudaIpcGetEventHandle(&event, timed)));
  must(cudaIpcGetEventHandle(&event, ready), "export event");
  std::fflush(stdout);
  const std::string command = std::string(self) + " child " + hex(memory) + " " + hex(event);
  if (std::system(command.c_str()) != 0) return 1;
  int sum = 0, edge[2] = {};
  must(cudaMemcpy(made.data(), values, made.size(), cudaMemcpyDeviceToHost), "copy");
  for (int i = 0; i < kCount; ++i) {
    int value = 0;
    std::memcpy(&value, &made[i * sizeof(int)], sizeof value);
    sum += value == i + 1000;
  }
  must(cudaFree(values), "free");
  must(cudaFree(behind), "free");
  must(cudaMemcpy(&edge[0], before, sizeof(int), cudaMemcpyDeviceToHost), "copy");
  std::printf("parent: %d of %d right, neighbour %#x\n", sum, kCount, edge[0]);
  must(cudaMalloc(&values, kCount * sizeof(int)), "cudaMalloc");
  add<<<1, 32>>>(values, 32, 1);
  std::printf("after the free: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  const std::string late = std::string(self) + " late " + hex(memory);
  std::fflush(stdout);
  return std::system(late.c_str());
}

/// One allocation at two addresses, beside another one; and in the place of a third that was taken away.
int mapped() {
  must(cudaFree(nullptr), "context");
  CUmemAllocationProp made{};
  made.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  made.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  made.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  size_t unit = 0;
  must(cuMemGetAllocationGranularity(&unit, &made, CU_MEM_ALLOC_GRANULARITY_MINIMUM), "granularity");
  CUdeviceptr at = 0;
  CUmemGenericAllocationHandle first, second, imported;
  must(cuMemAddressReserve(&at, 4 * unit, 0, 0, 0), "reserve");
  must(cuMemCreate(&first, unit, &made, 0), "create");
  must(cuMemCreate(&second, unit, &made, 0), "create");
  int descriptor = -1;
  must(cuMemExportToShareableHandle(&descriptor, first, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0), "export");
  void* given = reinterpret_cast<void*>(static_cast<intptr_t>(descriptor));
  must(cuMemImportFromShareableHandle(&imported, given, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR), "import");
  close(descriptor);
  must(cuMemMap(at, unit, 0, first, 0), "map");
  must(cuMemMap(at + unit, unit, 0, second, 0), "map");
  must(cuMemMap(at + 2 * unit, unit, 0, imported, 0), "map");
  CUmemAccessDesc access{made.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  must(cuMemSetAccess(at, 3 * unit, &access, 1), "access");
  const int count = static_cast<int>(3 * unit / sizeof(int));
  must(cudaMemset(reinterpret_cast<void*>(at), 0, 3 * unit), "fill across mappings");
  add<<<(count + 255) / 256, 256>>>(reinterpret_cast<int*>(at), count, 5);
  must(cudaDeviceSynchronize(), "kernel");
  int seen[3] = {};
  for (int i = 0; i < 3; ++i) must(cuMemcpyDtoH(&seen[i], at + i * unit, sizeof(int)), "copy");
  std::printf("mapped twice: %d %d %d\n", seen[0], seen[1], seen[2]);  // both views have got both additions
  must(cuMemUnmap(at + unit, unit), "unmap");
  must(cuMemRelease(first), "release");
  must(cuMemcpyDtoH(&seen[0], at, sizeof(int)), "copy from what a mapping still has");
  std::printf("unmapped: copy %d, free with a mapping %d\n", cuMemcpyDtoH(&seen[1], at + unit, sizeof(int)),
              cuMemAddressFree(at, 4 * unit));
  add<<<1, 1>>>(reinterpret_cast<int*>(at + unit), 1, 1);
  std::printf("a kernel where nothing is mapped: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}

/// A call that changed is found in the form of the version that is asked for.
int forms() {
  int (*now)() = nullptr;
  void *old_form = nullptr, *new_form = nullptr;
  must(cudaFree(nullptr), "context");
  must(cuGetProcAddress("cuCtxSynchronize", reinterpret_cast<void**>(&now), 12000, 0, nullptr), "cuGetProcAddress");
  must(cuGetProcAddress("cuCtxCreate", &old_form, 3020, 0, nullptr), "cuGetProcAddress");
  must(cuGetProcAddress("cuCtxCreate", &new_form, 12050, 0, nullptr), "cuGetProcAddress");
  std::printf("forms: %d %s\n", now(), old_form != new_form ? "differ" : "the same");
  return 0;
}

int main(int argc, char** argv) {
  const std::string part = argc > 1 ? argv[1] : "parent";
  if (part == "child") return child(argv);
  if (part == "mapped") return mapped();
  if (part == "forms") return forms();
  if (part == "late") {
    void* values = nullptr;
    auto memory = unhex<cudaIpcMemHandle_t>(argv[2]);
    memory.reserved[20] ^= 1;  // of another process, as after a restart
    std::printf("a stale handle: %d\n", cudaIpcOpenMemHandle(&values, memory, cudaIpcMemLazyEnablePeerAccess));
    return 0;
  }
  return parent(argv[0]);
}
