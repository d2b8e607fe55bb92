"""Libraries that play CUPTI and the driver in tests, and programs beside them, compiled from C."""
import pathlib
import shutil
import subprocess
import sys

# Of a program in Python: push(b"name") and pop() as a program with NVTX calls them, into the `library` that NVTX injects.
NVTX = r"""
import ctypes, os
library = ctypes.CDLL(os.environ["NVTX_INJECTION64_PATH"])
slots = {1: (ctypes.c_void_p * 16)(), 5: (ctypes.c_void_p * 16)()}  # of the modules CORE and CORE2
tables = {m: (ctypes.c_void_p * 16)(*[ctypes.addressof(s) + 8 * i for i in range(16)]) for m, s in slots.items()}

@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_uint))
def get_functions(module, table, size):
    table[0], size[0] = ctypes.addressof(tables[module]), 16
    return 1

class Exports(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_size_t), ("get", ctypes.c_void_p)]

exports = Exports(ctypes.sizeof(Exports), ctypes.cast(get_functions, ctypes.c_void_p).value)
get_table = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint)(lambda number: ctypes.addressof(exports))
assert library.InitializeInjectionNvtx2(get_table) == 1
push, pop = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p)(slots[1][9]), ctypes.CFUNCTYPE(ctypes.c_int)(slots[1][11])
"""

TESTS = pathlib.Path(__file__).resolve().parent


def compiler():
    """The C compiler here; ends the test as skipped where there is none."""
    found = shutil.which("cc") or shutil.which("gcc")
    if not found:
        sys.exit(77)
    return found


def library(source, folder, name, *with_libraries):
    """FOLDER/NAME from tests/SOURCE, linked with the libraries that are named."""
    path = pathlib.Path(folder) / name
    subprocess.run([compiler(), "-shared", "-fPIC", f"-Wl,-soname,{name}", TESTS / source, *with_libraries, "-o", path], check=True)
    return path


def program(source, folder, *with_libraries):
    path = pathlib.Path(folder) / pathlib.Path(source).stem
    subprocess.run([compiler(), TESTS / source, *with_libraries, "-o", path, "-ldl"], check=True)
    return path
