"""The CUDA driver through ctypes, in the candidate's process: surrounds each call with work that bypasses the
candidate's frameworks.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

POISON = 0x7FC0DEAD  # a NaN of float32 that no arithmetic gives
_DELAY_BYTES = 8 << 20
_DELAY_COPIES = 16  # 128 MiB over the bus: milliseconds, longer than a call takes to issue


class Device:
    """The first GPU, its primary context, and the default stream."""

    __slots__ = ("_cuda", "_context", "_marks", "_mark_bytes", "_delay")

    def __init__(self) -> None:
        self._cuda = ctypes.CDLL("libcuda.so.1")
        self._call("cuInit", 0)
        self._context = ctypes.c_void_p()
        self._call("cuDevicePrimaryCtxRetain", ctypes.byref(self._context), 0)
        self._call("cuCtxSetCurrent", self._context)
        self._marks = 0
        self._mark_bytes = 0

    def _call(self, name: str, *arguments: object) -> None:
        error = getattr(self._cuda, name)(*arguments)
        if error:
            raise RuntimeError(f"{name} returned error {error}")

    def allocate(self, size_bytes: int) -> int:
        address = ctypes.c_uint64()
        self._call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(1, size_bytes)))
        return address.value

    def free(self, address: int) -> None:
        self._call("cuMemFree_v2", ctypes.c_uint64(address))

    def poison(self, address: int, size_bytes: int) -> None:
        """Fills whole words; the default stream."""
        if size_bytes >= 4:
            self._call("cuMemsetD32Async", ctypes.c_uint64(address), ctypes.c_uint(POISON), ctypes.c_size_t(size_bytes // 4), None)

    def upload(self, address: int, data: bytes) -> None:
        if data:
            self._call("cuMemcpyHtoD_v2", ctypes.c_uint64(address), data, ctypes.c_size_t(len(data)))

    def download(self, address: int, size_bytes: int) -> bytes:
        data = ctypes.create_string_buffer(max(1, size_bytes))
        if size_bytes:
            self._call("cuMemcpyDtoH_v2", data, ctypes.c_uint64(address), ctypes.c_size_t(size_bytes))
        return data.raw[:size_bytes]

    def synchronize(self) -> None:
        self._call("cuCtxSynchronize")

    def prepare_marks(self, largest_bytes: int) -> None:
        self._mark_bytes = largest_bytes
        self._marks = self.allocate(largest_bytes)
        host = ctypes.c_void_p()
        self._call("cuMemAllocHost_v2", ctypes.byref(host), ctypes.c_size_t(_DELAY_BYTES))
        self._delay = host, self.allocate(_DELAY_BYTES)

    def mark(self, size_bytes: int) -> None:
        """Fills this many bytes in the default stream: the recording shows the fill between the candidate's kernels."""
        self._call("cuMemsetD8Async", ctypes.c_uint64(self._marks), ctypes.c_ubyte(0), ctypes.c_size_t(min(size_bytes, self._mark_bytes)), None)

    def delay(self) -> None:
        """Copies that keep the default stream busy while a call is issued, so work that does not wait for this stream visibly starts too early.
        """
        host, there = self._delay
        for _ in range(_DELAY_COPIES):
            self._call("cuMemcpyHtoDAsync_v2", ctypes.c_uint64(there), host, ctypes.c_size_t(_DELAY_BYTES), None)


def product(shape: Sequence[int]) -> int:
    out = 1
    for size in shape:
        out *= size
    return out
