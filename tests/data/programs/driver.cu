// The driver's calls: contexts, modules from PTX and from a fat binary, launches, memory, textures, errors; and a kernel
// that never ends.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>

const char* kPtx = R"(.version 8.0
.target sm_80
.address_size 64
.global .align 4 .u32 factor = 3;
.visible .entry scale(.param .u64 data, .param .u32 count) {
  .reg .pred %p; .reg .b32 %r<9>; .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [data]; ld.param.u32 %r1, [count];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.u32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p, %r5, %r1; @%p bra done;
  mul.wide.u32 %rd2, %r5, 4; add.u64 %rd3, %rd1, %rd2;
  ld.global.u32 %r6, [%rd3]; ld.global.u32 %r7, [factor]; mul.lo.u32 %r8, %r6, %r7; st.global.u32 [%rd3], %r8;
done: ret;
})";

__global__ void forever(volatile int* data) {
  while (data[threadIdx.x] == 0) {
  }
}

int wrong = 0;
void expect(const char* what, long got, long want) {
  if (got == want) return;
  ++wrong;
  std::printf("%s: %ld for %ld\n", what, got, want);
}

int main(int argc, char**) {
  int count = -1, device = -1, major = 0, value = 0;
  expect("before cuInit", cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
  expect("cuInit", cuInit(0), CUDA_SUCCESS);
  CUdeviceptr data = 0;
  expect("without a context", cuMemAlloc(&data, 64), CUDA_ERROR_INVALID_CONTEXT);
  cuDeviceGetCount(&count);
  expect("devices", count, 1);
  cuDeviceGet(&device, 0);
  cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  expect("9.0", major, 9);
  CUcontext context = nullptr;
  expect("context", cuDevicePrimaryCtxRetain(&context, device), CUDA_SUCCESS);
  cuCtxSetCurrent(context);
  size_t free_bytes = 0, total_bytes = 0;
  cuMemGetInfo(&free_bytes, &total_bytes);
  expect("GiB of an H200", static_cast<long>(total_bytes >> 30), 139);

  CUmodule module = nullptr;
  CUfunction scale = nullptr, none = nullptr;
  expect("a damaged image", cuModuleLoadData(&module, "\x7f" "ELF of no kind, as long as a header that says nothing at all......"), CUDA_ERROR_INVALID_IMAGE);
  expect("module", cuModuleLoadData(&module, kPtx), CUDA_SUCCESS);
  expect("function", cuModuleGetFunction(&scale, module, "scale"), CUDA_SUCCESS);
  expect("no such function", cuModuleGetFunction(&none, module, "scala"), CUDA_ERROR_NOT_FOUND);
  cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, scale);
  expect("threads", value, 1024);

  constexpr unsigned kCount = 1000;
  unsigned host[kCount];
  expect("memory", cuMemAlloc(&data, sizeof host), CUDA_SUCCESS);
  expect("fill", cuMemsetD32(data, 5, kCount), CUDA_SUCCESS);
  unsigned number = kCount;
  void* arguments[] = {&data, &number};
  CUstream stream = nullptr;
  cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
  expect("launch", cuLaunchKernel(scale, 8, 1, 1, 128, 1, 1, 0, stream, arguments, nullptr), CUDA_SUCCESS);
  struct {
    CUdeviceptr data;
    unsigned count;
  } packed{data, kCount};
  size_t size = sizeof packed;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  expect("launch by buffer", cuLaunchKernel(scale, 8, 1, 1, 128, 1, 1, 0, stream, nullptr, extra), CUDA_SUCCESS);
  CUdeviceptr factor = 0;
  expect("variable", cuModuleGetGlobal(&factor, &size, module, "factor"), CUDA_SUCCESS);
  expect("its size", static_cast<long>(size), 4);
  cuMemsetD32(factor, 10, 1);
  cuLaunchKernel(scale, 8, 1, 1, 128, 1, 1, 0, stream, arguments, nullptr);
  expect("wait", cuStreamSynchronize(stream), CUDA_SUCCESS);
  cuMemcpyDtoH(host, data, sizeof host);
  expect("result", host[999], 5 * 3 * 3 * 10);
  expect("2,048 threads", cuLaunchKernel(scale, 1, 1, 1, 2048, 1, 1, 0, stream, arguments, nullptr), CUDA_ERROR_INVALID_VALUE);

  CUDA_MEMCPY2D rows{};
  rows.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  rows.srcDevice = data;
  rows.srcPitch = 400;
  rows.dstMemoryType = CU_MEMORYTYPE_HOST;
  rows.dstHost = host;
  rows.dstPitch = 40;
  rows.WidthInBytes = 40;
  rows.Height = 10;
  expect("rows", cuMemcpy2D(&rows), CUDA_SUCCESS);
  expect("free", cuMemFree(data), CUDA_SUCCESS);
  expect("free again", cuMemFree(data), CUDA_ERROR_INVALID_VALUE);
  void* entry = nullptr;
  CUdriverProcAddressQueryResult status;
  expect("entry", cuGetProcAddress("cuMemAlloc", &entry, 13000, 0, &status), CUDA_SUCCESS);
  expect("its address", entry == reinterpret_cast<void*>(&cuMemAlloc), 1);
  expect("module away", cuModuleUnload(module), CUDA_SUCCESS);
  expect("function of no module", cuLaunchKernel(scale, 8, 1, 1, 128, 1, 1, 0, stream, arguments, nullptr), CUDA_ERROR_INVALID_HANDLE);
  std::printf("%d wrong\n", wrong);
  std::fflush(stdout);
  if (argc == 1) return wrong != 0;
  int* zeros = nullptr;
  cudaMalloc(&zeros, 256);
  cudaMemset(zeros, 0, 256);
  forever<<<2, 64>>>(zeros);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 7;
}
