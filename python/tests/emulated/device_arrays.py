"""What programs share that call CUDA's libraries without PyTorch: arrays in memory of the device, and calls that are checked."""
import ctypes
import sys

import numpy as np

TYPES = {"S": np.float32, "D": np.float64, "C": np.complex64, "Z": np.complex128}
REAL = {"S": np.float32, "D": np.float64, "C": np.float32, "Z": np.float64}
NUMBERS = {"S": 0, "D": 1, "C": 4, "Z": 5}  # cudaDataType
RUNTIME = ctypes.CDLL("libcudart.so.13")
rng = np.random.default_rng(9)


class Array:
    """NumPy's array in memory of the device, column by column."""

    def __init__(self, values):
        values = np.asarray(values)
        self.shape, self.dtype, self.size, self.at = values.shape, values.dtype, values.nbytes, ctypes.c_void_p()
        RUNTIME.cudaMalloc(ctypes.byref(self.at), ctypes.c_size_t(max(self.size, 1)))
        flat = values.flatten(order="F")
        RUNTIME.cudaMemcpy(self.at, ctypes.c_void_p(flat.ctypes.data), ctypes.c_size_t(self.size), 1)

    def get(self):
        flat = np.empty(int(np.prod(self.shape)), self.dtype)
        RUNTIME.cudaMemcpy(ctypes.c_void_p(flat.ctypes.data), self.at, ctypes.c_size_t(self.size), 2)
        return flat.reshape(self.shape, order="F")


class Library:
    """Calls of a library by the names behind its prefix, each with the handle. A status other than `want` ends the program."""

    def __init__(self, name, prefix, create):
        self.library, self.prefix, self.handle = ctypes.CDLL(name), prefix, ctypes.c_void_p()
        self.made(create, self.handle)

    @staticmethod
    def passed(arguments):
        return [a.at if isinstance(a, Array) else ctypes.c_void_p(a.ctypes.data) if isinstance(a, np.ndarray) else a for a in arguments]

    def made(self, name, out=None, *arguments):
        """Calls a function that makes an object, without the handle."""
        out = ctypes.c_void_p() if out is None else out
        if getattr(self.library, self.prefix + name)(ctypes.byref(out), *self.passed(arguments)) != 0:
            sys.exit(name)
        return out

    def __call__(self, name, *arguments, want=0):
        if (got := getattr(self.library, self.prefix + name)(self.handle, *self.passed(arguments))) != want:
            sys.exit(f"{name}: {got}, not {want}")


def numbers(letter, *shape):
    out = rng.uniform(-1, 1, shape)
    return (out + 1j * rng.uniform(-1, 1, shape) if letter in "CZ" else out).astype(TYPES[letter])


def same(what, got, want, letter):
    """H: half precision, by one place."""
    within = {"S": 2e-4, "C": 2e-4, "H": 1e-3}.get(letter, 1e-10)
    if not np.allclose(got, want, rtol=within, atol=within, equal_nan=True):
        sys.exit(f"{what}: {got}, not {want}")
