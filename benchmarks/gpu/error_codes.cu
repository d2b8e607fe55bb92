// What the CUDA runtime answers to calls that are wrong: a line a call, its code and the sticky error after it.
// nvcc -arch=sm_90 -cudart shared -o error_codes error_codes.cu; ./error_codes > error_codes.txt
// Beside an emulated GPU: warplens emulate -- ./error_codes. docs/results/error-codes.md has both.
#include <cooperative_groups.h>

#include <cassert>
#include <cstdint>
#include <string>

#include "error_codes.cuh"

__device__ int variable[4];
__constant__ int constant[4];
__managed__ int managed = 1;
__global__ void nothing() {}
__global__ void store(int* p, int k) { p[k] = 1; }
__global__ void load64(const char* p, long long* out) { *out = *reinterpret_cast<const long long*>(p + 1); }
__global__ void stop() { asm volatile("trap;"); }
__global__ void deny(int k) { assert(k != 0); }
__global__ void shared_far(int k, int* out) {
  __shared__ int s[8];
  s[threadIdx.x % 8] = k;
  __syncthreads();
  *out = s[k];
}
__global__ void shared_store_far(int k) {
  __shared__ volatile int s[8];
  s[k] = 7;
}
__global__ void shared_add_far(int k) {
  __shared__ int s[8];
  atomicAdd(&s[k], 7);
}
__global__ void __cluster_dims__(2, 1, 1) block_of_cluster(uint32_t rank, bool is_wide, int* out) {
  __shared__ int s[8];
  s[threadIdx.x % 8] = 1;
  const uint32_t offset = static_cast<uint32_t>(__cvta_generic_to_shared(s)) & 0xffffff, at = offset | rank << 24;
  int value = 0;
  if (is_wide) asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(at) : "memory");
  else asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(at) : "memory");
  *out = value;
  cooperative_groups::this_cluster().sync();
}
__global__ void deep(int k, int* out) {
  volatile int frame[64];
  frame[k % 64] = k;
  *out = frame[(k + 1) % 64];
}
__global__ void __launch_bounds__(128) bounded(int* out) { *out = 1; }
__global__ void grid_wide() { cooperative_groups::this_grid().sync(); }
__global__ void dynamic_shared(int* out) {
  extern __shared__ int s[];
  *out = s[threadIdx.x];
}
__global__ void __cluster_dims__(2, 1, 1) pairs() {}
__global__ void wait_long() {
  for (int k = 0; k < 1000; ++k) __nanosleep(100000);
}
void not_a_kernel() {}
void on_host(void*) {}

int *d, host[64];
char* bytes;
cudaStream_t stream, gone_stream;
cudaEvent_t event, untimed, unrecorded, gone_event;
cudaArray_t array;
cudaGraph_t graph;
void prepare() {
  cudaMalloc(&d, 4096);
  cudaMalloc(&bytes, 4096);
  cudaStreamCreate(&stream);
  cudaEventCreate(&event);
  cudaEventCreate(&unrecorded);
  cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming);
  cudaEventRecord(event);
  cudaEventRecord(untimed);
  cudaStreamCreate(&gone_stream);
  cudaStreamDestroy(gone_stream);
  cudaEventCreate(&gone_event);
  cudaEventDestroy(gone_event);
  const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
  cudaMallocArray(&array, &desc, 64, 64);
  cudaGraphCreate(&graph, 0);
  cudaDeviceSynchronize();
  cudaGetLastError();
}
template <class T>
T* at(uintptr_t address) {
  return reinterpret_cast<T*>(address);
}
int launched() {
  const cudaError_t now = cudaGetLastError();
  return now != cudaSuccess ? now : cudaDeviceSynchronize();
}
int with_attribute(cudaLaunchAttribute attribute, int grid, void (*kernel)() = nothing) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(grid));
  config.blockDim = dim3(32);
  config.attrs = &attribute;
  config.numAttrs = 1;
  const cudaError_t code = cudaLaunchKernelEx(&config, kernel);
  cudaGetLastError();
  return code != cudaSuccess ? code : cudaDeviceSynchronize();
}
int with_cluster(unsigned x, int grid) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = x;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  return with_attribute(attribute, grid);
}
template <class F>
int capturing(cudaStreamCaptureMode mode, F f) {
  cudaStreamBeginCapture(stream, mode);
  const int code = f();
  cudaGraph_t made = nullptr;
  cudaStreamEndCapture(stream, &made);
  if (made) cudaGraphDestroy(made);
  cudaGetLastError();
  return code;
}
cudaMemcpy3DParms volume(size_t width) {
  cudaMemcpy3DParms p{};
  p.srcPtr = make_cudaPitchedPtr(host, 64, 16, 4);
  p.dstPtr = make_cudaPitchedPtr(d, 64, 16, 4);
  p.extent = make_cudaExtent(width, 4, 1);
  p.kind = cudaMemcpyHostToDevice;
  return p;
}
cudaMipmappedArray_t levels_of(unsigned count) {
  cudaMipmappedArray_t out = nullptr;
  const auto floats = cudaCreateChannelDesc<float>();
  cudaMallocMipmappedArray(&out, &floats, {128, 32, 0}, count);
  return out;
}
/// 1000 and the width of one of the levels, or the error.
int level_width(unsigned count, unsigned level) {
  cudaArray_t array;
  cudaExtent extent{};
  const int code = cudaGetMipmappedArrayLevel(&array, levels_of(count), level);
  return code != 0 ? code : cudaArrayGetInfo(nullptr, &extent, nullptr, array) + 1000 + static_cast<int>(extent.width);
}
cudaTextureObject_t texture_of(cudaResourceDesc resource, cudaTextureDesc how, int* code) {
  cudaTextureObject_t out = 0;
  *code = cudaCreateTextureObject(&out, &resource, &how, nullptr);
  return out;
}
cudaResourceDesc linear(void* p, size_t size_bytes) {
  cudaResourceDesc out{};
  out.resType = cudaResourceTypeLinear;
  out.res.linear = {p, cudaCreateChannelDesc<float>(), size_bytes};
  return out;
}

#define CASE(name, ...) {name, []() -> int { __VA_ARGS__; }}
const std::vector<Case> kMemory = {
    CASE("malloc_null", return cudaMalloc(static_cast<void**>(nullptr), 4)),
    CASE("malloc_0", void* p = at<void>(1); const int c = cudaMalloc(&p, 0); return c ? c : p ? -1 : 0),
    CASE("malloc_huge", void* p; return cudaMalloc(&p, size_t{1} << 50)),
    CASE("free_null", return cudaFree(nullptr)),
    CASE("free_stack", int k; return cudaFree(&k)),
    CASE("free_heap", void* p = std::malloc(64); const int c = cudaFree(p); std::free(p); return c),
    CASE("free_twice", void* p; cudaMalloc(&p, 64); cudaFree(p); return cudaFree(p)),
    CASE("free_middle", return cudaFree(d + 4)),
    CASE("free_pinned", void* p; cudaMallocHost(&p, 64); const int c = cudaFree(p); cudaFreeHost(p); return c),
    CASE("free_host_of_device", return cudaFreeHost(d)),
    CASE("free_host_null", return cudaFreeHost(nullptr)),
    CASE("free_host_stack", int k; return cudaFreeHost(&k)),
    CASE("free_host_twice", void* p; cudaMallocHost(&p, 64); cudaFreeHost(p); return cudaFreeHost(p)),
    CASE("malloc_host_huge", void* p; return cudaMallocHost(&p, size_t{1} << 50)),
    CASE("malloc_host_0", void* p; return cudaMallocHost(&p, 0)),
    CASE("host_alloc_flags", void* p; return cudaHostAlloc(&p, 64, 0x100)),
    CASE("host_alloc_null", return cudaHostAlloc(static_cast<void**>(nullptr), 64, 0)),
    CASE("register_null", return cudaHostRegister(nullptr, 64, 0)),
    CASE("register_0", return cudaHostRegister(host, 0, 0)),
    CASE("register_twice", void* p = aligned_alloc(4096, 4096); cudaHostRegister(p, 4096, 0);
         const int c = cudaHostRegister(p, 4096, 0); cudaHostUnregister(p); return c),
    CASE("register_flags", void* p = aligned_alloc(4096, 4096); return cudaHostRegister(p, 4096, 0x1000)),
    CASE("unregister_other", return cudaHostUnregister(host)),
    CASE("unregister_null", return cudaHostUnregister(nullptr)),
    CASE("host_pointer_of_heap", void* p; return cudaHostGetDevicePointer(&p, host, 0)),
    CASE("host_pointer_flags", void *h, *p; cudaMallocHost(&h, 64); return cudaHostGetDevicePointer(&p, h, 7)),
    CASE("host_flags_of_heap", unsigned f; return cudaHostGetFlags(&f, host)),
    CASE("managed_flags_0", void* p; return cudaMallocManaged(&p, 64, 0)),
    CASE("managed_flags_3", void* p; return cudaMallocManaged(&p, 64, 3)),
    CASE("managed_size_0", void* p; return cudaMallocManaged(&p, 0)),
    CASE("managed_null", return cudaMallocManaged(static_cast<void**>(nullptr), 4)),
    CASE("pitch_null", void* p; return cudaMallocPitch(&p, nullptr, 64, 4)),
    CASE("pitch_height_0", void* p; size_t n; return cudaMallocPitch(&p, &n, 64, 0)),
    CASE("pitch_width_0", void* p; size_t n; return cudaMallocPitch(&p, &n, 0, 4)),
    CASE("malloc_3d_0", cudaPitchedPtr p; return cudaMalloc3D(&p, make_cudaExtent(0, 4, 4))),
    CASE("array_null_desc", cudaArray_t a; return cudaMallocArray(&a, nullptr, 4, 4)),
    CASE("array_0", cudaArray_t a; auto f = cudaCreateChannelDesc<float>(); return cudaMallocArray(&a, &f, 0, 0)),
    CASE("array_wide", cudaArray_t a; auto f = cudaCreateChannelDesc<float>(); return cudaMallocArray(&a, &f, 1 << 20, 4)),
    CASE("array_3_channels", cudaArray_t a; cudaChannelFormatDesc f{32, 32, 32, 0, cudaChannelFormatKindFloat};
         return cudaMallocArray(&a, &f, 4, 4)),
    CASE("free_array_null", return cudaFreeArray(nullptr)),
    CASE("array_info_null", return cudaArrayGetInfo(nullptr, nullptr, nullptr, nullptr)),
    CASE("levels", return level_width(3, 0)),
    CASE("levels_second", return level_width(3, 1)),
    CASE("levels_last", return level_width(3, 2)),
    CASE("levels_past", return level_width(3, 3)),
    CASE("levels_0", return level_width(0, 0)),
    CASE("levels_0_second", return level_width(0, 1)),
    CASE("levels_99_eighth", return level_width(99, 7)),
    CASE("levels_99_ninth", return level_width(99, 8)),
    CASE("levels_null", auto f = cudaCreateChannelDesc<float>(); return cudaMallocMipmappedArray(nullptr, &f, {4, 4, 0}, 1)),
    CASE("levels_null_desc", cudaMipmappedArray_t m; return cudaMallocMipmappedArray(&m, nullptr, {4, 4, 0}, 1)),
    CASE("levels_width_0", cudaMipmappedArray_t m; auto f = cudaCreateChannelDesc<float>(); return cudaMallocMipmappedArray(&m, &f, {0, 4, 0}, 1)),
    CASE("level_null", cudaArray_t a; return cudaGetMipmappedArrayLevel(&a, nullptr, 0)),
    CASE("level_null_out", return cudaGetMipmappedArrayLevel(nullptr, levels_of(3), 0)),
    CASE("level_freed", cudaArray_t a; cudaGetMipmappedArrayLevel(&a, levels_of(3), 0); return cudaFreeArray(a)),
    CASE("levels_free_null", return cudaFreeMipmappedArray(nullptr)),
    CASE("levels_free", return cudaFreeMipmappedArray(levels_of(3))),
    CASE("mem_info_null", return cudaMemGetInfo(nullptr, nullptr)),
    CASE("pointer_null_out", return cudaPointerGetAttributes(nullptr, d)),
    CASE("pointer_null", cudaPointerAttributes a; const int c = cudaPointerGetAttributes(&a, nullptr);
         return c ? c : 1000 + a.type),
    CASE("pointer_heap", cudaPointerAttributes a; const int c = cudaPointerGetAttributes(&a, host);
         return c ? c : 1000 + a.type),
    CASE("pointer_device", cudaPointerAttributes a; const int c = cudaPointerGetAttributes(&a, d + 5);
         return c ? c : 1000 + a.type),
    CASE("pointer_managed", cudaPointerAttributes a; const int c = cudaPointerGetAttributes(&a, &managed);
         return c ? c : 1000 + a.type),
    CASE("pointer_pinned", cudaPointerAttributes a; void* p; cudaMallocHost(&p, 64);
         const int c = cudaPointerGetAttributes(&a, p); return c ? c : 1000 + a.type),
    CASE("pointer_freed", cudaPointerAttributes a; void* p; cudaMalloc(&p, 64 << 20); cudaFree(p);
         const int c = cudaPointerGetAttributes(&a, p); return c ? c : 1000 + a.type),
};
const std::vector<Case> kCopies = {
    CASE("copy_kind_17", return cudaMemcpy(d, host, 4, static_cast<cudaMemcpyKind>(17))),
    CASE("copy_null_dst", return cudaMemcpy(nullptr, host, 4, cudaMemcpyHostToDevice)),
    CASE("copy_null_src", return cudaMemcpy(d, nullptr, 4, cudaMemcpyHostToDevice)),
    CASE("copy_0_null", return cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice)),
    CASE("copy_to_host_as_device", return cudaMemcpy(host, host + 8, 4, cudaMemcpyHostToDevice)),
    CASE("copy_h2d_swapped", return cudaMemcpy(host, d, 4, cudaMemcpyHostToDevice)),
    CASE("copy_d2h_swapped", return cudaMemcpy(d, host, 4, cudaMemcpyDeviceToHost)),
    CASE("copy_h2h_of_device", return cudaMemcpy(host, d, 4, cudaMemcpyHostToHost)),
    CASE("copy_d2d_of_host", return cudaMemcpy(d, host, 4, cudaMemcpyDeviceToDevice)),
    CASE("copy_default", return cudaMemcpy(host, d, 4, cudaMemcpyDefault)),
    CASE("copy_default_h2h", return cudaMemcpy(host, host + 8, 4, cudaMemcpyDefault)),
    CASE("copy_async_null", return cudaMemcpyAsync(nullptr, d, 4, cudaMemcpyDeviceToDevice, stream)),
    CASE("copy_async_kind", return cudaMemcpyAsync(d, d + 8, 4, static_cast<cudaMemcpyKind>(9), stream)),
    CASE("copy_2d_pitch", return cudaMemcpy2D(d, 8, host, 64, 16, 2, cudaMemcpyHostToDevice)),
    CASE("copy_2d_src_pitch", return cudaMemcpy2D(d, 64, host, 8, 16, 2, cudaMemcpyHostToDevice)),
    CASE("copy_2d_0", return cudaMemcpy2D(d, 8, host, 8, 0, 2, cudaMemcpyHostToDevice)),
    CASE("copy_2d_null", return cudaMemcpy2D(nullptr, 64, host, 64, 16, 2, cudaMemcpyHostToDevice)),
    CASE("copy_2d_kind", return cudaMemcpy2D(d, 64, host, 64, 16, 2, static_cast<cudaMemcpyKind>(11))),
    CASE("copy_3d_null", return cudaMemcpy3D(nullptr)),
    CASE("copy_3d", auto p = volume(16); return cudaMemcpy3D(&p)),
    CASE("copy_3d_wide", auto p = volume(128); return cudaMemcpy3D(&p)),
    CASE("copy_3d_0", auto p = volume(0); return cudaMemcpy3D(&p)),
    CASE("copy_3d_kind", auto p = volume(16); p.kind = static_cast<cudaMemcpyKind>(8); return cudaMemcpy3D(&p)),
    CASE("copy_3d_both", auto p = volume(16); p.dstArray = array; return cudaMemcpy3D(&p)),
    CASE("copy_to_array_wide", return cudaMemcpy2DToArray(array, 0, 0, host, 4096, 512, 1, cudaMemcpyHostToDevice)),
    CASE("copy_to_array_null", return cudaMemcpy2DToArray(nullptr, 0, 0, host, 64, 16, 1, cudaMemcpyHostToDevice)),
    CASE("set_null", return cudaMemset(nullptr, 0, 4)),
    CASE("set_null_0", return cudaMemset(nullptr, 0, 0)),
    CASE("set_heap", return cudaMemset(host, 0, 4)),
    CASE("set_2d_pitch", return cudaMemset2D(d, 8, 0, 16, 2)),
    CASE("set_2d_0", return cudaMemset2D(d, 8, 0, 0, 2)),
    CASE("set_3d_null", return cudaMemset3D(make_cudaPitchedPtr(nullptr, 64, 64, 1), 0, make_cudaExtent(16, 1, 1))),
    CASE("to_symbol_other", return cudaMemcpyToSymbol(host, host, 4)),
    CASE("to_symbol_null", return cudaMemcpyToSymbol(static_cast<const void*>(nullptr), host, 4)),
    CASE("to_symbol_long", return cudaMemcpyToSymbol(variable, host, 64)),
    CASE("to_symbol_offset", return cudaMemcpyToSymbol(variable, host, 4, 16)),
    CASE("to_symbol_kind", return cudaMemcpyToSymbol(variable, host, 4, 0, cudaMemcpyDeviceToHost)),
    CASE("from_symbol_kind", return cudaMemcpyFromSymbol(host, variable, 4, 0, cudaMemcpyHostToDevice)),
    CASE("from_symbol_long", return cudaMemcpyFromSymbol(host, constant, 64)),
    CASE("symbol_address_other", void* p; return cudaGetSymbolAddress(&p, host)),
    CASE("symbol_size_other", size_t n; return cudaGetSymbolSize(&n, host)),
    CASE("symbol_address_null", return cudaGetSymbolAddress(nullptr, variable)),
    CASE("peer_device", return cudaMemcpyPeer(d, 99, bytes, 0, 4)),
    CASE("peer_same", return cudaMemcpyPeer(d, 0, bytes, 0, 4)),
    CASE("prefetch_device_memory", return cudaMemPrefetchAsync(d, 64, {cudaMemLocationTypeDevice, 0}, 0, 0)),
    CASE("prefetch_device_99", return cudaMemPrefetchAsync(&managed, 4, {cudaMemLocationTypeDevice, 99}, 0, 0)),
    CASE("prefetch_0", return cudaMemPrefetchAsync(&managed, 0, {cudaMemLocationTypeDevice, 0}, 0, 0)),
    CASE("advise_device_memory", return cudaMemAdvise(d, 64, cudaMemAdviseSetReadMostly, {cudaMemLocationTypeDevice, 0})),
    CASE("advise_99", return cudaMemAdvise(&managed, 4, static_cast<cudaMemoryAdvise>(99), {cudaMemLocationTypeDevice, 0})),
    CASE("range_attribute", int k; return cudaMemRangeGetAttribute(&k, 4, cudaMemRangeAttributeReadMostly, d, 64)),
};
const std::vector<Case> kStreams = {
    CASE("stream_create_null", return cudaStreamCreate(nullptr)),
    CASE("stream_create_flags", cudaStream_t s; return cudaStreamCreateWithFlags(&s, 7)),
    CASE("stream_create_priority", cudaStream_t s; return cudaStreamCreateWithPriority(&s, 0, -100)),
    CASE("stream_destroy_null", return cudaStreamDestroy(nullptr)),
    CASE("stream_destroy_legacy", return cudaStreamDestroy(cudaStreamLegacy)),
    CASE("stream_query", return cudaStreamQuery(stream)),
    CASE("stream_query_busy", wait_long<<<1, 1, 0, stream>>>(); const int c = cudaStreamQuery(stream);
         cudaStreamSynchronize(stream); return c),
    CASE("stream_wait_null_event", return cudaStreamWaitEvent(stream, nullptr, 0)),
    CASE("stream_wait_flags", return cudaStreamWaitEvent(stream, event, 8)),
    CASE("stream_flags_null", return cudaStreamGetFlags(stream, nullptr)),
    CASE("stream_priority_null", return cudaStreamGetPriority(stream, nullptr)),
    CASE("stream_attach_device", return cudaStreamAttachMemAsync(stream, d, 0, cudaMemAttachSingle)),
    CASE("stream_callback_null", return cudaStreamAddCallback(stream, nullptr, nullptr, 0)),
    CASE("stream_callback_flags", return cudaStreamAddCallback(stream, [](cudaStream_t, cudaError_t, void*) {}, nullptr, 1)),
    CASE("host_function_null", return cudaLaunchHostFunc(stream, nullptr, nullptr)),
    CASE("host_function", return cudaLaunchHostFunc(stream, on_host, nullptr)),
    CASE("event_create_null", return cudaEventCreate(nullptr)),
    CASE("event_flags", cudaEvent_t e; return cudaEventCreateWithFlags(&e, 0x40)),
    CASE("event_interprocess", cudaEvent_t e; return cudaEventCreateWithFlags(&e, cudaEventInterprocess)),
    CASE("event_record_null", return cudaEventRecord(nullptr)),
    CASE("event_destroy_null", return cudaEventDestroy(nullptr)),
    CASE("event_query_unrecorded", return cudaEventQuery(unrecorded)),
    CASE("event_synchronize_unrecorded", return cudaEventSynchronize(unrecorded)),
    CASE("event_synchronize_null", return cudaEventSynchronize(nullptr)),
    CASE("elapsed_unrecorded", float t; return cudaEventElapsedTime(&t, event, unrecorded)),
    CASE("elapsed_untimed", float t; return cudaEventElapsedTime(&t, untimed, untimed)),
    CASE("elapsed_null", return cudaEventElapsedTime(nullptr, event, event)),
    CASE("elapsed_null_event", float t; return cudaEventElapsedTime(&t, event, nullptr)),
    CASE("event_wrong_flags", return cudaEventRecordWithFlags(event, stream, 9)),
    CASE("capture_legacy", return cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal)),
    CASE("capture_mode_9", return cudaStreamBeginCapture(stream, static_cast<cudaStreamCaptureMode>(9))),
    CASE("capture_end_without", cudaGraph_t g; return cudaStreamEndCapture(stream, &g)),
    CASE("capture_twice", return capturing(cudaStreamCaptureModeGlobal,
         [] { return static_cast<int>(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal)); })),
    CASE("capture_synchronize", return capturing(cudaStreamCaptureModeGlobal, [] { return static_cast<int>(cudaStreamSynchronize(stream)); })),
    CASE("capture_device_synchronize", return capturing(cudaStreamCaptureModeGlobal, [] { return static_cast<int>(cudaDeviceSynchronize()); })),
    CASE("capture_query", return capturing(cudaStreamCaptureModeGlobal, [] { return static_cast<int>(cudaStreamQuery(stream)); })),
    CASE("capture_malloc", return capturing(cudaStreamCaptureModeGlobal, [] { void* p; return static_cast<int>(cudaMalloc(&p, 64)); })),
    CASE("capture_malloc_relaxed", return capturing(cudaStreamCaptureModeRelaxed, [] { void* p; return static_cast<int>(cudaMalloc(&p, 64)); })),
    CASE("capture_memcpy", return capturing(cudaStreamCaptureModeGlobal, [] { return static_cast<int>(cudaMemcpy(host, d, 4, cudaMemcpyDeviceToHost)); })),
    CASE("capture_legacy_launch", return capturing(cudaStreamCaptureModeGlobal, [] { nothing<<<1, 1>>>(); return static_cast<int>(cudaGetLastError()); })),
    CASE("capture_event_query", return capturing(cudaStreamCaptureModeGlobal, [] { cudaEventRecord(event, stream); return static_cast<int>(cudaEventQuery(event)); })),
    CASE("capture_end_after_error", cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal); cudaStreamSynchronize(stream);
         cudaGraph_t g = nullptr; return cudaStreamEndCapture(stream, &g)),
    CASE("capture_unjoined", cudaStream_t other; cudaStreamCreate(&other); cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
         cudaEventRecord(untimed, stream); cudaStreamWaitEvent(other, untimed, 0); nothing<<<1, 1, 0, other>>>();
         cudaGraph_t g = nullptr; const int c = cudaStreamEndCapture(stream, &g); cudaGetLastError(); return c),
    CASE("capture_status_null", return cudaStreamIsCapturing(stream, nullptr)),
};
const std::vector<Case> kDevices = {
    CASE("set_device_-1", return cudaSetDevice(-1)),
    CASE("set_device_99", return cudaSetDevice(99)),
    CASE("get_device_null", return cudaGetDevice(nullptr)),
    CASE("device_count_null", return cudaGetDeviceCount(nullptr)),
    CASE("properties_99", cudaDeviceProp p; return cudaGetDeviceProperties(&p, 99)),
    CASE("properties_null", return cudaGetDeviceProperties(nullptr, 0)),
    CASE("attribute_bad", int k; return cudaDeviceGetAttribute(&k, static_cast<cudaDeviceAttr>(9999), 0)),
    CASE("attribute_0", int k; return cudaDeviceGetAttribute(&k, static_cast<cudaDeviceAttr>(0), 0)),
    CASE("attribute_99", int k; return cudaDeviceGetAttribute(&k, cudaDevAttrWarpSize, 99)),
    CASE("attribute_null", return cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0)),
    CASE("can_access_99", int k; return cudaDeviceCanAccessPeer(&k, 0, 99)),
    CASE("can_access_self", int k; const int c = cudaDeviceCanAccessPeer(&k, 0, 0); return c ? c : 1000 + k),
    CASE("enable_peer_self", return cudaDeviceEnablePeerAccess(0, 0)),
    CASE("enable_peer_99", return cudaDeviceEnablePeerAccess(99, 0)),
    CASE("disable_peer_self", return cudaDeviceDisablePeerAccess(0)),
    CASE("limit_bad", return cudaDeviceSetLimit(static_cast<cudaLimit>(99), 1)),
    CASE("limit_huge_stack", return cudaDeviceSetLimit(cudaLimitStackSize, size_t{1} << 40)),
    CASE("limit_get_bad", size_t n; return cudaDeviceGetLimit(&n, static_cast<cudaLimit>(99))),
    CASE("limit_get_null", return cudaDeviceGetLimit(nullptr, cudaLimitStackSize)),
    CASE("cache_config_bad", return cudaDeviceSetCacheConfig(static_cast<cudaFuncCache>(9))),
    CASE("flags_bad", return cudaSetDeviceFlags(0x10000)),
    CASE("flags_null", return cudaGetDeviceFlags(nullptr)),
    CASE("choose_null", return cudaChooseDevice(nullptr, nullptr)),
    CASE("bus_id_short", char s[2]; return cudaDeviceGetPCIBusId(s, 2, 0)),
    CASE("bus_id_0", char s[2]; return cudaDeviceGetPCIBusId(s, 0, 0)),
    CASE("by_bus_id_bad", int k; return cudaDeviceGetByPCIBusId(&k, "no:such:bus")),
    CASE("by_bus_id_none", int k; return cudaDeviceGetByPCIBusId(&k, "0000:fe:1f.0")),
    CASE("driver_version_null", return cudaDriverGetVersion(nullptr)),
    CASE("runtime_version_null", return cudaRuntimeGetVersion(nullptr)),
    CASE("priority_range_null", return cudaDeviceGetStreamPriorityRange(nullptr, nullptr)),
    CASE("ipc_of_heap", cudaIpcMemHandle_t h; return cudaIpcGetMemHandle(&h, host)),
    CASE("ipc_event_plain", cudaIpcEventHandle_t h; return cudaIpcGetEventHandle(&h, event)),
    CASE("default_pool_99", cudaMemPool_t p; return cudaDeviceGetDefaultMemPool(&p, 99)),
    CASE("pool_props_null", cudaMemPool_t p; return cudaMemPoolCreate(&p, nullptr)),
    CASE("pool_props_0", cudaMemPool_t p; cudaMemPoolProps q{}; return cudaMemPoolCreate(&p, &q)),
    CASE("pool_attribute_bad", cudaMemPool_t p; cudaDeviceGetDefaultMemPool(&p, 0); uint64_t v = 0;
         return cudaMemPoolSetAttribute(p, static_cast<cudaMemPoolAttr>(99), &v)),
    CASE("pool_null", void* p; return cudaMallocFromPoolAsync(&p, 64, nullptr, stream)),
    CASE("pool_destroy_default", cudaMemPool_t p; cudaDeviceGetDefaultMemPool(&p, 0); return cudaMemPoolDestroy(p)),
    CASE("malloc_async_0", void* p = at<void>(1); const int c = cudaMallocAsync(&p, 0, stream); return c ? c : p ? -1 : 0),
    CASE("malloc_async_huge", void* p; return cudaMallocAsync(&p, size_t{1} << 50, stream)),
    CASE("malloc_async_null", return cudaMallocAsync(static_cast<void**>(nullptr), 64, stream)),
    CASE("free_async_null", return cudaFreeAsync(nullptr, stream)),
    CASE("free_async_heap", return cudaFreeAsync(host, stream)),
    CASE("free_async_twice", void* p; cudaMallocAsync(&p, 64, stream); cudaFreeAsync(p, stream); return cudaFreeAsync(p, stream)),
    CASE("free_async_of_malloc", void* p; cudaMalloc(&p, 64); return cudaFreeAsync(p, stream)),
    CASE("name_99999", return static_cast<int>(std::strlen(cudaGetErrorName(static_cast<cudaError_t>(99999))))),
};
const std::vector<Case> kLaunches = {
    CASE("grid_0", nothing<<<0, 1>>>(); return launched()),
    CASE("block_0", nothing<<<1, 0>>>(); return launched()),
    CASE("block_2048", nothing<<<1, 2048>>>(); return launched()),
    CASE("block_1024x2", nothing<<<1, dim3(1024, 2)>>>(); return launched()),
    CASE("block_z_128", nothing<<<1, dim3(1, 1, 128)>>>(); return launched()),
    CASE("grid_y_70000", nothing<<<dim3(1, 70000), 1>>>(); return launched()),
    CASE("grid_x_2^31", nothing<<<0x80000000u, 1>>>(); return launched()),
    CASE("bounds", bounded<<<1, 256>>>(d); return launched()),
    CASE("shared_60k", dynamic_shared<<<1, 32, 60 << 10>>>(d); return launched()),
    CASE("shared_300k", dynamic_shared<<<1, 32, 300 << 10>>>(d); return launched()),
    CASE("kernel_null", return cudaLaunchKernel(static_cast<const void*>(nullptr), 1, 1, nullptr, 0, 0)),
    CASE("kernel_host", return cudaLaunchKernel(reinterpret_cast<const void*>(not_a_kernel), 1, 1, nullptr, 0, 0)),
    CASE("cooperative", return cudaLaunchCooperativeKernel(reinterpret_cast<void*>(grid_wide), dim3(4), dim3(32), nullptr, 0, 0)),
    CASE("cooperative_too_large", return cudaLaunchCooperativeKernel(reinterpret_cast<void*>(grid_wide), dim3(100000), dim3(1024), nullptr, 0, 0)),
    CASE("cluster_3_of_4", return with_cluster(3, 4)),
    CASE("cluster_16", return with_cluster(16, 16)),
    CASE("cluster_0", return with_cluster(0, 4)),
    CASE("cluster_8", return with_cluster(8, 16)),
    CASE("cluster_dims_odd_grid", pairs<<<3, 32>>>(); return launched()),
    CASE("attribute_unknown", cudaLaunchAttribute a{}; a.id = static_cast<cudaLaunchAttributeID>(999); return with_attribute(a, 1)),
    CASE("priority_far", cudaLaunchAttribute a{}; a.id = cudaLaunchAttributePriority; a.val.priority = 1000; return with_attribute(a, 1)),
    CASE("config_null", return cudaLaunchKernelExC(nullptr, reinterpret_cast<const void*>(nothing), nullptr)),
    CASE("func_attributes_null", return cudaFuncGetAttributes(nullptr, nothing)),
    CASE("func_attributes_host", cudaFuncAttributes a; return cudaFuncGetAttributes(&a, not_a_kernel)),
    CASE("func_set_shared_300k", return cudaFuncSetAttribute(dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 300 << 10)),
    CASE("func_set_shared_-1", return cudaFuncSetAttribute(dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, -1)),
    CASE("func_set_carveout_200", return cudaFuncSetAttribute(dynamic_shared, cudaFuncAttributePreferredSharedMemoryCarveout, 200)),
    CASE("func_set_99", return cudaFuncSetAttribute(dynamic_shared, static_cast<cudaFuncAttribute>(99), 1)),
    CASE("func_set_host", return cudaFuncSetAttribute(not_a_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 1)),
    CASE("func_cache_bad", return cudaFuncSetCacheConfig(nothing, static_cast<cudaFuncCache>(9))),
    CASE("occupancy_0", int n; return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, nothing, 0, 0)),
    CASE("occupancy_2048", int n; const int c = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, nothing, 2048, 0); return c ? c : 1000 + n),
    CASE("occupancy_shared", int n; const int c = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, nothing, 32, 300 << 10); return c ? c : 1000 + n),
    CASE("occupancy_null", return cudaOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, nothing, 32, 0)),
    CASE("occupancy_host", int n; return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, not_a_kernel, 32, 0)),
    CASE("library_null", cudaLibrary_t l; return cudaLibraryLoadData(&l, nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0)),
    CASE("library_text", cudaLibrary_t l; return cudaLibraryLoadData(&l, "this is no code at all", nullptr, nullptr, 0, nullptr, nullptr, 0)),
    CASE("library_no_file", cudaLibrary_t l; return cudaLibraryLoadFromFile(&l, "/no/such/file.cubin", nullptr, nullptr, 0, nullptr, nullptr, 0)),
    CASE("store_null", store<<<1, 1>>>(nullptr, 0); return launched()),
    CASE("store_far", store<<<1, 1>>>(d, 1 << 28); return launched()),
    CASE("store_heap", store<<<1, 1>>>(at<int>(0x10000), 0); return launched()),
    CASE("misaligned", load64<<<1, 1>>>(bytes, reinterpret_cast<long long*>(d)); return launched()),
    CASE("trap", stop<<<1, 1>>>(); return launched()),
    CASE("assert", deny<<<1, 1>>>(0); return launched()),
    CASE("shared_far", shared_far<<<1, 32>>>(1 << 20, d); return launched()),
    CASE("shared_far_256k", shared_far<<<1, 32>>>(1 << 16, d); return launched()),
    CASE("shared_far_16m", shared_far<<<1, 32>>>(1 << 22, d); return launched()),
    CASE("shared_store_far_256k", shared_store_far<<<1, 1>>>(1 << 16); return launched()),
    CASE("shared_store_far_64m", shared_store_far<<<1, 1>>>(1 << 24); return launched()),
    CASE("shared_add_far_256k", shared_add_far<<<1, 1>>>(1 << 16); return launched()),
    CASE("cluster_load_of_block_1", block_of_cluster<<<2, 1>>>(1, true, d); return launched()),
    CASE("cluster_load_of_block_4", block_of_cluster<<<2, 1>>>(4, true, d); return launched()),
    CASE("cluster_load_of_block_128", block_of_cluster<<<2, 1>>>(128, true, d); return launched()),
    CASE("own_load_of_block_1", block_of_cluster<<<2, 1>>>(1, false, d); return launched()),
    CASE("shared_add_far_256m", shared_add_far<<<1, 1>>>(1 << 26); return launched()),
    CASE("malloc_after_fault", store<<<1, 1>>>(nullptr, 0); cudaDeviceSynchronize(); void* p; return cudaMalloc(&p, 4)),
    CASE("peek_after_fault", store<<<1, 1>>>(nullptr, 0); cudaDeviceSynchronize(); cudaGetLastError(); return cudaPeekAtLastError()),
};
const std::vector<Case> kGraphs = {
    CASE("graph_create_null", return cudaGraphCreate(nullptr, 0)),
    CASE("graph_create_flags", cudaGraph_t g; return cudaGraphCreate(&g, 1)),
    CASE("graph_destroy_null", return cudaGraphDestroy(nullptr)),
    CASE("graph_instantiate_null", cudaGraphExec_t e; return cudaGraphInstantiate(&e, nullptr, 0)),
    CASE("graph_launch_null", return cudaGraphLaunch(nullptr, stream)),
    CASE("graph_launch_empty", cudaGraphExec_t e; cudaGraphInstantiate(&e, graph, 0); return cudaGraphLaunch(e, stream)),
    CASE("graph_exec_destroy_null", return cudaGraphExecDestroy(nullptr)),
    CASE("graph_add_empty_null", return cudaGraphAddEmptyNode(nullptr, graph, nullptr, 0)),
    CASE("graph_add_kernel_null", cudaGraphNode_t n; return cudaGraphAddKernelNode(&n, graph, nullptr, 0, nullptr)),
    CASE("graph_add_kernel_no_function", cudaGraphNode_t n; cudaKernelNodeParams p{}; p.gridDim = p.blockDim = dim3(1);
         return cudaGraphAddKernelNode(&n, graph, nullptr, 0, &p)),
    CASE("graph_add_kernel_block_0", cudaGraphNode_t n; cudaKernelNodeParams p{}; p.func = reinterpret_cast<void*>(nothing);
         p.gridDim = dim3(1); p.blockDim = dim3(0); void* none[1] = {}; p.kernelParams = none;
         return cudaGraphAddKernelNode(&n, graph, nullptr, 0, &p)),
    CASE("graph_add_memcpy_kind", cudaGraphNode_t n; return cudaGraphAddMemcpyNode1D(&n, graph, nullptr, 0, d, host, 4, static_cast<cudaMemcpyKind>(9))),
    CASE("graph_add_memset_null", cudaGraphNode_t n; cudaMemsetParams p{}; p.elementSize = 4; p.width = 4; p.height = 1;
         return cudaGraphAddMemsetNode(&n, graph, nullptr, 0, &p)),
    CASE("graph_add_memset_element_3", cudaGraphNode_t n; cudaMemsetParams p{}; p.dst = d; p.elementSize = 3; p.width = 4; p.height = 1;
         return cudaGraphAddMemsetNode(&n, graph, nullptr, 0, &p)),
    CASE("graph_cycle", cudaGraph_t g; cudaGraphNode_t a, b; cudaGraphCreate(&g, 0); cudaGraphAddEmptyNode(&a, g, nullptr, 0);
         cudaGraphAddEmptyNode(&b, g, &a, 1); cudaGraphExec_t e;
         const int c = cudaGraphAddDependencies(g, &b, &a, nullptr, 1); return c ? c : cudaGraphInstantiate(&e, g, 0)),
    CASE("graph_dependency_self", cudaGraph_t g; cudaGraphNode_t a; cudaGraphCreate(&g, 0); cudaGraphAddEmptyNode(&a, g, nullptr, 0);
         return cudaGraphAddDependencies(g, &a, &a, nullptr, 1)),
    CASE("graph_dependency_twice", cudaGraph_t g; cudaGraphNode_t a, b; cudaGraphCreate(&g, 0); cudaGraphAddEmptyNode(&a, g, nullptr, 0);
         cudaGraphAddEmptyNode(&b, g, &a, 1); return cudaGraphAddDependencies(g, &a, &b, nullptr, 1)),
    CASE("graph_remove_no_dependency", cudaGraph_t g; cudaGraphNode_t a, b; cudaGraphCreate(&g, 0); cudaGraphAddEmptyNode(&a, g, nullptr, 0);
         cudaGraphAddEmptyNode(&b, g, nullptr, 0); return cudaGraphRemoveDependencies(g, &a, &b, nullptr, 1)),
    CASE("graph_node_type_null", cudaGraphNodeType t; return cudaGraphNodeGetType(nullptr, &t)),
    CASE("graph_nodes_null", return cudaGraphGetNodes(graph, nullptr, nullptr)),
    CASE("graph_kernel_params_of_empty", cudaGraph_t g; cudaGraphNode_t a; cudaGraphCreate(&g, 0); cudaGraphAddEmptyNode(&a, g, nullptr, 0);
         cudaKernelNodeParams p; return cudaGraphKernelNodeGetParams(a, &p)),
    CASE("graph_child_self", cudaGraph_t g; cudaGraphNode_t a; cudaGraphCreate(&g, 0); return cudaGraphAddChildGraphNode(&a, g, nullptr, 0, g)),
    CASE("graph_update_other", cudaGraph_t g; cudaGraphNode_t a; cudaGraphCreate(&g, 0); cudaGraphExec_t e; cudaGraphInstantiate(&e, g, 0);
         cudaGraphAddEmptyNode(&a, g, nullptr, 0); cudaGraphExecUpdateResultInfo r; return cudaGraphExecUpdate(e, g, &r)),
    CASE("texture_null", return cudaCreateTextureObject(nullptr, nullptr, nullptr, nullptr)),
    CASE("texture_linear_null", int c; texture_of(linear(nullptr, 64), {}, &c); return c),
    CASE("texture_linear_host", int c; texture_of(linear(host, 64), {}, &c); return c),
    CASE("texture_linear_misaligned", int c; texture_of(linear(bytes + 4, 64), {}, &c); return c),
    CASE("texture_linear", int c; texture_of(linear(bytes, 64), {}, &c); return c),
    CASE("texture_filter_of_integers", cudaResourceDesc r = linear(bytes, 64); r.res.linear.desc = cudaCreateChannelDesc<int>();
         cudaTextureDesc t{}; t.filterMode = cudaFilterModeLinear; int c; texture_of(r, t, &c); return c),
    CASE("texture_normalised_floats", cudaTextureDesc t{}; t.readMode = cudaReadModeNormalizedFloat; int c; texture_of(linear(bytes, 64), t, &c); return c),
    CASE("texture_array_null", cudaResourceDesc r{}; r.resType = cudaResourceTypeArray; int c; texture_of(r, {}, &c); return c),
    CASE("texture_get_0", cudaResourceDesc r; return cudaGetTextureObjectResourceDesc(&r, 0)),
    CASE("texture_destroy_0", return cudaDestroyTextureObject(0)),
    CASE("surface_plain_array", cudaSurfaceObject_t s; cudaResourceDesc r{}; r.resType = cudaResourceTypeArray; r.res.array.array = array;
         return cudaCreateSurfaceObject(&s, &r)),
    CASE("surface_linear", cudaSurfaceObject_t s; cudaResourceDesc r = linear(bytes, 64); return cudaCreateSurfaceObject(&s, &r)),
    CASE("surface_destroy_0", return cudaDestroySurfaceObject(0)),
    CASE("stream_destroy_twice", return cudaStreamDestroy(gone_stream)),
    CASE("stream_synchronize_destroyed", return cudaStreamSynchronize(gone_stream)),
    CASE("stream_query_destroyed", return cudaStreamQuery(gone_stream)),
    CASE("event_destroy_twice", return cudaEventDestroy(gone_event)),
    CASE("event_record_destroyed", return cudaEventRecord(gone_event)),
    CASE("event_on_destroyed_stream", return cudaEventRecord(event, gone_stream)),
    CASE("reset_after_fault", store<<<1, 1>>>(nullptr, 0); cudaDeviceSynchronize(); return cudaDeviceReset()),
};

int main(int argc, char** argv) {
  std::vector<Case> all;
  for (const auto* group : {&kMemory, &kCopies, &kStreams, &kDevices, &kLaunches, &kGraphs})
    all.insert(all.end(), group->begin(), group->end());
  if (argc > 1) prepare();
  else {
    for (int code = 0; code < 1000; ++code) {
      const std::string name = cudaGetErrorName(static_cast<cudaError_t>(code));
      if (name != "unrecognized error code")
        std::printf("text %d %s: %s\n", code, name.c_str(), cudaGetErrorString(static_cast<cudaError_t>(code)));
    }
    std::fflush(stdout);
  }
  return run_cases(all, [] { cudaGetLastError(); return static_cast<int>(cudaDeviceSynchronize()); }, argc, argv);
}
