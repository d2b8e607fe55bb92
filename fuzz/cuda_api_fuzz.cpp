// Programs that misuse the emulated runtime: calls in any order with arguments of any kind, on a fat binary that may be
// broken. Input: 16 bits, the size of a fat binary, that binary, then calls: a byte says which, more say with what.
// Host pointers are as good as a program's own: what CUDA itself reads without a check is not made up here.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <tuple>

#include "warplens/cuda_api/graphs/nodes.h"
#include "warplens/cuda_api/runtime.h"

using namespace warplens::cuda_api;
using HostFunction = void (*)(void*);
using Arguments = const void* const*;  // of a kernel: where each lies

#define WL_CALLS(CALL)                                                                                        \
  CALL(cudaSetDevice, int)                                                                                    \
  CALL(cudaGetDevice, int*)                                                                                   \
  CALL(cudaDeviceGetAttribute, int*, int, int)                                                                \
  CALL(cudaDeviceSynchronize)                                                                                 \
  CALL(cudaDeviceReset)                                                                                       \
  CALL(cudaDeviceSetLimit, int, size_t)                                                                       \
  CALL(cudaDeviceGetLimit, size_t*, int)                                                                      \
  CALL(cudaDeviceCanAccessPeer, int*, int, int)                                                               \
  CALL(cudaDeviceEnablePeerAccess, int, unsigned)                                                             \
  CALL(cudaDeviceDisablePeerAccess, int)                                                                      \
  CALL(cudaGetLastError)                                                                                      \
  CALL(cudaMalloc, void**, size_t)                                                                            \
  CALL(cudaMallocAsync, void**, size_t, void*)                                                                \
  CALL(cudaMallocManaged, void**, size_t, unsigned)                                                           \
  CALL(cudaMallocHost, void**, size_t)                                                                        \
  CALL(cudaMallocPitch, void**, size_t*, size_t, size_t)                                                      \
  CALL(cudaFree, void*)                                                                                       \
  CALL(cudaFreeAsync, void*, void*)                                                                           \
  CALL(cudaFreeHost, void*)                                                                                   \
  CALL(cudaMemGetInfo, size_t*, size_t*)                                                                      \
  CALL(cudaHostUnregister, void*)                                                                             \
  CALL(cudaHostGetDevicePointer, void**, void*, unsigned)                                                     \
  CALL(cudaMemcpyPeer, void*, int, const void*, int, size_t)                                                  \
  CALL(cudaMemset, void*, int, size_t)                                                                        \
  CALL(cudaMemsetAsync, void*, int, size_t, void*)                                                            \
  CALL(cudaMemset2D, void*, size_t, int, size_t, size_t)                                                      \
  CALL(cudaGetSymbolAddress, void**, const void*)                                                             \
  CALL(cudaGetSymbolSize, size_t*, const void*)                                                               \
  CALL(cudaFuncSetAttribute, const void*, int, int)                                                           \
  CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor, int*, const void*, int, size_t)                         \
  CALL(cudaOccupancyAvailableDynamicSMemPerBlock, size_t*, const void*, int, int)                             \
  CALL(cudaStreamCreateWithPriority, void**, unsigned, int)                                                   \
  CALL(cudaStreamDestroy, void*)                                                                              \
  CALL(cudaStreamSynchronize, void*)                                                                          \
  CALL(cudaStreamQuery, void*)                                                                                \
  CALL(cudaStreamGetPriority, void*, int*)                                                                    \
  CALL(cudaStreamWaitEvent, void*, void*, unsigned)                                                           \
  CALL(cudaStreamBeginCapture, void*, int)                                                                    \
  CALL(cudaStreamEndCapture, void*, void**)                                                                   \
  CALL(cudaStreamIsCapturing, void*, int*)                                                                    \
  CALL(cudaLaunchHostFunc, void*, HostFunction, void*)                                                        \
  CALL(cudaEventCreateWithFlags, void**, unsigned)                                                            \
  CALL(cudaEventDestroy, void*)                                                                               \
  CALL(cudaEventRecord, void*, void*)                                                                         \
  CALL(cudaEventSynchronize, void*)                                                                           \
  CALL(cudaEventElapsedTime, float*, void*, void*)                                                            \
  CALL(cudaGraphCreate, void**, unsigned)                                                                     \
  CALL(cudaGraphDestroy, void*)                                                                               \
  CALL(cudaGraphClone, void**, void*)                                                                         \
  CALL(cudaGraphAddEmptyNode, void**, void*, void* const*, size_t)                                            \
  CALL(cudaGraphAddKernelNode, void**, void*, void* const*, size_t, const KernelNodeParameters*)              \
  CALL(cudaGraphAddMemsetNode, void**, void*, void* const*, size_t, const FillParameters*)                    \
  CALL(cudaGraphAddHostNode, void**, void*, void* const*, size_t, const HostParameters*)                      \
  CALL(cudaGraphAddChildGraphNode, void**, void*, void* const*, size_t, void*)                                \
  CALL(cudaGraphAddEventRecordNode, void**, void*, void* const*, size_t, void*)                               \
  CALL(cudaGraphAddEventWaitNode, void**, void*, void* const*, size_t, void*)                                 \
  CALL(cudaGraphAddMemFreeNode, void**, void*, void* const*, size_t, void*)                                   \
  CALL(cudaGraphNodeGetType, void*, int*)                                                                     \
  CALL(cudaGraphDestroyNode, void*)                                                                           \
  CALL(cudaGraphInstantiate, void**, void*, unsigned long long)                                               \
  CALL(cudaGraphNodeSetEnabled, void*, void*, unsigned)                                                       \
  CALL(cudaGraphExecKernelNodeSetParams, void*, void*, const KernelNodeParameters*)                           \
  CALL(cudaGraphExecDestroy, void*)                                                                           \
  CALL(cudaGraphLaunch, void*, void*)                                                                         \
  CALL(cudaMallocArray, void**, const ChannelDescription*, size_t, size_t, unsigned)                          \
  CALL(cudaFreeArray, void*)                                                                                  \
  CALL(cudaMemcpy2DArrayToArray, void*, size_t, size_t, void*, size_t, size_t, size_t, size_t, int)           \
  CALL(cudaCreateTextureObject, uint64_t*, const ResourceDescription*, const TextureDescription*, const int*) \
  CALL(cudaCreateSurfaceObject, uint64_t*, const ResourceDescription*)                                        \
  CALL(cudaDestroyTextureObject, uint64_t)                                                                    \
  CALL(cudaDeviceGetDefaultMemPool, void**, int)                                                              \
  CALL(cudaDeviceSetMemPool, int, void*)                                                                      \
  CALL(cudaMemPoolDestroy, void*)                                                                             \
  CALL(cudaMallocFromPoolAsync, void**, size_t, void*, void*)                                                 \
  CALL(cudaLaunchKernel, const void*, Dim3, Dim3, Arguments, size_t, void*)                                   \
  CALL(cudaLaunchCooperativeKernel, const void*, Dim3, Dim3, Arguments, size_t, void*)                        \
  CALL(cudaLaunchKernelExC, const LaunchConfiguration*, const void*, Arguments)                               \
  CALL(cuCtxSetCurrent, void*)                                                                                \
  CALL(cuCtxPopCurrent_v2, void**)                                                                            \
  CALL(cuCtxDestroy_v2, void*)                                                                                \
  CALL(cuDevicePrimaryCtxRetain, void**, int)                                                                 \
  CALL(cuModuleUnload, void*)                                                                                 \
  CALL(cuModuleGetFunction, void**, void*, const char*)                                                       \
  CALL(cuModuleGetGlobal_v2, uint64_t*, size_t*, void*, const char*)                                          \
  CALL(cudaGraphKernelNodeGetParams, void*, void**)                                                           \
  CALL(cudaGraphMemsetNodeGetParams, void*, void**)                                                           \
  CALL(cudaGraphMemcpyNodeGetParams, void*, void**)                                                           \
  CALL(cudaGraphHostNodeGetParams, void*, void**)                                                             \
  CALL(cudaGraphMemFreeNodeGetParams, void*, void**)                                                          \
  CALL(cudaGraphChildGraphNodeGetGraph, void*, void**)                                                        \
  CALL(cudaGraphEventRecordNodeSetEvent, void*, void*)                                                        \
  CALL(cudaGraphNodeFindInClone, void**, void*, void*)                                                        \
  CALL(cudaGraphKernelNodeSetParams, void*, const KernelNodeParameters*)                                      \
  CALL(cudaGraphMemsetNodeSetParams, void*, const FillParameters*)                                            \
  CALL(cudaGraphKernelNodeCopyAttributes, void*, void*)                                                       \
  CALL(cudaGraphExecChildGraphNodeSetParams, void*, void*, void*)                                             \
  CALL(cudaGraphRetainUserObject, void*, void*, unsigned, unsigned)                                           \
  CALL(cudaGraphReleaseUserObject, void*, void*, unsigned)                                                    \
  CALL(cudaUserObjectCreate, void**, void*, HostFunction, unsigned, unsigned)                                 \
  CALL(cudaUserObjectRelease, void*, unsigned)                                                                \
  CALL(cudaStreamBeginCaptureToGraph, void*, void*, void* const*, const void*, size_t, int)                   \
  CALL(cudaFuncGetParamInfo, const void*, size_t, size_t*, size_t*)                                           \
  CALL(cudaMemPrefetchAsync, const void*, size_t, uint64_t, unsigned, void*)                                  \
  CALL(cudaMemAdvise, const void*, size_t, int, uint64_t)                                                     \
  CALL(cuStreamEndCapture, void*, void**)                                                                     \
  CALL(cuGraphLaunch, void*, void*)                                                                           \
  CALL(cudaIpcGetMemHandle)

extern "C" {
#define WL_DECLARE(name, ...) int name(__VA_ARGS__);
WL_CALLS(WL_DECLARE)
#undef WL_DECLARE
int cudaMemcpyAsync(void*, const void*, size_t, int, void*);
int cudaGraphAddDependencies(void*, void* const*, void* const*, const void*, size_t);
int cudaMemcpy2DAsync(void*, size_t, const void*, size_t, size_t, size_t, int, void*);
int cuModuleLoadData(void**, const void*);
void** __cudaRegisterFatBinary(const void*);
void __cudaUnregisterFatBinary(void**);
void __cudaRegisterFunction(void**, const void*, char*, const char*, int, void*, void*, void*, void*, int*);
void __cudaRegisterVar(void**, const void*, char*, const char*, int, size_t, int, int);
}

namespace {

constexpr size_t kHostBytes = 1 << 16, kMostOfCopy = 1 << 10;
constexpr const char* kKernel = "_Z5scaleIfEvPT_S0_i";  // of tests/data/fatbin
int stands_for_kernel, stands_for_variable;

/// What a call may be handed: made of the input, and of what calls before gave.
class Caller {
 public:
  Caller(const uint8_t* data, size_t size) : at_(data), end_(data + size) {}
  bool done() const { return at_ == end_; }
  uint8_t byte() { return done() ? 0 : *at_++; }
  uint64_t number() {
    constexpr uint64_t kEdges[] = {0, 1, 2, 32, 255, 1024, 4096, 1u << 20, uint64_t{1} << 40, ~uint64_t{0}};
    const uint8_t choice = byte();
    return choice < 128 ? choice : kEdges[choice % std::size(kEdges)];
  }
  /// A handle or device address: what a call gave, near to it, a default stream, or nobody's.
  void* handle() {
    const uint8_t choice = byte();
    const auto some = reinterpret_cast<uintptr_t>(slots_[choice % std::size(slots_)]);
    switch (choice >> 5) {
      case 0: return reinterpret_cast<void*>(uintptr_t{choice} % 4);
      case 1: return reinterpret_cast<void*>(some + number() % (uint64_t{1} << 41));
      case 2: return reinterpret_cast<void*>(uintptr_t{0xdead000000} + choice);
      default: return reinterpret_cast<void*>(some);
    }
  }
  void* host() { return byte() % 8 == 0 ? nullptr : host_; }
  void* out() { return byte() % 8 == 0 ? nullptr : &slots_[byte() % std::size(slots_)]; }
  void** list() {
    for (size_t i = 0; i < 4; ++i) list_[i] = handle();
    return byte() % 8 == 0 ? nullptr : list_;
  }
  Arguments arguments() {
    for (const void*& each : arguments_) each = host_;
    return byte() % 8 == 0 ? nullptr : arguments_;
  }
  const void* function() { return byte() % 4 == 0 ? handle() : &stands_for_kernel; }
  uint8_t* room() { return host_; }

 private:
  const uint8_t *at_, *end_;
  uint64_t slots_[16]{};
  void* list_[1 << 10]{};  // more than there are calls
  const void* arguments_[1 << 12]{};
  alignas(16) uint8_t host_[kHostBytes]{};
};

template <typename T>
struct Make;
template <>
struct Make<const void*> {
  static const void* from(Caller& c) { return c.byte() % 2 ? c.function() : c.handle(); }
};
template <>
struct Make<void*> {
  static void* from(Caller& c) { return c.handle(); }
};
template <>
struct Make<void**> {
  static void** from(Caller& c) { return static_cast<void**>(c.out()); }
};
template <>
struct Make<void* const*> {
  static void* const* from(Caller& c) { return c.list(); }
};
template <>
struct Make<Arguments> {
  static Arguments from(Caller& c) { return c.arguments(); }
};
template <>
struct Make<HostFunction> {
  static HostFunction from(Caller& c) {
    const HostFunction idle = [](void*) {};
    return c.byte() % 4 == 0 ? nullptr : idle;
  }
};
template <>
struct Make<const char*> {
  static const char* from(Caller& c) { return c.byte() % 8 == 0 ? nullptr : c.byte() % 2 ? kKernel : "nobody"; }
};
template <>
struct Make<Dim3> {
  static Dim3 from(Caller& c) {
    const auto side = [&] { return static_cast<uint32_t>(c.byte() % 4 == 0 ? c.number() : c.byte() % 4); };
    return {side(), side(), side()};
  }
};
template <typename T>
  requires std::is_integral_v<T>
struct Make<T> {
  static T from(Caller& c) { return static_cast<T>(c.number()); }
};
template <typename T>
  requires std::is_arithmetic_v<T> && (!std::is_const_v<T>)
struct Make<T*> {
  static T* from(Caller& c) { return static_cast<T*>(c.out()); }
};

void fill(Caller& c, ChannelDescription& d) {
  constexpr int kBits[] = {0, 8, 16, 32, 7};
  d = {kBits[c.byte() % 5], kBits[c.byte() % 5], kBits[c.byte() % 5], kBits[c.byte() % 5], c.byte() % 4};
}
void fill(Caller& c, KernelNodeParameters& p) {
  p = {const_cast<void*>(c.function()),
       Make<Dim3>::from(c),
       Make<Dim3>::from(c),
       static_cast<uint32_t>(c.number()),
       const_cast<void**>(c.arguments()),
       nullptr};
}
void fill(Caller& c, FillParameters& p) {
  p = {c.handle(), c.number(), c.byte(), c.byte() % 8u, c.number(), c.number()};
}
void fill(Caller& c, HostParameters& p) { p = {Make<HostFunction>::from(c), c.handle()}; }
void fill(Caller& c, LaunchConfiguration& p) {
  static LaunchAttribute attribute;
  attribute.id = c.byte() % 16;
  attribute.value.dim = Make<Dim3>::from(c);
  p = {Make<Dim3>::from(c), Make<Dim3>::from(c), c.number(), c.handle(), c.byte() % 4 ? &attribute : nullptr,
       c.byte() % 2u};
}
void fill(Caller& c, ResourceDescription& p) {
  p.kind = c.byte() % 5;
  p.linear = {c.handle(), {}, c.number(), c.number(), c.number()};
  if (p.kind != kArrayResource) fill(c, p.linear.channels);
}
void fill(Caller& c, TextureDescription& p) {
  p = {{c.byte() % 5, c.byte() % 5, c.byte() % 5},
       c.byte() % 2,
       c.byte() % 2,
       c.byte() % 2,
       {},
       c.byte() % 2,
       0,
       0,
       0,
       0,
       0,
       0,
       0};
}
template <typename T>
  requires std::is_class_v<T>
struct Make<const T*> {
  static const T* from(Caller& c) {
    static T made;
    if (c.byte() % 16 == 0) return nullptr;
    fill(c, made);
    return &made;
  }
};
template <>
struct Make<const int*> {
  static const int* from(Caller&) { return nullptr; }
};

template <typename... A>
void call(Caller& caller, int (*function)(A...)) {
  std::tuple<A...> made{Make<A>::from(caller)...};
  (void)std::apply(function, made);
}

/// Between the host's memory, of which a copy stays within, and any address.
void copy(Caller& c) {
  const int kind = c.byte() % 6 - (c.byte() % 32 == 0);
  const bool up = c.byte() % 2;
  void *there = c.byte() % 4 ? c.handle() : c.room(), *here = c.host();
  const bool checked = kind == kDeviceToDevice || kind == (up ? kHostToDevice : kDeviceToHost);
  if (!checked) there = c.room();  // any other side may be any memory of the host
  const size_t rows = c.byte() % 16, width = c.number();
  const bool fits = width <= kMostOfCopy;
  if (!fits && there == c.room()) return;
  void *to = up ? there : here, *from = up ? here : there;
  if (c.byte() % 2) (void)cudaMemcpyAsync(to, from, width, kind, c.handle());
  else if (fits) (void)cudaMemcpy2DAsync(to, kMostOfCopy, from, kMostOfCopy, width, rows, kind, c.handle());
}

void depend(Caller& c) {
  void* const* nodes = c.list();
  if (nodes == nullptr) return;
  (void)cudaGraphAddDependencies(c.handle(), nodes, nodes + 2, nullptr, c.byte() % 3u);
}

using Entry = void (*)(Caller&);
#define WL_ENTRY(name, ...) [](Caller& c) { call(c, &name); },
constexpr Entry kEntries[] = {copy, copy, depend, WL_CALLS(WL_ENTRY)};
#undef WL_ENTRY

void start() {
  ::setenv("WARPLENS_EMULATED_BUDGET", "0.05", 1);
  ::setenv("WARPLENS_THREADS", "1", 1);
  std::freopen("/dev/null", "w", stderr);  // each refusal is told there
}

/// The fat binary says how long it is; what lies behind it is not the runtime's.
std::string container_of(const uint8_t* data, size_t size) {
  constexpr size_t kHeader = 16;
  std::string out(reinterpret_cast<const char*>(data), size);
  if (out.size() < kHeader) out.resize(kHeader);
  const uint16_t header = kHeader;
  const uint64_t rest = out.size() - kHeader;
  std::memcpy(out.data() + 6, &header, sizeof header);
  std::memcpy(out.data() + 8, &rest, sizeof rest);
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const bool started = (start(), true);
  if (!started || size < 2) return 0;
  const size_t image_bytes = std::min<size_t>(data[0] | data[1] << 8, size - 2);
  const std::string image = container_of(data + 2, image_bytes);
  const struct {
    int magic = 0x466243b1, version = 1;
    const void* data;
    const void* more = nullptr;
  } wrapper{.data = image.data()};
  void** module = __cudaRegisterFatBinary(&wrapper);
  __cudaRegisterFunction(module, &stands_for_kernel, nullptr, kKernel, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  __cudaRegisterVar(module, &stands_for_variable, nullptr, "table", 0, 4, 0, 0);
  Caller caller(data + 2 + image_bytes, size - 2 - image_bytes);
  if (caller.byte() % 4 == 0) (void)cuModuleLoadData(static_cast<void**>(caller.out()), image.data());
  while (!caller.done()) kEntries[caller.byte() % std::size(kEntries)](caller);
  (void)cudaDeviceReset();
  __cudaUnregisterFatBinary(module);
  Runtime& runtime = Runtime::get();
  runtime.functions.clear();
  runtime.variables.clear();
  runtime.graph_execs.clear();
  runtime.graphs.clear();
  runtime.modules.clear();
  return 0;
}
