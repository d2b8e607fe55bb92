// The driver's copies of bytes that lie one after the other in an array.
#include "warplens/cuda_api/driver/driver.h"

using namespace warplens;
using namespace warplens::cuda_api;

extern "C" {
int cudaMemcpyToArrayAsync(void* array, size_t x_bytes, size_t y, const void* source, size_t size_bytes, int kind,
                           void* stream);
int cudaMemcpyFromArrayAsync(void* target, void* array, size_t x_bytes, size_t y, size_t size_bytes, int kind,
                             void* stream);
int cudaMemcpyArrayToArray(void* target, size_t target_x, size_t target_y, void* source, size_t x, size_t y,
                           size_t size_bytes, int kind);
}

namespace {

int to_array(void* array, size_t at_byte, const void* source, size_t size_bytes, int kind, void* stream) {
  return on_stream(
      stream, [&](Runtime&) { return cudaMemcpyToArrayAsync(array, at_byte, 0, source, size_bytes, kind, stream); });
}
int from_array(void* target, void* array, size_t at_byte, size_t size_bytes, int kind, void* stream) {
  return on_stream(
      stream, [&](Runtime&) { return cudaMemcpyFromArrayAsync(target, array, at_byte, 0, size_bytes, kind, stream); });
}

}  // namespace

CUDA_API int cuMemcpyHtoAAsync_v2(void* array, size_t at_byte, const void* source, size_t size_bytes, void* stream) {
  return to_array(array, at_byte, source, size_bytes, kHostToDevice, stream);
}
CUDA_API int cuMemcpyHtoA_v2(void* array, size_t at_byte, const void* source, size_t size_bytes) {
  return to_array(array, at_byte, source, size_bytes, kHostToDevice, nullptr);
}
CUDA_API int cuMemcpyDtoA_v2(void* array, size_t at_byte, simt::Address source, size_t size_bytes) {
  return to_array(array, at_byte, reinterpret_cast<const void*>(source), size_bytes, kDeviceToDevice, nullptr);
}
CUDA_API int cuMemcpyAtoHAsync_v2(void* target, void* array, size_t at_byte, size_t size_bytes, void* stream) {
  return from_array(target, array, at_byte, size_bytes, kDeviceToHost, stream);
}
CUDA_API int cuMemcpyAtoH_v2(void* target, void* array, size_t at_byte, size_t size_bytes) {
  return from_array(target, array, at_byte, size_bytes, kDeviceToHost, nullptr);
}
CUDA_API int cuMemcpyAtoD_v2(simt::Address target, void* array, size_t at_byte, size_t size_bytes) {
  return from_array(reinterpret_cast<void*>(target), array, at_byte, size_bytes, kDeviceToDevice, nullptr);
}
CUDA_API int cuMemcpyAtoA_v2(void* target, size_t target_byte, void* source, size_t source_byte, size_t size_bytes) {
  return in_context([&](Runtime&) {
    return cudaMemcpyArrayToArray(target, target_byte, 0, source, source_byte, 0, size_bytes, kDeviceToDevice);
  });
}
