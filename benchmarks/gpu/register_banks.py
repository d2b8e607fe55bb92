#!/usr/bin/env python3
"""The cost of an arithmetic instruction by the banks of its registers, as CSV: operation, variant, warps of an SM, cycles of a
sub-partition for a warp instruction.

Compiles a loop of one instruction, and writes other registers into its machine code: sources in the target's bank or not, with the operand
cache (.reuse) or without. Results are not numbers that mean anything. register_banks.py check: only compiles and patches, without a GPU."""
import ctypes
import struct
import subprocess
import sys
import tempfile

SOURCE = r"""
extern "C" __global__ void loop(TYPE* out, int turns, TYPE a, TYPE b) {
  TYPE r[32];
  for (int k = 0; k < 32; ++k) r[k] = out[threadIdx.x * 32 + k];
  const long long from = clock64();
#pragma unroll 1
  for (int t = 0; t < turns; ++t)
#pragma unroll
    for (int k = 0; k < 256; ++k) r[k % 32] = OPERATION;
  const long long to = clock64();
  TYPE sum = 0;
  for (int k = 0; k < 32; ++k) sum += r[k];
  out[threadIdx.x] = sum;
  if (threadIdx.x == 0 && blockIdx.x == 0) *(long long*)(out + 65536) = to - from;
}
"""
MIXED = "(k % 2 ? __int_as_float(__float_as_int(r[k % 32]) ^ __float_as_int(b)) : r[k % 32] * a + b)"
# Name -> type, what the loop does, code of the instruction that is changed.
OPERATIONS = {"ffma": ("float", "r[k % 32] * a + b", 0x023), "ffma_lop3": ("float", MIXED, 0x023), "imad": ("int", "r[k % 32] * a + b", 0x024),
              "fadd": ("float", "r[k % 32] + a", 0x021)}
# Sources a, b and c: an even register, an odd one, none (z); k: an odd one that stays in the operand cache. Several in turn: with a plus.
ALONE = ["ekz", "eko", "eke", "eke+oko", "eke+eko", "eoz", "eoe", "eoe+oeo", "eoe+ekz", "eeo", "eee"]
VARIANTS = {"ffma": ALONE, "ffma_lop3": ["eko", "eke", "eoe", "eee"], "imad": ["eko", "eoe", "eee"], "fadd": ["eo", "ee", "ee+oo", "ee+eo"]}
TURNS = 200


def compiled(kind, expression):
    with tempfile.TemporaryDirectory() as folder:
        open(f"{folder}/k.cu", "w").write(SOURCE.replace("TYPE", kind).replace("OPERATION", expression))
        subprocess.run(["nvcc", "-arch=sm_90", "-cubin", "-o", f"{folder}/k.cubin", f"{folder}/k.cu"], check=True)
        return open(f"{folder}/k.cubin", "rb").read()


def patched(image, code, variant):
    """Every instruction of this code whose target is its first source too, as the loop's are, reads other registers; how many there were."""
    image, found = bytearray(image), []
    for at in range(0, len(image) - 15, 16):
        low, high = struct.unpack_from("<QQ", image, at)
        if low & 0x1FF == code and low >> 16 & 255 == low >> 24 & 255 < 255:
            found.append(at)
    found = found[:256]  # the loop's
    shapes, banks = variant.split("+"), {"e": range(0, 36, 2), "o": range(1, 36, 2)}
    for k, at in enumerate(found):
        low, high = struct.unpack_from("<QQ", image, at)
        places, used = [], set()
        for step, letter in zip((3, 5, 7), shapes[k % len(shapes)]):
            free = [r for r in banks.get(letter, []) if r not in used and r != banks["o"][0]]
            places.append(255 if letter == "z" else banks["o"][0] if letter == "k" else free[k * step % len(free)])
            used.add(places[-1])
        low = low & ~(0x7 << 9 | 0xFF << 24 | 0xFFFFFFFF << 32) | 1 << 9 | places[0] << 24 | places[1] << 32  # all sources are registers
        high &= ~(1 << 27 | 0x7 << 58)  # a uniform source, the operand cache
        if len(places) == 3: high = high & ~0xFF | places[2]
        if "k" in shapes[k % len(shapes)]: high |= 1 << 59
        struct.pack_into("<QQ", image, at, low, high)
    return bytes(image), len(found)


class Gpu:
    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.check(self.cuda.cuInit(0))
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.check(self.cuda.cuDeviceGet(ctypes.byref(device), 0))
        self.check(self.cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device))
        self.check(self.cuda.cuCtxSetCurrent(context))
        self.out = ctypes.c_uint64()
        self.check(self.cuda.cuMemAlloc_v2(ctypes.byref(self.out), 1 << 20))
        self.check(self.cuda.cuMemsetD8_v2(self.out, 0, 1 << 20))

    @staticmethod
    def check(code):
        if code: raise RuntimeError(f"CUDA error {code}")

    def cycles(self, image, warps):
        module, function, got = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int64()
        self.check(self.cuda.cuModuleLoadData(ctypes.byref(module), image))
        self.check(self.cuda.cuModuleGetFunction(ctypes.byref(function), module, b"loop"))
        turns, a = ctypes.c_int(TURNS), ctypes.c_int(0)
        values = (ctypes.c_void_p * 4)(*(ctypes.cast(ctypes.pointer(v), ctypes.c_void_p) for v in (self.out, turns, a, a)))
        for _ in range(3):
            self.check(self.cuda.cuLaunchKernel(function, 132, 1, 1, 32 * warps, 1, 1, 0, None, values, None))
            self.check(self.cuda.cuCtxSynchronize())
        self.check(self.cuda.cuMemcpyDtoH_v2(ctypes.byref(got), ctypes.c_uint64(self.out.value + 4 * 65536), 8))
        self.check(self.cuda.cuModuleUnload(module))
        return got.value


def main(only_check):
    gpu = None if only_check else Gpu()
    print("operation,variant,warps,cycles")
    for name, (kind, expression, code) in OPERATIONS.items():
        image = compiled(kind, expression)
        for variant in VARIANTS[name]:
            changed, count = patched(image, code, variant)
            for warps in (4, 8, 16, 32):
                cycles = 0 if only_check else gpu.cycles(changed, warps) / (TURNS * 256 * warps / 4)
                print(f"{name},{variant},{warps},{cycles:.3f}" + (f",{count} instructions" if only_check else ""), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] == ["check"])
