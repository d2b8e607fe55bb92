// Runtime calls that driver calls are built on.
#pragma once
#include "warplens/cuda_api/runtime.h"

extern "C" {
int cudaDriverGetVersion(int* version);
int cudaGetDeviceCount(int* count);
int cudaGetDeviceProperties(warplens::cuda_api::DeviceProperties* out, int device);
int cudaDeviceGetAttribute(int* value, int attribute, int device);
int cudaDeviceGetPCIBusId(char* text, int length, int device);
int cudaDeviceCanAccessPeer(int* can, int device, int peer);
int cudaDeviceEnablePeerAccess(int peer, unsigned flags);
int cudaDeviceDisablePeerAccess(int peer);
int cudaStreamBeginCapture(void* stream, int mode);
int cudaDeviceSynchronize();
int cudaCtxResetPersistingL2Cache();
int cudaDeviceGetLimit(size_t* value, int limit);
int cudaDeviceSetLimit(int limit, size_t value);
int cudaDeviceGetCacheConfig(int* config);
int cudaDeviceSetCacheConfig(int config);
int cudaDeviceGetStreamPriorityRange(int* least, int* greatest);
int cudaMalloc(void** out, size_t size_bytes);
int cudaMallocHost(void** out, size_t size_bytes);
int cudaMallocManaged(void** out, size_t size_bytes, unsigned flags);
int cudaMallocPitch(void** out, size_t* pitch, size_t width_bytes, size_t rows);
int cudaFree(void* pointer);
int cudaMallocAsync(void** out, size_t size_bytes, void* stream);
int cudaFreeAsync(void* pointer, void* stream);
int cudaFreeHost(void* pointer);
int cudaHostRegister(void* pointer, size_t size_bytes, unsigned flags);
int cudaHostUnregister(void* pointer);
int cudaHostGetDevicePointer(void** out, void* pointer, unsigned flags);
int cudaMemGetInfo(size_t* free, size_t* total);
int cudaMemcpyAsync(void* target, const void* source, size_t size_bytes, int kind, void* stream);
int cudaMemcpyBatchAsync(void* const* targets, const void* const* sources, const size_t* sizes, size_t count,
                         const void* attributes, const size_t* first_of, size_t attribute_count, void* stream);
int cudaMemcpy(void* target, const void* source, size_t size_bytes, int kind);
int cudaPointerGetAttributes(warplens::cuda_api::PointerAttributes* out, const void* pointer);
int cudaStreamCreateWithPriority(warplens::cuda_api::Stream** out, unsigned flags, int priority);
int cudaStreamDestroy(warplens::cuda_api::Stream* stream);
int cudaStreamSynchronize(void* stream);
int cudaStreamQuery(void* stream);
int cudaStreamGetPriority(void* stream, int* priority);
int cudaStreamGetFlags(void* stream, unsigned* flags);
int cudaStreamWaitEvent(void* stream, warplens::cuda_api::Event* event, unsigned flags);
int cudaStreamAddCallback(void* stream, void (*function)(void*, int, void*), void* data, unsigned flags);
int cudaLaunchHostFunc(void* stream, void (*function)(void*), void* data);
int cudaEventCreateWithFlags(warplens::cuda_api::Event** out, unsigned flags);
int cudaEventDestroy(warplens::cuda_api::Event* event);
int cudaEventRecordWithFlags(warplens::cuda_api::Event* event, void* stream, unsigned flags);
int cudaEventRecord(warplens::cuda_api::Event* event, void* stream);
int cudaEventSynchronize(warplens::cuda_api::Event* event);
int cudaEventQuery(warplens::cuda_api::Event* event);
int cudaEventElapsedTime(float* milliseconds, warplens::cuda_api::Event* begin, warplens::cuda_api::Event* end);
int cudaFuncGetAttributes(warplens::cuda_api::FunctionAttributes* out, const void* function);
int cudaFuncSetAttribute(const void* function, int attribute, int value);
int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function, int threads,
                                                           size_t dynamic_shared_bytes, unsigned flags);
int cudaOccupancyMaxActiveClusters(int* clusters, const void* function,
                                   const warplens::cuda_api::LaunchConfiguration* config);
int cudaOccupancyMaxPotentialClusterSize(int* size, const void* function,
                                         const warplens::cuda_api::LaunchConfiguration* config);
int cudaLaunchKernel(const void* function, warplens::cuda_api::Dim3 grid, warplens::cuda_api::Dim3 block,
                     void** arguments, size_t shared_bytes, void* stream);
int cudaLaunchCooperativeKernel(const void* function, warplens::cuda_api::Dim3 grid, warplens::cuda_api::Dim3 block,
                                void** arguments, size_t shared_bytes, void* stream);
int cudaLaunchKernelExC(const warplens::cuda_api::LaunchConfiguration* config, const void* function, void** arguments);
int cudaMallocArray(warplens::cuda_api::Array** out, const warplens::cuda_api::ChannelDescription* channels,
                    size_t width, size_t height, unsigned flags);
int cudaMalloc3DArray(warplens::cuda_api::Array** out, const warplens::cuda_api::ChannelDescription* channels,
                      warplens::cuda_api::Extent extent, unsigned flags);
int cudaFreeArray(void* array);
int cudaMallocMipmappedArray(warplens::cuda_api::Mipmap** out, const warplens::cuda_api::ChannelDescription* channels,
                             warplens::cuda_api::Extent extent, unsigned levels, unsigned flags);
int cudaGetMipmappedArrayLevel(warplens::cuda_api::Array** out, void* handle, unsigned level);
int cudaFreeMipmappedArray(void* handle);
int cudaCreateTextureObject(uint64_t* object, const warplens::cuda_api::ResourceDescription* resource,
                            const warplens::cuda_api::TextureDescription* how, const int* view_format);
int cudaCreateSurfaceObject(uint64_t* object, const warplens::cuda_api::ResourceDescription* resource);
int cudaDestroyTextureObject(uint64_t object);
int cudaDestroySurfaceObject(uint64_t object);
const char* cudaGetErrorName(int error);
const char* cudaGetErrorString(int error);
}
