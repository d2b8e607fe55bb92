"""One product, which a library computes, and no kernel of PyTorch's own; the argument `long` reads past the end of memory."""
import ctypes
import sys

import torch

a = (torch.arange(64 * 64, dtype=torch.float32).reshape(64, 64) / 64).cuda()
if sys.argv[1:] == ["long"]:
    cublas = ctypes.CDLL("libcublas.so.13")
    handle, one, zero = ctypes.c_void_p(), ctypes.c_float(1), ctypes.c_float(0)
    assert cublas.cublasCreate_v2(ctypes.byref(handle)) == 0
    n, rows = ctypes.c_int(64), ctypes.c_int(1 << 24)
    at = ctypes.c_void_p(a.data_ptr())
    cublas.cublasSgemm_v2(handle, 0, 0, n, n, rows, ctypes.byref(one), at, n, at, rows, ctypes.byref(zero), at, n)
else:
    print("equal" if torch.allclose((a @ a).cpu(), a.cpu() @ a.cpu()) else "different")
