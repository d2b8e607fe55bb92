#!/usr/bin/env python3
"""NVML's stand-in answers as the chosen GPU does. Argument: the program. With --inside it is the program that asks."""
import ctypes
import subprocess
import sys

OK, UNINITIALISED, INVALID, UNSUPPORTED, NOT_FOUND, TOO_SMALL = 0, 1, 2, 3, 6, 7


class Memory(ctypes.Structure):
    _fields_ = [("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong)]


class Process(ctypes.Structure):
    _fields_ = [("pid", ctypes.c_uint), ("used", ctypes.c_ulonglong), ("gpu", ctypes.c_uint), ("compute", ctypes.c_uint)]


class Pci(ctypes.Structure):
    _fields_ = [("short", ctypes.c_char * 16), ("numbers", ctypes.c_uint * 5), ("id", ctypes.c_char * 32)]


def same(got, want, what):
    if got != want:
        sys.exit(f"{what}: {got}, expected {want}")


def ask(name, major, minor, memory_bytes, cores, clock):
    nvml, runtime = ctypes.CDLL("libnvidia-ml.so.1"), ctypes.CDLL("libcudart.so.13")
    count, handle, text = ctypes.c_uint(), ctypes.c_void_p(), ctypes.create_string_buffer(96)
    same(nvml.nvmlDeviceGetCount_v2(ctypes.byref(count)), UNINITIALISED, "before nvmlInit")
    same(nvml.nvmlDeviceGetTemperature(None, 0, ctypes.byref(count)), UNINITIALISED, "before nvmlInit, what is not known")
    same(nvml.nvmlInit_v2(), OK, "nvmlInit")
    same((nvml.nvmlDeviceGetCount_v2(ctypes.byref(count)), count.value), (OK, 2), "count")
    same(nvml.nvmlDeviceGetHandleByIndex_v2(2, ctypes.byref(handle)), INVALID, "the third of two")
    same(nvml.nvmlDeviceGetHandleByIndex_v2(1, ctypes.byref(handle)), OK, "the second")
    same(nvml.nvmlDeviceGetName(handle, text, 3), TOO_SMALL, "a name in 3 bytes")
    same((nvml.nvmlDeviceGetName(handle, text, 96), text.value.decode()), (OK, name), "name")
    number, other = ctypes.c_uint(), ctypes.c_int()
    nvml.nvmlDeviceGetCudaComputeCapability(handle, ctypes.byref(number), ctypes.byref(other))
    same((number.value, other.value), (major, minor), "compute capability")
    for call, words, want in (("NumGpuCores", [], cores), ("ClockInfo", [1], clock), ("Index", [], 1)):
        code = getattr(nvml, "nvmlDeviceGet" + call)(handle, *words, ctypes.byref(number))
        same((code, number.value), (OK, want), call)
    for call, words in (("ClockInfo", [2]), ("Temperature", [0]), ("PowerUsage", []), ("FanSpeed", []), ("UtilizationRates", [])):
        same(getattr(nvml, "nvmlDeviceGet" + call)(handle, *words, ctypes.byref(number)), UNSUPPORTED, call)
    check_handles(nvml, runtime, handle, text)
    check_memory(nvml, runtime, handle, memory_bytes)
    nvml.nvmlErrorString.restype = ctypes.c_char_p
    same([nvml.nvmlErrorString(k) for k in (0, 6, 999)], [b"Success", b"Not Found", b"Unknown Error"], "texts")
    same((nvml.nvmlShutdown(), nvml.nvmlShutdown()), (OK, UNINITIALISED), "nvmlShutdown")
    print("as expected")


def check_handles(nvml, runtime, handle, text):
    """One GPU by its index, its UUID and its place on the bus, which is CUDA's."""
    found, pci = ctypes.c_void_p(), Pci()
    nvml.nvmlDeviceGetUUID(handle, text, 96)
    same((nvml.nvmlDeviceGetHandleByUUID(text, ctypes.byref(found)), found.value), (OK, handle.value), "by UUID")
    same(nvml.nvmlDeviceGetHandleByUUID(b"GPU-1", ctypes.byref(found)), NOT_FOUND, "by a UUID that is none")
    nvml.nvmlDeviceGetPciInfo_v3(handle, ctypes.byref(pci))
    runtime.cudaDeviceGetPCIBusId(text, 96, 1)
    same(text.value, pci.short, "PCI")
    for place in (pci.short, pci.id):
        same((nvml.nvmlDeviceGetHandleByPciBusId_v2(place, ctypes.byref(found)), found.value), (OK, handle.value), "by PCI")
    same(nvml.nvmlDeviceGetHandleByPciBusId_v2(b"nowhere", ctypes.byref(found)), INVALID, "by a place that is none")


def check_memory(nvml, runtime, handle, memory_bytes):
    """Memory that this process allocates is used, by this process."""
    memory, address, count, process = Memory(), ctypes.c_void_p(), ctypes.c_uint(1), Process()
    runtime.cudaSetDevice(1)
    nvml.nvmlDeviceGetMemoryInfo(handle, ctypes.byref(memory))
    same((memory.total, memory.free, memory.used), (memory_bytes, memory_bytes, 0), "memory before")
    nvml.nvmlDeviceGetComputeRunningProcesses_v3(handle, ctypes.byref(count), None)
    same(count.value, 0, "processes before")
    runtime.cudaMalloc(ctypes.byref(address), ctypes.c_size_t(3 << 20))
    nvml.nvmlDeviceGetMemoryInfo(handle, ctypes.byref(memory))
    same((memory.total - memory.free, memory.used), (3 << 20, 3 << 20), "memory")
    same((nvml.nvmlDeviceGetComputeRunningProcesses_v3(handle, ctypes.byref(count), None), count.value), (TOO_SMALL, 1), "no room")
    same(nvml.nvmlDeviceGetComputeRunningProcesses_v3(handle, ctypes.byref(count), ctypes.byref(process)), OK, "processes")
    same(process.used, 3 << 20, "of this process")


def main(program):
    gpus = {"h200": ("NVIDIA H200 SXM (emulated by warplens)", 9, 0, 150109880320, 16896, 1980),
            "a100": ("NVIDIA A100 SXM 80GB (emulated by warplens)", 8, 0, 80 << 30, 6912, 1410)}
    for key, facts in gpus.items():
        inside = [sys.executable, __file__, "--inside", *map(str, facts)]
        done = subprocess.run([program, "emulate", "--device", key, "--devices", "2", "--", *inside], capture_output=True, text=True, check=False)
        if done.returncode != 0 or done.stdout != "as expected\n":
            sys.exit(f"{key}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    print(f"{len(gpus)} GPUs answer as they are")


if __name__ == "__main__":
    if sys.argv[1] == "--inside":
        ask(sys.argv[2], *map(int, sys.argv[3:]))
    else:
        main(sys.argv[1])
