"""The CUDA driver through ctypes: modules, launches and tensor maps on torch's memory and stream."""
import ctypes as c
import struct

import torch

cuda = c.CDLL("libcuda.so.1")
TYPES = {torch.uint8: 0, torch.float8_e4m3fn: 0, torch.float16: 6, torch.float32: 7, torch.bfloat16: 9}  # CUtensorMapDataType
SWIZZLES = {0: 0, 32: 1, 64: 2, 128: 3}


def check(result, what):
    if result:
        text = c.c_char_p()
        cuda.cuGetErrorString(result, c.byref(text))
        raise RuntimeError(f"{what}: {text.value.decode() if text.value else result}")


class TensorMap:
    """A CUtensorMap of `tensor`: dimensions and box innermost first, in elements; strides of all but the innermost, in bytes."""

    def __init__(self, tensor, dimensions, box, strides=None, swizzle=128):
        rank, size = len(dimensions), tensor.element_size()
        if strides is None:
            strides, at = [], size
            for d in dimensions[:-1]:
                at *= d
                strides.append(at)
        self.storage = c.create_string_buffer(128 + 64)
        self.address = (c.addressof(self.storage) + 63) & ~63
        check(cuda.cuTensorMapEncodeTiled(
            c.c_void_p(self.address), c.c_int(TYPES[tensor.dtype]), c.c_uint32(rank), c.c_void_p(tensor.data_ptr()),
            (c.c_uint64 * rank)(*dimensions), (c.c_uint64 * max(rank - 1, 1))(*strides), (c.c_uint32 * rank)(*box),
            (c.c_uint32 * rank)(*[1] * rank), c.c_int(0), c.c_int(SWIZZLES[swizzle]), c.c_int(2), c.c_int(0)),
            f"tensor map of {dimensions} in boxes of {box}")


class Kernel:
    """A kernel of a cubin. Arguments: tensors, tensor maps, bytes (structs), ints (32 bits) and floats (fp32)."""

    def __init__(self, cubin, name, shared_bytes=0):
        module, self.function = c.c_void_p(), c.c_void_p()
        check(cuda.cuModuleLoad(c.byref(module), str(cubin).encode()), f"cuModuleLoad {cubin}")
        check(cuda.cuModuleGetFunction(c.byref(self.function), module, name.encode()), f"{name} in {cubin}")
        self.shared_bytes = shared_bytes
        if shared_bytes > 48 * 1024:
            check(cuda.cuFuncSetAttribute(self.function, c.c_int(8), c.c_int(shared_bytes)), f"{shared_bytes} bytes of shared memory")

    def launcher(self, grid, block, *arguments):
        """A function that launches; arguments are made once and kept alive by it."""
        kept, pointers = [], []
        for a in arguments:
            if isinstance(a, TensorMap):
                kept.append(a)
                pointers.append(a.address)
                continue
            if a is None or isinstance(a, torch.Tensor):
                data = struct.pack("Q", 0 if a is None else a.data_ptr())
            else:
                data = a if isinstance(a, bytes) else struct.pack("f" if isinstance(a, float) else "i", a)
            buffer = c.create_string_buffer(data, len(data))
            kept += [a, buffer]
            pointers.append(c.addressof(buffer))
        parameters = (c.c_void_p * len(pointers))(*pointers)
        sizes = [c.c_uint(x) for x in (*grid, *[1] * (3 - len(grid)), *block, *[1] * (3 - len(block)))]

        def launch(kept=kept):
            check(cuda.cuLaunchKernel(self.function, *sizes, c.c_uint(self.shared_bytes),
                                      c.c_void_p(torch.cuda.current_stream().cuda_stream), parameters, None), "launch")
        return launch
