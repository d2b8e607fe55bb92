"""Doubles 1,024 numbers ten times through CUDA's driver, and reads them back each time: a program that needs Python alone."""
import ctypes
import sys

PTX = b"""
.version 7.0
.target sm_70
.address_size 64
.visible .entry doubled(.param .u64 data) {
  .reg .b32 %r<5>;
  .reg .b64 %rd<5>;
  .reg .f32 %f<3>;
  ld.param.u64 %rd1, [data];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  mul.wide.s32 %rd3, %r4, 4;
  add.s64 %rd4, %rd2, %rd3;
  ld.global.f32 %f1, [%rd4];
  add.f32 %f2, %f1, %f1;
  st.global.f32 [%rd4], %f2;
  ret;
}
"""
SIZE = 1024


def call(name, *arguments):
    error = getattr(cuda, name)(*arguments)
    if error != 0:
        sys.exit(f"{name}: {error}")


cuda = ctypes.CDLL("libcuda.so.1")
device, context, module, kernel, data = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_uint64()
call("cuInit", 0)
call("cuDeviceGet", ctypes.byref(device), 0)
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
call("cuCtxSetCurrent", context)
call("cuModuleLoadData", ctypes.byref(module), PTX)
call("cuModuleGetFunction", ctypes.byref(kernel), module, b"doubled")
call("cuMemAlloc_v2", ctypes.byref(data), ctypes.c_size_t(4 * SIZE))
numbers = (ctypes.c_float * SIZE)(*([1.0] * SIZE))
call("cuMemcpyHtoD_v2", data, numbers, ctypes.c_size_t(4 * SIZE))
parameters = (ctypes.c_void_p * 1)(ctypes.cast(ctypes.byref(data), ctypes.c_void_p))
for _ in range(10):
    call("cuLaunchKernel", kernel, SIZE // 128, 1, 1, 128, 1, 1, 0, None, parameters, None)
    call("cuMemcpyDtoH_v2", numbers, data, ctypes.c_size_t(4 * SIZE))
if set(numbers) != {1024.0}:
    sys.exit(f"wrong: {set(numbers)}")
