// What the CUDA driver answers where no context is current, and what it keeps: a line an answer, its name and numbers.
// nvcc -arch=sm_90 -o driver_state driver_state.cu; ./driver_state > driver_state.txt
// Beside an emulated GPU: warplens emulate -- ./driver_state. docs/results/error-codes.md has both.
#include <cuda.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

template <class F>
F* driver(const char* name) {
  static void* library = dlopen("libcuda.so.1", RTLD_NOW);
  return reinterpret_cast<F*>(dlsym(library, name));
}
#define CU(name, ...) static_cast<int>(driver<decltype(name)>(#name)(__VA_ARGS__))
#define CU2(name, ...) static_cast<int>(driver<decltype(name##_v2)>(#name "_v2")(__VA_ARGS__))

__constant__ int table[100];
__global__ void look_up(int* out) { out[threadIdx.x] = table[threadIdx.x]; }

const std::string kHead = ".version 8.0\n.target sm_80\n.address_size 64\n";
const std::string kStore = kHead +
    ".visible .const .align 4 .b8 numbers[400];\n.visible .global .align 4 .b8 variable[16];\n"
    ".visible .entry store(.param .u64 p) { .reg .b64 a; .reg .b32 b; ld.param.u64 a,[p]; ld.const.u32 b,[numbers]; add.u32 b,b,1; "
    "st.global.u32 [a],b; ret; }\n";
const std::string kCaller = kHead +
    ".extern .func (.param .u32 r) twice(.param .u32 x);\n.visible .entry call(.param .u64 p) { .reg .b64 a; .reg .b32 b; ld.param.u64 a,[p];\n"
    "{ .param .u32 x; .param .u32 r; st.param.u32 [x], 21; call.uni (r), twice, (x); ld.param.u32 b, [r]; }\nst.global.u32 [a],b; ret; }\n";
const std::string kCallee = kHead +
    ".visible .func (.param .u32 r) twice(.param .u32 x) { .reg .b32 a; ld.param.u32 a,[x]; add.u32 a,a,a; st.param.u32 [r],a; ret; }\n";

CUcontext context;
CUmodule module;
CUfunction store;
CUstream stream;
CUevent event;
CUdeviceptr memory;
CUmemoryPool pool;
char host[4096];

void say(const char* name, long long a, long long b = 0) { std::printf("%s %lld %lld\n", name, a, b); }

/// Runs the call without a current context, and makes the context current again.
template <class F>
void alone(const char* name, F f) {
  CU(cuCtxSetCurrent, nullptr);
  const int code = f();
  void* now = nullptr;
  CU(cuCtxGetCurrent, reinterpret_cast<CUcontext*>(&now));
  CU(cuCtxSetCurrent, context);
  say(name, code, now != nullptr);
}
#define ALONE(name, ...) alone("alone_" name, []() -> int { __VA_ARGS__; })

void primary(const char* when) {
  unsigned flags = 99;
  int active = 99;
  const int code = CU(cuDevicePrimaryCtxGetState, 0, &flags, &active);
  say((std::string("primary_") + when).c_str(), code, active * 100 + static_cast<int>(flags));
}

void primary_context() {
  primary("before_init");
  CU(cuInit, 0);
  primary("after_init");
  say("primary_release_unretained", CU2(cuDevicePrimaryCtxRelease, 0));
  say("primary_set_flags", CU2(cuDevicePrimaryCtxSetFlags, 0, CU_CTX_SCHED_BLOCKING_SYNC));
  primary("after_flags");
  CU(cuDevicePrimaryCtxRetain, &context, 0);
  primary("after_retain");
  say("primary_set_flags_active", CU2(cuDevicePrimaryCtxSetFlags, 0, CU_CTX_SCHED_SPIN));
  primary("after_flags_active");
  CU(cuDevicePrimaryCtxRetain, &context, 0);
  say("primary_release_1", CU2(cuDevicePrimaryCtxRelease, 0));
  primary("after_release_1");
  say("primary_release_2", CU2(cuDevicePrimaryCtxRelease, 0));
  primary("after_release_2");
  say("primary_release_3", CU2(cuDevicePrimaryCtxRelease, 0));
  CU(cuDevicePrimaryCtxRetain, &context, 0);
  say("primary_reset", CU2(cuDevicePrimaryCtxReset, 0));
  primary("after_reset");
  CU2(cuDevicePrimaryCtxRelease, 0);
  cudaFree(nullptr);
  primary("after_runtime");
  cudaDeviceReset();
  primary("after_runtime_reset");
}

void prepare() {
  CU(cuInit, 0);
  CU(cuDevicePrimaryCtxRetain, &context, 0);
  CU(cuCtxSetCurrent, context);
  CU(cuModuleLoadData, &module, kStore.c_str());
  CU(cuModuleGetFunction, &store, module, "store");
  CU(cuStreamCreate, &stream, 0);
  CU(cuEventCreate, &event, 0);
  CU(cuEventRecord, event, stream);
  CU2(cuMemAlloc, &memory, 4096);
  CU(cuDeviceGetDefaultMemPool, &pool, 0);
  CU(cuCtxSynchronize);
}

CUmemAllocationProp property() {
  CUmemAllocationProp out{};
  out.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  out.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  return out;
}

void contexts_alone() {
  ALONE("ctx_device", CUdevice d; return CU(cuCtxGetDevice, &d));
  ALONE("ctx_flags", unsigned f; return CU(cuCtxGetFlags, &f));
  ALONE("ctx_set_flags", return CU(cuCtxSetFlags, 0));
  ALONE("ctx_id", unsigned long long n; return CU(cuCtxGetId, nullptr, &n));
  ALONE("ctx_api_version", unsigned n; return CU(cuCtxGetApiVersion, nullptr, &n));
  ALONE("ctx_api_version_given", unsigned n; return CU(cuCtxGetApiVersion, context, &n));
  ALONE("ctx_pop", CUcontext c; return CU2(cuCtxPopCurrent, &c));
  ALONE("ctx_synchronize", return CU(cuCtxSynchronize));
  ALONE("ctx_limit", size_t n; return CU(cuCtxGetLimit, &n, CU_LIMIT_STACK_SIZE));
  ALONE("ctx_set_limit", return CU(cuCtxSetLimit, CU_LIMIT_STACK_SIZE, 1024));
  ALONE("ctx_cache", CUfunc_cache c; return CU(cuCtxGetCacheConfig, &c));
  ALONE("ctx_priorities", int a; int b; return CU(cuCtxGetStreamPriorityRange, &a, &b));
  ALONE("ctx_reset_l2", return CU(cuCtxResetPersistingL2Cache));
  ALONE("ctx_enable_peer", return CU(cuCtxEnablePeerAccess, context, 0));
  ALONE("ctx_detach", return CU(cuCtxDetach, context));
  ALONE("device_attribute", int n; return CU(cuDeviceGetAttribute, &n, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
}
void memory_alone() {
  ALONE("alloc", CUdeviceptr p; return CU2(cuMemAlloc, &p, 64));
  ALONE("alloc_0", CUdeviceptr p; return CU2(cuMemAlloc, &p, 0));
  ALONE("alloc_managed", CUdeviceptr p; return CU(cuMemAllocManaged, &p, 64, CU_MEM_ATTACH_GLOBAL));
  ALONE("alloc_pitch", CUdeviceptr p; size_t n; return CU2(cuMemAllocPitch, &p, &n, 64, 4, 4));
  ALONE("alloc_host", void* p; return CU2(cuMemAllocHost, &p, 64));
  ALONE("alloc_async_null", CUdeviceptr p; return CU(cuMemAllocAsync, &p, 64, nullptr));
  ALONE("alloc_async_stream", CUdeviceptr p; return CU(cuMemAllocAsync, &p, 64, stream));
  ALONE("alloc_from_pool", CUdeviceptr p; return CU(cuMemAllocFromPoolAsync, &p, 64, pool, stream));
  ALONE("free_null", return CU2(cuMemFree, 0));
  ALONE("free_garbage", return CU2(cuMemFree, 12345));
  CUdeviceptr mine = 0;
  CU2(cuMemAlloc, &mine, 64);
  alone("alone_free", [&] { return CU2(cuMemFree, mine); });
  void* pinned = nullptr;
  CU2(cuMemAllocHost, &pinned, 64);
  alone("alone_free_host", [&] { return CU(cuMemFreeHost, pinned); });
  ALONE("register", return CU2(cuMemHostRegister, host, sizeof host, 0));
  ALONE("unregister", return CU(cuMemHostUnregister, host));
  ALONE("info", size_t a; size_t b; return CU2(cuMemGetInfo, &a, &b));
  ALONE("range", CUdeviceptr p; size_t n; return CU2(cuMemGetAddressRange, &p, &n, memory));
  ALONE("pointer_type", unsigned n; return CU(cuPointerGetAttribute, &n, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory));
  ALONE("pointer_context", CUcontext c; return CU(cuPointerGetAttribute, &c, CU_POINTER_ATTRIBUTE_CONTEXT, memory));
  ALONE("pointer_host", unsigned n; return CU(cuPointerGetAttribute, &n, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, reinterpret_cast<CUdeviceptr>(host)));
  ALONE("pointer_attributes", unsigned n; void* to = &n; auto a = CU_POINTER_ATTRIBUTE_MEMORY_TYPE; return CU(cuPointerGetAttributes, 1, &a, &to, memory));
  ALONE("copy_to_device", return CU2(cuMemcpyHtoD, memory, host, 64));
  ALONE("copy", return CU(cuMemcpy, memory, reinterpret_cast<CUdeviceptr>(host), 64));
  ALONE("copy_async", return CU2(cuMemcpyHtoDAsync, memory, host, 64, stream));
  ALONE("fill", return CU2(cuMemsetD8, memory, 0, 64));
  ALONE("fill_async", return CU(cuMemsetD8Async, memory, 0, 64, stream));
  ALONE("granularity", size_t n; auto q = property(); return CU(cuMemGetAllocationGranularity, &n, &q, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  CUdeviceptr place = 0;
  CUmemGenericAllocationHandle made = 0;
  const auto kind = property();
  const CUmemAccessDesc access{{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  alone("alone_reserve", [&] { return CU(cuMemAddressReserve, &place, 2 << 20, 0, 0, 0); });
  alone("alone_create", [&] { return CU(cuMemCreate, &made, 2 << 20, &kind, 0); });
  alone("alone_map", [&] { return CU(cuMemMap, place, 2 << 20, 0, made, 0); });
  alone("alone_access", [&] { return CU(cuMemSetAccess, place, 2 << 20, &access, 1); });
  alone("alone_unmap", [&] { return CU(cuMemUnmap, place, 2 << 20); });
  alone("alone_release", [&] { return CU(cuMemRelease, made); });
  alone("alone_address_free", [&] { return CU(cuMemAddressFree, place, 2 << 20); });
  ALONE("pool_attribute", uint64_t n; return CU(cuMemPoolGetAttribute, pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &n));
  ALONE("pool_create", CUmemoryPool p; CUmemPoolProps q{}; q.allocType = CU_MEM_ALLOCATION_TYPE_PINNED; q.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
        return CU(cuMemPoolCreate, &p, &q));
  ALONE("array", CUarray a; CUDA_ARRAY_DESCRIPTOR q{4, 4, CU_AD_FORMAT_FLOAT, 1}; return CU2(cuArrayCreate, &a, &q));
}
void streams_alone() {
  ALONE("stream_create", CUstream s; return CU(cuStreamCreate, &s, 0));
  ALONE("stream_query", return CU(cuStreamQuery, stream));
  ALONE("stream_query_null", return CU(cuStreamQuery, nullptr));
  ALONE("stream_synchronize", return CU(cuStreamSynchronize, stream));
  ALONE("stream_synchronize_null", return CU(cuStreamSynchronize, nullptr));
  ALONE("stream_flags", unsigned n; return CU(cuStreamGetFlags, stream, &n));
  ALONE("stream_priority", int n; return CU(cuStreamGetPriority, stream, &n));
  ALONE("stream_context", CUcontext c; return CU(cuStreamGetCtx, stream, &c));
  ALONE("stream_context_null", CUcontext c; return CU(cuStreamGetCtx, nullptr, &c));
  ALONE("stream_wait", return CU(cuStreamWaitEvent, stream, event, 0));
  ALONE("stream_capturing", CUstreamCaptureStatus s; return CU(cuStreamIsCapturing, stream, &s));
  ALONE("stream_function", return CU(cuLaunchHostFunc, stream, [](void*) {}, nullptr));
  CUstream mine = nullptr;
  CU(cuStreamCreate, &mine, 0);
  alone("alone_stream_destroy", [&] { return CU2(cuStreamDestroy, mine); });
  ALONE("event_create", CUevent e; return CU(cuEventCreate, &e, 0));
  ALONE("event_record", return CU(cuEventRecord, event, stream));
  ALONE("event_record_null", return CU(cuEventRecord, event, nullptr));
  ALONE("event_query", return CU(cuEventQuery, event));
  ALONE("event_synchronize", return CU(cuEventSynchronize, event));
  ALONE("event_elapsed", float t; return CU(cuEventElapsedTime, &t, event, event));
  CUevent own = nullptr;
  CU(cuEventCreate, &own, 0);
  alone("alone_event_destroy", [&] { return CU2(cuEventDestroy, own); });
  CUgraph graph = nullptr;
  CUgraphExec ready = nullptr;
  CUgraphNode node;
  alone("alone_graph_create", [&] { return CU(cuGraphCreate, &graph, 0); });
  alone("alone_graph_empty", [&] { return CU(cuGraphAddEmptyNode, &node, graph, nullptr, 0); });
  alone("alone_graph_instantiate", [&] { return CU(cuGraphInstantiateWithFlags, &ready, graph, 0); });
  if (ready == nullptr) CU(cuGraphInstantiateWithFlags, &ready, graph, 0);
  alone("alone_graph_launch", [&] { return CU(cuGraphLaunch, ready, stream); });
  CU(cuCtxSynchronize);
}
void code_alone() {
  ALONE("module_load", CUmodule m; return CU(cuModuleLoadData, &m, kStore.c_str()));
  ALONE("module_function", CUfunction f; return CU(cuModuleGetFunction, &f, module, "store"));
  ALONE("module_global", CUdeviceptr p; size_t n; return CU2(cuModuleGetGlobal, &p, &n, module, "variable"));
  ALONE("function_attribute", int n; return CU(cuFuncGetAttribute, &n, CU_FUNC_ATTRIBUTE_NUM_REGS, store));
  ALONE("function_set_attribute", return CU(cuFuncSetAttribute, store, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1024));
  ALONE("function_cache", return CU(cuFuncSetCacheConfig, store, CU_FUNC_CACHE_PREFER_L1));
  ALONE("occupancy", int n; return CU(cuOccupancyMaxActiveBlocksPerMultiprocessor, &n, store, 128, 0));
  ALONE("launch", void* a[] = {&memory}; return CU(cuLaunchKernel, store, 1, 1, 1, 1, 1, 1, 0, stream, a, nullptr));
  ALONE("launch_null", void* a[] = {&memory}; return CU(cuLaunchKernel, store, 1, 1, 1, 1, 1, 1, 0, nullptr, a, nullptr));
  ALONE("link", CUlinkState s; return CU2(cuLinkCreate, 0, nullptr, nullptr, &s));
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  alone("alone_library", [&] { return CU(cuLibraryLoadData, &library, kStore.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0); });
  alone("alone_library_kernel", [&] { return CU(cuLibraryGetKernel, &kernel, library, "store"); });
  alone("alone_kernel_attribute", [&] { int n = 0; return CU(cuKernelGetAttribute, &n, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel, 0); });
  alone("alone_library_unload", [&] { return CU(cuLibraryUnload, library); });
  CUmodule mine = nullptr;
  CU(cuModuleLoadData, &mine, kStore.c_str());
  alone("alone_module_unload", [&] { return CU(cuModuleUnload, mine); });
}

void last_errors() {
  cudaGetLastError();
  CUdeviceptr p = 0;
  CU2(cuMemAlloc, &p, size_t{1} << 50);
  say("last_after_alloc", cudaGetLastError());
  CU(cuMemPoolGetAttribute, nullptr, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, host);
  say("last_after_pool", cudaGetLastError());
  CU(cuGraphLaunch, nullptr, stream);
  say("last_after_graph", cudaGetLastError());
  CU2(cuMemcpyHtoD, 12345, host, 4);
  say("last_after_copy", cudaGetLastError());
}

void pool_uses(const char* when) {
  uint64_t now = 0, most = 0, reserved = 0;
  CU(cuMemPoolGetAttribute, pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &now);
  CU(cuMemPoolGetAttribute, pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &most);
  CU(cuMemPoolGetAttribute, pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &reserved);
  say((std::string("pool_used_") + when).c_str(), static_cast<long long>(now), static_cast<long long>(most));
  uint64_t reserved_most = 0;
  CU(cuMemPoolGetAttribute, pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, &reserved_most);
  say((std::string("pool_reserved_") + when).c_str(), static_cast<long long>(reserved), static_cast<long long>(reserved_most));
}
void pools() {
  CUdeviceptr other = 0, a = 0, b = 0;
  pool_uses("before");
  CU2(cuMemAlloc, &other, 5 << 20);
  pool_uses("of_others");
  CU(cuMemAllocAsync, &a, 1 << 20, stream);
  CU(cuMemAllocAsync, &b, 1000, stream);
  CU(cuStreamSynchronize, stream);
  pool_uses("two");
  CU(cuMemFreeAsync, a, stream);
  CU(cuStreamSynchronize, stream);
  pool_uses("one");
  uint64_t zero = 0;
  say("pool_set_high_0", CU(cuMemPoolSetAttribute, pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &zero));
  pool_uses("high_again");
  zero = 1;
  say("pool_set_high_1", CU(cuMemPoolSetAttribute, pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &zero));
  say("pool_set_used", CU(cuMemPoolSetAttribute, pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &zero));
  CU(cuMemFreeAsync, b, stream);
  CU(cuStreamSynchronize, stream);
  pool_uses("none");
}

void functions() {
  const char* names[] = {"threads", "shared", "constants", "local", "registers", "ptx", "binary", "cache", "dynamic", "carveout", "cluster_set",
                         "cluster_width", "cluster_height", "cluster_depth", "non_portable", "scheduling"};
  for (int k = 0; k < 16; ++k) {
    int n = -1;
    const int code = CU(cuFuncGetAttribute, &n, static_cast<CUfunction_attribute>(k), store);
    say((std::string("function_") + names[k]).c_str(), code, n);
  }
  cudaFuncAttributes of_runtime{};
  say("function_constants_of_runtime", cudaFuncGetAttributes(&of_runtime, look_up), static_cast<long long>(of_runtime.constSizeBytes));
  CUfunc_cache config;
  say("cache_set", CU(cuCtxSetCacheConfig, CU_FUNC_CACHE_PREFER_L1));
  say("cache_get", CU(cuCtxGetCacheConfig, &config));
  cudaFuncCache of_device;
  say("cache_of_runtime", cudaDeviceGetCacheConfig(&of_device));
  say("cache_set_bad", CU(cuCtxSetCacheConfig, static_cast<CUfunc_cache>(9)));
}

void links() {
  char info[4096] = "untouched", error[4096] = "untouched";
  CUjit_option options[] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                            CU_JIT_LOG_VERBOSE};
  void* values[] = {info, reinterpret_cast<void*>(sizeof info), error, reinterpret_cast<void*>(sizeof error), reinterpret_cast<void*>(1)};
  const auto with = [&](const char* name, const std::vector<std::string>& images) {
    values[1] = values[3] = reinterpret_cast<void*>(sizeof info);
    std::strcpy(info, "untouched");
    std::strcpy(error, "untouched");
    CUlinkState state = nullptr;
    say((std::string("link_create_") + name).c_str(), CU2(cuLinkCreate, 5, options, values, &state));
    for (const std::string& image : images)
      say((std::string("link_add_") + name).c_str(), CU2(cuLinkAddData, state, CU_JIT_INPUT_PTX, const_cast<char*>(image.c_str()), image.size() + 1,
                                                         "unit", 0, nullptr, nullptr));
    void* cubin = nullptr;
    size_t size = 0;
    const int code = CU(cuLinkComplete, state, &cubin, &size);
    say((std::string("link_complete_") + name).c_str(), code, cubin != nullptr);
    say((std::string("link_log_") + name).c_str(), std::strcmp(info, "untouched") != 0, std::strcmp(error, "untouched") != 0);
    say((std::string("link_log_bytes_") + name).c_str(), reinterpret_cast<long long>(values[1]), reinterpret_cast<long long>(values[3]));
    std::fprintf(stderr, "== %s info: %s\nerror: %s\n", name, info, error);
    CUmodule made;
    CUfunction call;
    int got = 0;
    if (code == 0 && CU(cuModuleLoadData, &made, cubin) == 0 && CU(cuModuleGetFunction, &call, made, "call") == 0) {
      void* arguments[] = {&memory};
      CU(cuLaunchKernel, call, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr);
      CU2(cuMemcpyDtoH, &got, memory, 4);
      say((std::string("link_result_") + name).c_str(), got);
    }
    CU(cuLinkDestroy, state);
  };
  with("one", {kStore});
  with("two", {kCaller, kCallee});
  with("missing", {kCaller});
  with("twice", {kCallee, kCallee});
  with("wrong", {kHead + ".visible .entry f() { no.such.instruction; }\n"});
}

void old_calls() {
  say("old_shape", CU(cuFuncSetBlockShape, store, 32, 1, 1));
  say("old_shape_bad", CU(cuFuncSetBlockShape, store, 0, 1, 1));
  say("old_shape_large", CU(cuFuncSetBlockShape, store, 2048, 1, 1));
  say("old_shared", CU(cuFuncSetSharedSize, store, 128));
  say("old_size", CU(cuParamSetSize, store, 8));
  say("old_value", CU(cuParamSetv, store, 0, &memory, 8));
  say("old_launch", CU(cuLaunch, store));
  say("old_launch_grid", CU(cuLaunchGrid, store, 4, 1));
  say("old_launch_grid_async", CU(cuLaunchGridAsync, store, 4, 1, stream));
  say("old_launch_grid_bad", CU(cuLaunchGrid, store, 0, 1));
  say("old_sync", CU(cuCtxSynchronize));
  CUcontext other = nullptr;
  say("attach", CU(cuCtxAttach, &other, 0));
  say("attach_flags", CU(cuCtxAttach, &other, 1));
  say("detach_primary", CU(cuCtxDetach, context));
  CUcontext mine = nullptr;
  driver<CUresult(CUcontext*, unsigned, CUdevice)>("cuCtxCreate_v2")(&mine, 0, 0);
  say("attach_mine", CU(cuCtxAttach, &other, 0));
  say("detach_mine", CU(cuCtxDetach, mine));
  say("detach_mine_again", CU(cuCtxDetach, mine));
  CU(cuCtxGetCurrent, &other);
  say("detached_current", other == nullptr, other == context);
  CU(cuCtxSetCurrent, context);
}

void graphs() {
  CUgraph graph;
  CU(cuGraphCreate, &graph, 0);
  size_t size = 8;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &memory, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  CUDA_KERNEL_NODE_PARAMS kernel{};
  kernel.func = store;
  kernel.gridDimX = kernel.gridDimY = kernel.gridDimZ = kernel.blockDimX = kernel.blockDimY = kernel.blockDimZ = 1;
  kernel.extra = extra;
  CUgraphNode node = nullptr, copy = nullptr;
  say("graph_kernel_extra", CU2(cuGraphAddKernelNode, &node, graph, nullptr, 0, &kernel));
  CUDA_MEMCPY3D box{};
  box.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  box.srcDevice = memory;
  box.dstMemoryType = CU_MEMORYTYPE_HOST;
  box.dstHost = host;
  box.WidthInBytes = 4;
  box.Height = box.Depth = 1;
  say("graph_copy", CU(cuGraphAddMemcpyNode, &copy, graph, &node, 1, &box, context));
  CUDA_MEMCPY3D back{};
  say("graph_copy_get", CU(cuGraphMemcpyNodeGetParams, copy, &back));
  say("graph_copy_set", CU(cuGraphMemcpyNodeSetParams, copy, &box));
  CUgraphExec ready;
  say("graph_ready", CU(cuGraphInstantiateWithFlags, &ready, graph, 0));
  say("graph_exec_copy_set", CU(cuGraphExecMemcpyNodeSetParams, ready, copy, &box, context));
  std::memset(host, 0, sizeof host);
  say("graph_run", CU(cuGraphLaunch, ready, stream));
  CU(cuStreamSynchronize, stream);
  say("graph_copied", host[0]);
  box.dstMemoryType = static_cast<CUmemorytype>(9);
  say("graph_copy_bad", CU(cuGraphAddMemcpyNode, &copy, graph, nullptr, 0, &box, context));
  CUDA_KERNEL_NODE_PARAMS got{};
  say("graph_kernel_get", CU2(cuGraphKernelNodeGetParams, node, &got));
}

void placement() {
  for (const size_t kib : {1, 64, 512, 1023, 1024, 1025, 2048, 3072, 4096}) {
    CUdeviceptr at = 0;
    CU2(cuMemAlloc, &at, kib << 10);
    say(("placed_" + std::to_string(kib)).c_str(), at % (1 << 20) == 0, at % (2 << 20) == 0);
  }
}

void shared_and_levels() {
  CUipcMemHandle handle;
  CUipcEventHandle of_event;
  CUevent plain, shared;
  CU(cuEventCreate, &plain, 0);
  CU(cuEventCreate, &shared, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING);
  say("ipc_memory", CU(cuIpcGetMemHandle, &handle, memory));
  say("ipc_memory_middle", CU(cuIpcGetMemHandle, &handle, memory + 16));
  say("ipc_memory_host", CU(cuIpcGetMemHandle, &handle, reinterpret_cast<CUdeviceptr>(host)));
  CUdeviceptr opened = 0;
  say("ipc_open_own", CU2(cuIpcOpenMemHandle, &opened, handle, 1));
  say("ipc_open_flags", CU2(cuIpcOpenMemHandle, &opened, handle, 7));
  say("ipc_close_none", CU(cuIpcCloseMemHandle, memory));
  say("ipc_event_plain", CU(cuIpcGetEventHandle, &of_event, plain));
  say("ipc_event", CU(cuIpcGetEventHandle, &of_event, shared));
  say("ipc_event_timed", CU(cuEventCreate, &shared, CU_EVENT_INTERPROCESS));
  CUmipmappedArray levels = nullptr;
  CUDA_ARRAY3D_DESCRIPTOR q{64, 64, 0, CU_AD_FORMAT_FLOAT, 1, 0};
  say("levels", CU(cuMipmappedArrayCreate, &levels, &q, 3));
  CUarray level = nullptr;
  for (const unsigned k : {0u, 2u, 3u}) {
    const int code = CU(cuMipmappedArrayGetLevel, &level, levels, k);
    CUDA_ARRAY3D_DESCRIPTOR of{};
    if (code == 0) CU2(cuArray3DGetDescriptor, &of, level);
    say(("level_" + std::to_string(k)).c_str(), code, static_cast<long long>(of.Width));
  }
  say("levels_0", CU(cuMipmappedArrayCreate, &levels, &q, 0));
  say("levels_99", CU(cuMipmappedArrayCreate, &levels, &q, 99));
}

void numbers() {
  for (int k = 1; k <= 150; ++k) {
    int n = 0;
    const int code = CU(cuDeviceGetAttribute, &n, static_cast<CUdevice_attribute>(k), 0);
    std::printf("attribute_%d %d %d\n", k, code, n);
  }
  for (int k = 0; k < 1000; ++k) {
    const char *name = nullptr, *text = nullptr;
    if (CU(cuGetErrorName, static_cast<CUresult>(k), &name) == 0 && name != nullptr) {
      CU(cuGetErrorString, static_cast<CUresult>(k), &text);
      std::printf("error_%d %s: %s\n", k, name, text);
    }
  }
}

int main(int argc, char**) {
  if (argc > 1) {
    primary_context();
    return 0;
  }
  prepare();
  contexts_alone();
  memory_alone();
  streams_alone();
  code_alone();
  last_errors();
  pools();
  functions();
  links();
  old_calls();
  graphs();
  placement();
  shared_and_levels();
  numbers();
  std::fflush(stdout);
  execl("/proc/self/exe", "driver_state", "primary", static_cast<char*>(nullptr));
  return 1;
}
