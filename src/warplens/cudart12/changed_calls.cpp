// Calls that CUDA 13 changed, as CUDA 12 has them: arguments and structures are handed on in the newer form.
#include <cstring>

#include "warplens/cuda_api/visible.h"
#include "warplens/cudart12/abi12.h"

using namespace warplens;

namespace {

constexpr int kVersion = 12090;
constexpr int kInvalidValue = cuda_api::cudaErrorInvalidValue;

struct MemoryLocation {
  int type, id;
};
constexpr int kHostDevice = -1;  // cudaCpuDeviceId

MemoryLocation location_of(int device) {
  constexpr int kDevice = 1, kHost = 2;
  return device == kHostDevice ? MemoryLocation{kHost, 0} : MemoryLocation{kDevice, device};
}

}  // namespace

// The calls of libcudart.so.13 that stand behind those below.
#define IN_13(name) __asm__(".symver in_13_" #name ", " #name "@libcudart.so.13")
IN_13(cudaGetDeviceProperties);
IN_13(cudaDeviceGetAttribute);
IN_13(cudaPointerGetAttributes);
IN_13(cudaCreateTextureObject);
IN_13(cudaCreateSurfaceObject);
IN_13(cudaGetTextureObjectResourceDesc);
IN_13(cudaGetSurfaceObjectResourceDesc);
IN_13(cudaMemAdvise);
IN_13(cudaMemPrefetchAsync);
IN_13(cudaStreamGetCaptureInfo);
IN_13(cudaStreamUpdateCaptureDependencies);
IN_13(cudaGraphAddDependencies);
IN_13(cudaGraphRemoveDependencies);
IN_13(cudaGraphAddNode);
IN_13(cudaGraphGetEdges);
IN_13(cudaGraphNodeGetDependencies);
IN_13(cudaGraphNodeGetDependentNodes);
#undef IN_13

extern "C" {
int in_13_cudaGetDeviceProperties(cuda_api::DeviceProperties* out, int device);
int in_13_cudaDeviceGetAttribute(int* value, int attribute, int device);
int in_13_cudaPointerGetAttributes(cuda_api::PointerAttributes* out, const void* pointer);
int in_13_cudaCreateTextureObject(uint64_t* object, const cuda_api::ResourceDescription* resource, const void* how,
                                  const int* view_format);
int in_13_cudaCreateSurfaceObject(uint64_t* object, const cuda_api::ResourceDescription* resource);
int in_13_cudaGetTextureObjectResourceDesc(cuda_api::ResourceDescription* out, uint64_t object);
int in_13_cudaGetSurfaceObjectResourceDesc(cuda_api::ResourceDescription* out, uint64_t object);
int in_13_cudaMemAdvise(const void* pointer, size_t size_bytes, int advice, MemoryLocation location);
int in_13_cudaMemPrefetchAsync(const void* pointer, size_t size_bytes, MemoryLocation location, unsigned flags,
                               void* stream);
int in_13_cudaStreamGetCaptureInfo(void* stream, int* status, unsigned long long* id, void** graph, void* before,
                                   void* edges, size_t* count);
int in_13_cudaStreamUpdateCaptureDependencies(void* stream, const void* nodes, const void* edges, size_t count,
                                              unsigned flags);
int in_13_cudaGraphAddDependencies(void* graph, const void* from, const void* to, const void* edges, size_t count);
int in_13_cudaGraphRemoveDependencies(void* graph, const void* from, const void* to, const void* edges, size_t count);
int in_13_cudaGraphAddNode(void* out, void* graph, const void* before, const void* edges, size_t count, void* node);
int in_13_cudaGraphGetEdges(void* graph, void* from, void* to, void* edges, size_t* count);
int in_13_cudaGraphNodeGetDependencies(void* node, void* before, void* edges, size_t* count);
int in_13_cudaGraphNodeGetDependentNodes(void* node, void* after, void* edges, size_t* count);
}

namespace {

/// Fields of one name and order in both structures, from the first to the last of them.
#define COPY_FIELDS(first, last)                                                                                      \
  do {                                                                                                                \
    constexpr size_t kBytes =                                                                                         \
        offsetof(cuda_api::DeviceProperties, last) + sizeof(from.last) - offsetof(cuda_api::DeviceProperties, first); \
    static_assert(kBytes == offsetof(cudart12::DeviceProperties, last) + sizeof(to.last) -                            \
                                offsetof(cudart12::DeviceProperties, first));                                         \
    std::memcpy(reinterpret_cast<char*>(&to) + offsetof(cudart12::DeviceProperties, first),                           \
                reinterpret_cast<const char*>(&from) + offsetof(cuda_api::DeviceProperties, first), kBytes);          \
  } while (false)

int attribute_of(int number, int device) {
  int value = 0;
  return in_13_cudaDeviceGetAttribute(&value, number, device) == cuda_api::cudaSuccess ? value : 0;
}

int properties_of(int device, cudart12::DeviceProperties* out) {
  cuda_api::DeviceProperties from{};
  if (const int error = in_13_cudaGetDeviceProperties(&from, device); error != cuda_api::cudaSuccess) return error;
  cudart12::DeviceProperties to{};
  COPY_FIELDS(name, max_grid_size);
  COPY_FIELDS(total_const_mem, texture_pitch_alignment);
  COPY_FIELDS(multi_processor_count, multi_processor_count);
  COPY_FIELDS(integrated, can_map_host_memory);
  COPY_FIELDS(textures_and_surfaces, textures_and_surfaces);
  COPY_FIELDS(surface_alignment, unified_addressing);
  COPY_FIELDS(memory_bus_width, local_l1_cache_supported);
  COPY_FIELDS(shared_mem_per_multiprocessor, host_native_atomic_supported);
  COPY_FIELDS(pageable_memory_access, cooperative_launch);
  COPY_FIELDS(shared_mem_per_block_optin, cluster_launch);
  enum Attribute : int { kClock = 13, kOverlap = 15, kTimeout = 17, kMode = 20, kMemoryClock = 36, kDoubleRatio = 87 };
  to.clock_rate = attribute_of(kClock, device);
  to.device_overlap = attribute_of(kOverlap, device);
  to.kernel_exec_timeout_enabled = attribute_of(kTimeout, device);
  to.compute_mode = attribute_of(kMode, device);
  to.memory_clock_rate = attribute_of(kMemoryClock, device);
  to.single_to_double_ratio = attribute_of(kDoubleRatio, device);
  *out = to;
  return cuda_api::cudaSuccess;
}
#undef COPY_FIELDS

cuda_api::ResourceDescription widened(const cudart12::ResourceDescription& narrow) {
  cuda_api::ResourceDescription wide{};
  std::memcpy(&wide, &narrow, sizeof narrow);
  return wide;
}

int narrowed(int error, const cuda_api::ResourceDescription& wide, cudart12::ResourceDescription* out) {
  if (error == cuda_api::cudaSuccess) std::memcpy(out, &wide, sizeof *out);
  return error;
}

}  // namespace

CUDA_API int cudaRuntimeGetVersion(int* version) {
  if (version == nullptr) return kInvalidValue;
  *version = kVersion;
  return cuda_api::cudaSuccess;
}

CUDA_API int cudaGetDeviceProperties_v2(cudart12::DeviceProperties* out, int device) {
  return out != nullptr ? properties_of(device, out) : kInvalidValue;
}
/// As CUDA 11 knew them: what such a program has room for.
CUDA_API int cudaGetDeviceProperties(void* out, int device) {
  cudart12::DeviceProperties all{};
  if (out == nullptr) return kInvalidValue;
  const int error = properties_of(device, &all);
  if (error == cuda_api::cudaSuccess)
    std::memcpy(out, &all, offsetof(cudart12::DeviceProperties, host_register_supported));
  return error;
}

CUDA_API int cudaPointerGetAttributes(cudart12::PointerAttributes* out, const void* pointer) {
  if (out == nullptr) return kInvalidValue;
  cuda_api::PointerAttributes all{};
  const int error = in_13_cudaPointerGetAttributes(&all, pointer);
  if (error == cuda_api::cudaSuccess) *out = {all.kind, all.device, all.device_pointer, all.host_pointer};
  return error;
}

CUDA_API int cudaCreateTextureObject(uint64_t* object, const cudart12::ResourceDescription* resource, const void* how,
                                     const int* view_format) {
  if (resource == nullptr) return kInvalidValue;
  const cuda_api::ResourceDescription wide = widened(*resource);
  return in_13_cudaCreateTextureObject(object, &wide, how, view_format);
}
CUDA_API int cudaCreateSurfaceObject(uint64_t* object, const cudart12::ResourceDescription* resource) {
  if (resource == nullptr) return kInvalidValue;
  const cuda_api::ResourceDescription wide = widened(*resource);
  return in_13_cudaCreateSurfaceObject(object, &wide);
}
CUDA_API int cudaGetTextureObjectResourceDesc(cudart12::ResourceDescription* out, uint64_t object) {
  if (out == nullptr) return kInvalidValue;
  cuda_api::ResourceDescription wide{};
  const int error = in_13_cudaGetTextureObjectResourceDesc(&wide, object);
  return narrowed(error, wide, out);
}
CUDA_API int cudaGetSurfaceObjectResourceDesc(cudart12::ResourceDescription* out, uint64_t object) {
  if (out == nullptr) return kInvalidValue;
  cuda_api::ResourceDescription wide{};
  const int error = in_13_cudaGetSurfaceObjectResourceDesc(&wide, object);
  return narrowed(error, wide, out);
}

CUDA_API int cudaMemAdvise(const void* pointer, size_t size_bytes, int advice, int device) {
  return in_13_cudaMemAdvise(pointer, size_bytes, advice, location_of(device));
}
CUDA_API int cudaMemPrefetchAsync(const void* pointer, size_t size_bytes, int device, void* stream) {
  return in_13_cudaMemPrefetchAsync(pointer, size_bytes, location_of(device), 0, stream);
}
CUDA_API int cudaMemPrefetchAsync_ptsz(const void* pointer, size_t size_bytes, int device, void* stream) {
  return cudaMemPrefetchAsync(pointer, size_bytes, device, stream);
}

CUDA_API int cudaStreamGetCaptureInfo(void* stream, int* status, unsigned long long* id) {
  return in_13_cudaStreamGetCaptureInfo(stream, status, id, nullptr, nullptr, nullptr, nullptr);
}
CUDA_API int cudaStreamGetCaptureInfo_ptsz(void* stream, int* status, unsigned long long* id) {
  return cudaStreamGetCaptureInfo(stream, status, id);
}
CUDA_API int cudaStreamGetCaptureInfo_v2(void* stream, int* status, unsigned long long* id, void** graph, void* before,
                                         size_t* count) {
  return in_13_cudaStreamGetCaptureInfo(stream, status, id, graph, before, nullptr, count);
}
CUDA_API int cudaStreamGetCaptureInfo_v2_ptsz(void* stream, int* status, unsigned long long* id, void** graph,
                                              void* before, size_t* count) {
  return cudaStreamGetCaptureInfo_v2(stream, status, id, graph, before, count);
}

// Edges without data.
CUDA_API int cudaStreamUpdateCaptureDependencies(void* stream, const void* nodes, size_t count, unsigned flags) {
  return in_13_cudaStreamUpdateCaptureDependencies(stream, nodes, nullptr, count, flags);
}
CUDA_API int cudaStreamUpdateCaptureDependencies_ptsz(void* stream, const void* nodes, size_t count, unsigned flags) {
  return cudaStreamUpdateCaptureDependencies(stream, nodes, count, flags);
}
CUDA_API int cudaGraphAddDependencies(void* graph, const void* from, const void* to, size_t count) {
  return in_13_cudaGraphAddDependencies(graph, from, to, nullptr, count);
}
CUDA_API int cudaGraphRemoveDependencies(void* graph, const void* from, const void* to, size_t count) {
  return in_13_cudaGraphRemoveDependencies(graph, from, to, nullptr, count);
}
CUDA_API int cudaGraphAddNode(void* out, void* graph, const void* before, size_t count, void* node) {
  return in_13_cudaGraphAddNode(out, graph, before, nullptr, count, node);
}
CUDA_API int cudaGraphGetEdges(void* graph, void* from, void* to, size_t* count) {
  return in_13_cudaGraphGetEdges(graph, from, to, nullptr, count);
}
CUDA_API int cudaGraphNodeGetDependencies(void* node, void* before, size_t* count) {
  return in_13_cudaGraphNodeGetDependencies(node, before, nullptr, count);
}
CUDA_API int cudaGraphNodeGetDependentNodes(void* node, void* after, size_t* count) {
  return in_13_cudaGraphNodeGetDependentNodes(node, after, nullptr, count);
}

// What has had no effect for long.
CUDA_API int cudaSetDoubleForDevice(double*) { return cuda_api::cudaSuccess; }
CUDA_API int cudaSetDoubleForHost(double*) { return cuda_api::cudaSuccess; }
