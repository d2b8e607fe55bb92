#!/usr/bin/env python3
"""Calls of the driver that programs look up by themselves: what a module holds, copies of arrays, words that streams write and
wait for, the first forms of calls, and files that show that there is a GPU. Argument: the program. With --inside it is the program that calls."""
import ctypes
import os
import subprocess
import sys

OK, INVALID, NOT_SUPPORTED = 0, 1, 801
PTX = b""".version 8.0
.target sm_80
.address_size 64
.visible .entry first(.param .u64 p) { ret; }
.visible .entry second() { ret; }
.func (.param .u32 r) neither(.param .u32 a) { .reg .u32 x; ld.param.u32 x, [a]; st.param.u32 [r], x; ret; }
"""
DRIVER = None
REF, SIZE, WORD = ctypes.byref, ctypes.c_size_t, ctypes.c_uint


def same(got, want, what):
    if got != want:
        sys.exit(f"{what}: {got}, expected {want}")


def handle():
    return ctypes.c_void_p()


class ArrayDescription(ctypes.Structure):
    _fields_ = [("width", SIZE), ("height", SIZE), ("format", ctypes.c_int), ("channels", WORD)]


class Launch(ctypes.Structure):
    _fields_ = [("sizes", WORD * 6), ("shared", WORD), ("stream", ctypes.c_void_p), ("attributes", ctypes.c_void_p), ("count", WORD)]


class Operation(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("address", ctypes.c_void_p), ("value", ctypes.c_uint64), ("flags", WORD), ("alias", ctypes.c_void_p),
                ("rest", ctypes.c_uint64)]


def modules():
    module, library, of, count, clusters = handle(), handle(), handle(), WORD(), ctypes.c_int()
    same(DRIVER.cuModuleLoadData(REF(module), PTX), OK, "module")
    same((DRIVER.cuModuleGetFunctionCount(REF(count), module), count.value), (OK, 2), "its functions")
    functions, name = (ctypes.c_void_p * 3)(), ctypes.c_char_p()
    same(DRIVER.cuModuleEnumerateFunctions(functions, 3, module), OK, "them all")
    names = []
    for function in functions[:2]:
        same(DRIVER.cuFuncGetName(REF(name), ctypes.c_void_p(function)), OK, "a name")
        names.append(name.value)
    same((sorted(names), functions[2]), ([b"first", b"second"], None), "names")
    same((DRIVER.cuFuncGetModule(REF(of), ctypes.c_void_p(functions[0])), of.value), (OK, module.value), "the module of a function")
    by_name = handle()
    DRIVER.cuModuleGetFunction(REF(by_name), module, b"first")
    same(by_name.value in functions[:2], True, "one handle for a function")
    launch = Launch(sizes=(WORD * 6)(8, 1, 1, 128, 1, 1))
    same((DRIVER.cuOccupancyMaxPotentialClusterSize(REF(clusters), by_name, REF(launch)), clusters.value), (OK, 8), "a cluster")
    same(DRIVER.cuLibraryLoadData(REF(library), PTX, None, None, 0, None, None, 0), OK, "library")
    same((DRIVER.cuLibraryGetKernelCount(REF(count), library), count.value), (OK, 2), "its kernels")
    same(DRIVER.cuLibraryEnumerateKernels(functions, 1, library), OK, "one of them")
    same((DRIVER.cuKernelGetLibrary(REF(of), ctypes.c_void_p(functions[0])), of.value), (OK, library.value), "the library of a kernel")


def logs():
    """What is wrong with PTX is told where the program asked for it."""
    module, error, info = handle(), ctypes.create_string_buffer(b"#" * 512, 512), ctypes.create_string_buffer(b"#" * 512, 512)
    wrong = PTX.replace(b"ret; }", b"mov.u32 %none, 1; ret; }", 1)

    def load(image, room):
        values = (ctypes.c_void_p * 4)(ctypes.addressof(info), 512, ctypes.addressof(error), room)
        return DRIVER.cuModuleLoadDataEx(REF(module), image, 4, (ctypes.c_int * 4)(3, 4, 5, 6), values), values[3] or 0

    result, length = load(wrong, 512)
    same((result, b"%none" in error.value, length, info.value), (218, True, len(error.value), b""), "the log of wrong PTX")
    same((load(wrong, 8), len(error.value)), ((218, 8), 7), "a short log")
    same((load(PTX, 512), error.value), ((OK, 0), b""), "the log of right PTX")


def arrays():
    array, device, back = handle(), handle(), (WORD * 16)()
    described = ArrayDescription(width=16, height=0, format=3, channels=1)
    same(DRIVER.cuArrayCreate_v2(REF(array), REF(described)), OK, "array")
    DRIVER.cuMemAlloc_v2(REF(device), SIZE(64))
    same(DRIVER.cuMemcpyHtoA_v2(array, SIZE(0), (WORD * 16)(*range(16)), SIZE(64)), OK, "into it")
    same(DRIVER.cuMemcpyAtoA_v2(array, SIZE(32), array, SIZE(0), SIZE(32)), OK, "within it")
    same(DRIVER.cuMemcpyAtoD_v2(device, array, SIZE(16), SIZE(32)), OK, "to memory")
    same(DRIVER.cuMemcpyDtoA_v2(array, SIZE(0), device, SIZE(8)), OK, "and back")
    same(DRIVER.cuMemcpyAtoH_v2(back, array, SIZE(0), SIZE(64)), OK, "to the host")
    same(list(back), [4, 5, *range(2, 8), *range(8)], "what came back")
    same(DRIVER.cuMemcpyAtoH_v2(back, array, SIZE(32), SIZE(64)), INVALID, "past its end")


def contexts():
    """Memory, streams and events are of the context that was current when they were made. As an H200 answers."""
    primary, other, first, second, of, early, late, event = (handle() for _ in range(8))
    DRIVER.cuCtxGetCurrent(REF(primary))
    DRIVER.cuMemAlloc_v2(REF(first), SIZE(64))
    DRIVER.cuStreamCreate(REF(early), 0)
    same(DRIVER.cuCtxCreate_v2(REF(other), 0, 0), OK, "another context")
    DRIVER.cuMemAlloc_v2(REF(second), SIZE(64))
    for memory, owner in ((first, primary), (second, other)):
        same((DRIVER.cuPointerGetAttribute(REF(of), 1, memory), of.value), (OK, owner.value), "the context of memory")
    DRIVER.cuStreamCreateWithPriority(REF(late), 0, 0), DRIVER.cuEventCreate(REF(event), 0)
    same([DRIVER.cuEventRecord(event, stream) for stream in (early, late, None)], [400, OK, OK], "an event of another context")
    same(DRIVER.cuStreamWaitEvent(early, event, 0), OK, "which may wait for it")
    for stream, owner in ((early, primary), (late, other), (None, other), (ctypes.c_void_p(1), other)):
        same((DRIVER.cuStreamGetCtx(stream, REF(of)), of.value), (OK, owner.value), "the context of a stream")
    DRIVER.cuCtxPopCurrent_v2(REF(other))
    same((DRIVER.cuStreamGetCtx(late, REF(of)), of.value), (OK, other.value), "where its context is not current")
    same(DRIVER.cuCtxDestroy_v2(other), OK, "a context ends")
    same(DRIVER.cuMemFree_v2(second), INVALID, "its memory with it")
    same(DRIVER.cuPointerGetAttribute(REF(of), 4, first), INVALID, "the host's pointer to device memory")
    pool, pooled = handle(), handle()
    DRIVER.cuDeviceGetDefaultMemPool(REF(pool), 0), DRIVER.cuMemAllocAsync(REF(pooled), SIZE(64), None)
    for memory, of_pool in ((first, None), (pooled, pool.value)):
        same((DRIVER.cuPointerGetAttribute(REF(of), 17, memory), of.value), (OK, of_pool), "the pool of memory")
    kind, number, device = WORD(9), ctypes.c_uint64(9), ctypes.c_int(9)
    several = (ctypes.c_void_p * 4)(*[ctypes.addressof(value) for value in (of, kind, number, device)])
    of.value = 9
    same(DRIVER.cuPointerGetAttributes(4, (ctypes.c_int * 4)(1, 2, 12, 9), several, ctypes.c_void_p(ctypes.addressof(kind))), OK, "memory of the host")
    same((of.value, kind.value, number.value, device.value), (None, 0, 0, -2), "has none of them")


class Sms(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("reserved", ctypes.c_uint8 * 92), ("sms", WORD), ("least", WORD), ("alignment", WORD), ("unused", WORD * 9)]


def green_contexts():
    """An H200's answers: (SMs that are asked for, groups, SMs of a group, SMs that remain), then those without coscheduling."""
    all_sms, rest, groups, count, wrong_type, wrong_split = Sms(), Sms(), (Sms * 160)(), WORD(), 914, 915
    same(DRIVER.cuDeviceGetDevResource(0, REF(all_sms), 1), OK, "the SMs")
    same((all_sms.type, all_sms.sms, all_sms.least, all_sms.alignment), (1, 132, 8, 8), "how many")
    same((DRIVER.cuDeviceGetDevResource(0, REF(rest), 2), DRIVER.cuDeviceGetDevResource(7, REF(rest), 1)), (wrong_type, 101), "what there is not")
    together = [(9, 8, 16, 4), (17, 5, 24, 12), (32, 4, 32, 4), (48, 2, 48, 36), (60, 2, 64, 4), (66, 1, 72, 60), (120, 1, 120, 12), (131, 1, 132, 0)]
    apart = [(1, 66, 2, 0), (3, 33, 4, 0), (7, 16, 8, 4), (9, 13, 10, 2), (60, 2, 60, 12), (67, 1, 68, 64), (131, 1, 132, 0)]
    for flags, rows in ((0, together), (2, together), (1, apart)):
        for least, made, size, left in rows:
            count.value = 160
            same(DRIVER.cuDevSmResourceSplitByCount(groups, REF(count), REF(all_sms), REF(rest), flags, least), OK, f"split {least}")
            same((count.value, groups[0].sms, rest.sms, rest.type), (made, size, left, 1 if left else 0), f"{least} SMs, flags {flags}")
            same(DRIVER.cuDevSmResourceSplitByCount(None, REF(count), REF(all_sms), None, flags, least), OK, "how many groups")
            same(count.value, made, "groups")
    split = lambda flags, least: DRIVER.cuDevSmResourceSplitByCount(groups, REF(count), REF(all_sms), REF(rest), flags, least)
    same((split(0, 133), split(3, 8)), (wrong_split, INVALID), "splits that are refused")
    count.value = 2
    same((split(0, 16), count.value, rest.sms), (OK, 2, 100), "two groups")
    description, green, context, stream, of, current = handle(), handle(), handle(), handle(), handle(), handle()
    same(DRIVER.cuDevResourceGenerateDesc(REF(description), groups, 1), OK, "a descriptor")
    same(DRIVER.cuGreenCtxCreate(REF(green), description, 0, 0), INVALID, "no default stream")
    same(DRIVER.cuGreenCtxCreate(REF(green), description, 0, 1), OK, "a green context")
    same((DRIVER.cuCtxFromGreenCtx(REF(context), green), DRIVER.cuGreenCtxGetDevResource(green, REF(rest), 1), rest.sms), (OK, OK, 16), "its SMs")
    same((DRIVER.cuCtxGetDevResource(context, REF(rest), 1), rest.sms), (OK, 16), "the context's SMs")
    same((DRIVER.cuGreenCtxStreamCreate(REF(stream), green, 0, 0), DRIVER.cuGreenCtxStreamCreate(REF(stream), green, 1, 0)), (INVALID, OK), "a stream")
    same((DRIVER.cuStreamGetGreenCtx(stream, REF(of)), of.value), (OK, green.value), "the stream's")
    same((DRIVER.cuStreamGetCtx(stream, REF(of)), of.value), (OK, context.value), "as a context")
    same((DRIVER.cuStreamGetGreenCtx(None, REF(of)), of.value), (OK, None), "of the default stream")
    DRIVER.cuCtxGetCurrent(REF(current))
    memory, word = ctypes.c_uint64(), WORD()
    same((DRIVER.cuCtxSetCurrent(context), DRIVER.cuMemAlloc_v2(REF(memory), SIZE(256))), (OK, OK), "memory")
    same((DRIVER.cuMemsetD32Async(memory, 3, SIZE(64), stream), DRIVER.cuStreamSynchronize(stream)), (OK, OK), "work")
    same((DRIVER.cuMemcpyDtoH_v2(REF(word), memory, SIZE(4)), word.value), (OK, 3), "its result")
    event = handle()
    same((DRIVER.cuEventCreate(REF(event), 0), DRIVER.cuGreenCtxRecordEvent(green, event), DRIVER.cuGreenCtxWaitEvent(green, event)), (OK, OK, OK), "an event")
    same((DRIVER.cuCtxSetCurrent(current), DRIVER.cuGreenCtxDestroy(green), DRIVER.cuGreenCtxDestroy(green)), (OK, OK, 201), "destroyed")


def pools():
    """A pool keeps what it was given until the host waits, or up to its threshold. As an H200 answers."""
    pool, memory, reserved = handle(), handle(), ctypes.c_uint64()
    DRIVER.cuDeviceGetDefaultMemPool(REF(pool), 0)

    def kept():
        DRIVER.cuMemPoolGetAttribute(pool, 5, REF(reserved))
        return reserved.value >> 20

    for threshold, left in ((0, 0), (2**64 - 1, 32)):
        DRIVER.cuMemPoolSetAttribute(pool, 4, REF(ctypes.c_uint64(threshold)))
        same(DRIVER.cuMemAllocAsync(REF(memory), SIZE(4 << 20), None), OK, "memory of a pool")
        same((kept(), DRIVER.cuMemFreeAsync(memory, None), kept()), (32, OK, 32), "what a pool reserves, in MiB")
        same((DRIVER.cuStreamSynchronize(None), kept()), (OK, left), "what it keeps")
    DRIVER.cuMemPoolSetAttribute(pool, 4, REF(ctypes.c_uint64(0)))


def peers():
    """A box of 4 x 2 x 2 bytes between memory of two contexts."""
    source, target, back = handle(), handle(), ctypes.create_string_buffer(64)
    DRIVER.cuMemAlloc_v2(REF(source), SIZE(64)), DRIVER.cuMemAlloc_v2(REF(target), SIZE(64))
    DRIVER.cuMemcpyHtoD_v2(source, bytes(range(64)), SIZE(64)), DRIVER.cuMemsetD8_v2(target, 255, SIZE(64))
    side = [SIZE(1), SIZE(0), SIZE(0), SIZE(0), ctypes.c_int(2), handle(), source, handle(), handle(), SIZE(8), SIZE(4)]
    fields = [(f"f{k}", type(value)) for k, value in enumerate([*side, *side, *[SIZE()] * 3])]
    box = type("Box", (ctypes.Structure,), {"_fields_": fields})(*[v.value for v in side], *[v.value for v in side], 4, 2, 2)
    box.f11, box.f17 = 0, target.value
    same(DRIVER.cuMemcpy3DPeer(REF(box)), OK, "a box")
    DRIVER.cuMemcpyDtoH_v2(back, target, SIZE(64))
    want = bytearray(b"\xff" * 64)
    for plane in range(2):
        for row in range(2):
            at = plane * 32 + row * 8
            want[at:at + 4] = bytes(range(at + 1, at + 5))
    same(back.raw, bytes(want), "its bytes")


def words():
    device, stream, back = handle(), handle(), ctypes.c_uint64()
    DRIVER.cuMemAlloc_v2(REF(device), SIZE(64))
    DRIVER.cuMemsetD32_v2(device, 0, SIZE(16))
    DRIVER.cuStreamCreate(REF(stream), 1)
    same(DRIVER.cuStreamWriteValue32_v2(stream, device, 7, 0), OK, "a word")
    same(DRIVER.cuStreamWriteValue64_v2(stream, ctypes.c_void_p(device.value + 8), ctypes.c_uint64(1 << 40), 0), OK, "one of 64 bits")
    same(DRIVER.cuStreamWriteValue32_v2(stream, ctypes.c_void_p(device.value + 2), 7, 0), INVALID, "at an odd place")
    for value, flags in ((7, 0), (6, 0), (7, 1), (4, 2), (1, 3)):
        same(DRIVER.cuStreamWaitValue32_v2(stream, device, value, flags), OK, f"a wait for {value}")
    for value, flags in ((8, 0), (6, 1), (8, 2), (0xffffffff, 3)):
        same(DRIVER.cuStreamWaitValue32_v2(stream, device, value, flags), NOT_SUPPORTED, f"a wait for {value} that has no end")
    same(DRIVER.cuStreamWaitValue64_v2(stream, ctypes.c_void_p(device.value + 8), ctypes.c_uint64(1 << 40), 1), OK, "a wait for 64 bits")
    both = (Operation * 2)(Operation(kind=2, address=device.value + 16, value=5), Operation(kind=1, address=device.value + 16, value=5, flags=1))
    same(DRIVER.cuStreamBatchMemOp_v2(stream, 2, both, 0), OK, "a write and a wait for it")
    graph, ready = handle(), handle()
    DRIVER.cuStreamBeginCapture_v2(stream, 0)
    same(DRIVER.cuStreamWriteValue64_v2(stream, ctypes.c_void_p(device.value + 8), ctypes.c_uint64(9), 0), OK, "in a capture")
    DRIVER.cuStreamEndCapture(stream, REF(graph))
    DRIVER.cuGraphInstantiateWithFlags(REF(ready), graph, ctypes.c_ulonglong(0))
    DRIVER.cuMemcpyDtoH_v2(REF(back), ctypes.c_void_p(device.value + 8), SIZE(8))
    same(back.value, 1 << 40, "before the launch")
    DRIVER.cuGraphLaunch(ready, stream)
    DRIVER.cuMemcpyDtoH_v2(REF(back), ctypes.c_void_p(device.value + 8), SIZE(8))
    same(back.value, 9, "after it")


def first_forms():
    stream, graph, ready, before, node = handle(), handle(), handle(), handle(), handle()
    status, number, count, result = ctypes.c_int(), ctypes.c_ulonglong(), SIZE(9), ctypes.c_int(9)
    DRIVER.cuStreamCreate(REF(stream), 1)
    same((DRIVER.cuStreamGetCaptureInfo(stream, REF(status), REF(number)), status.value), (OK, 0), "no capture")
    DRIVER.cuStreamBeginCapture_v2(stream, 0)
    done = DRIVER.cuStreamGetCaptureInfo_v2(stream, REF(status), REF(number), REF(graph), REF(before), REF(count))
    same((done, status.value, count.value), (OK, 1, 0), "a capture")
    DRIVER.cuGraphAddEmptyNode(REF(node), graph, None, SIZE(0))
    same(DRIVER.cuStreamUpdateCaptureDependencies(stream, REF(node), SIZE(1), 1), OK, "its dependencies")
    DRIVER.cuStreamGetCaptureInfo_v2(stream, REF(status), REF(number), None, REF(before), REF(count))
    same(count.value, 1, "one dependency")
    same(DRIVER.cuStreamEndCapture(stream, REF(graph)), OK, "its end")
    DRIVER.cuGraphInstantiateWithFlags(REF(ready), graph, ctypes.c_ulonglong(0))
    same((DRIVER.cuGraphExecUpdate(ready, graph, REF(node), REF(result)), result.value), (OK, 0), "an update")
    other = handle()
    DRIVER.cuGraphCreate(REF(other), 0)
    same((DRIVER.cuGraphExecUpdate(ready, other, REF(node), REF(result)), result.value), (910, 2), "to another shape")
    child = handle()
    DRIVER.cuGraphAddChildGraphNode(REF(child), other, None, SIZE(0), graph)
    done = DRIVER.cuGraphExecUpdate(ready, other, REF(node), REF(result))
    same((done, result.value, node.value), (910, 3, child.value), "to a node of another kind")


def updates_of_edges():
    """Two empty nodes, of which one waits for the other or does not."""
    graphs, second, ready, result, wrong = [handle(), handle()], handle(), handle(), ctypes.c_int(), handle()
    for graph, waits in zip(graphs, (0, 1), strict=True):
        first = handle()
        DRIVER.cuGraphCreate(REF(graph), 0)
        DRIVER.cuGraphAddEmptyNode(REF(first), graph, None, SIZE(0))
        DRIVER.cuGraphAddEmptyNode(REF(second), graph, REF(first), SIZE(waits))
    DRIVER.cuGraphInstantiateWithFlags(REF(ready), graphs[0], ctypes.c_ulonglong(0))
    done = DRIVER.cuGraphExecUpdate(ready, graphs[1], REF(wrong), REF(result))
    same((done, result.value, wrong.value), (910, 2, second.value), "to other dependencies")


def device_files():
    """Programs look for these before they load the driver."""
    names = {name: os.path.exists("/dev/" + name) for name in ("nvidia0", "nvidia1", "nvidia2", "nvidia01", "nvidiactl", "nvidia", "nvidia0/x", "null")}
    there = {name for name, is_there in names.items() if is_there}
    same(there, {"nvidia0", "nvidia1", "nvidiactl", "null"}, "files of two GPUs")
    same((os.access("/dev/nvidia0", os.R_OK | os.W_OK), os.access("/dev/nvidia2", os.F_OK)), (True, False), "who may read and write them")
    same(os.stat("/dev/nvidia0").st_mode, os.stat("/dev/null").st_mode, "their kind")


def inside():
    global DRIVER
    DRIVER = ctypes.CDLL("libcuda.so.1")
    context = handle()
    DRIVER.cuInit(0)
    DRIVER.cuDevicePrimaryCtxRetain(REF(context), 0)
    DRIVER.cuCtxSetCurrent(context)
    for part in (modules, logs, arrays, pools, contexts, green_contexts, peers, words, first_forms, updates_of_edges, device_files):
        part()
    print("right")


def main(program):
    done = subprocess.run([program, "emulate", "--devices", "2", "--", sys.executable, __file__, "--inside"], capture_output=True, text=True, check=False)
    if done.returncode != 0 or done.stdout != "right\n":
        sys.exit(f"exit code {done.returncode}\n{done.stdout}{done.stderr}")
    same(done.stderr.count("a stream would wait for a word"), 1, "what cannot be waited for is told once")


if __name__ == "__main__":
    inside() if sys.argv[1] == "--inside" else main(sys.argv[1])
