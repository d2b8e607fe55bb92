"""Argument: late_thread.cpp, compiled. Its thread asks for Python's lock while Python ends."""
import ctypes
import sys

ctypes.CDLL("libcudart.so.13")
ctypes.CDLL(sys.argv[1]).begin()


class Last:
    """Goes when Python takes its modules down."""

    def __init__(self) -> None:
        self.end = ctypes.PyDLL(sys.argv[1]).end

    def __del__(self) -> None:
        self.end()


last = Last()
print("ends", flush=True)
