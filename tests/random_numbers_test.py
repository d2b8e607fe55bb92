#!/usr/bin/env python3
"""cuRAND's stand-in draws the numbers that cuRAND's own generators for the host draw. Argument: the program. With --inside it is the program that
draws, from the library that it names."""
import ctypes
import glob
import os
import subprocess
import sys

SKIPPED = 77
XORWOW, MRG32K3A, PHILOX = 101, 121, 161
TOO_ODD, WRONG_TYPE, OUT_OF_RANGE, INTERNAL = 105, 103, 104, 999
DRAWS = {"": (ctypes.c_uint32, ()), "Uniform": (ctypes.c_float, ()), "UniformDouble": (ctypes.c_double, ()),
         "Normal": (ctypes.c_float, (ctypes.c_float(2), ctypes.c_float(3))), "LogNormal": (ctypes.c_float, (ctypes.c_float(0), ctypes.c_float(0.5))),
         "NormalDouble": (ctypes.c_double, (ctypes.c_double(2), ctypes.c_double(3)))}
# Several lanes' turns, and steps between them: a seed, numbers to skip, and how many to draw each time.
PLANS = [(7, 0, [10000, 6, 90000]), (2**40 + 5, 0, [1000]), (0, 12345, [6, 1000]), (5, 2**33 + 11, [1000])]


def good(code, what):
    if code != 0:
        sys.exit(f"{what}: {code}")


def drawn(library, runtime, kind, plan, name):
    number, arguments = DRAWS[name]
    seed, skipped, counts = plan
    generator, memory = ctypes.c_void_p(), ctypes.c_void_p()
    make = library.curandCreateGenerator if runtime else library.curandCreateGeneratorHost
    good(make(ctypes.byref(generator), kind), "create")
    good(library.curandSetPseudoRandomGeneratorSeed(generator, ctypes.c_ulonglong(seed)), "seed")
    good(library.curandSetGeneratorOffset(generator, ctypes.c_ulonglong(skipped)), "offset")
    out = b""
    for count in counts:
        host = (number * count)()
        if runtime:
            good(runtime.cudaMalloc(ctypes.byref(memory), ctypes.c_size_t(ctypes.sizeof(host))), "cudaMalloc")
        to = memory if runtime else host
        good(getattr(library, "curandGenerate" + name)(generator, to, ctypes.c_size_t(count), *arguments), "curandGenerate" + name)
        if runtime:
            good(runtime.cudaMemcpy(host, memory, ctypes.c_size_t(ctypes.sizeof(host)), 2), "cudaMemcpy")
        out += bytes(host)
    good(library.curandDestroyGenerator(generator), "destroy")
    return out


def draw_all(path, of_the_device):
    library, runtime = ctypes.CDLL(path), ctypes.CDLL("libcudart.so.13") if of_the_device else None
    if runtime:
        check_errors(library)
    for kind in (XORWOW, MRG32K3A, PHILOX):
        for plan in PLANS:
            for name in DRAWS:
                sys.stdout.buffer.write(drawn(library, runtime, kind, plan, name))


def check_errors(library):
    generator, memory = ctypes.c_void_p(), (ctypes.c_float * 8)()
    for kind, want in ((55, WRONG_TYPE), (142, INTERNAL), (201, INTERNAL), (100, 0)):
        if library.curandCreateGenerator(ctypes.byref(generator), kind) != want:
            sys.exit(f"a generator of type {kind}")
    arguments = (ctypes.c_size_t(5), ctypes.c_float(0), ctypes.c_float(1))
    if library.curandGenerateNormal(generator, memory, *arguments) != TOO_ODD:
        sys.exit("five normal numbers")
    if library.curandSetGeneratorOrdering(generator, 201) != OUT_OF_RANGE:
        sys.exit("an order of quasirandom numbers")


def inside(command, path, of_the_device):
    done = subprocess.run([*command, sys.executable, __file__, "--inside", path, of_the_device], capture_output=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stdout.decode(errors="replace")[-300:] + done.stderr.decode(errors="replace"))
    return done.stdout


def real_library():
    """NVIDIA's, of the toolkit or of a wheel beside this Python."""
    places = [os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "lib64"), *(os.path.join(p, "nvidia/cu13/lib") for p in sys.path)]
    return next((found for place in places for found in glob.glob(os.path.join(place, "libcurand.so.10"))), None)


def numbers(data):
    """Each draw's numbers, in the order of draw_all."""
    at = 0
    for kind in (XORWOW, MRG32K3A, PHILOX):
        for plan in PLANS:
            for name, (number, _) in DRAWS.items():
                count = sum(plan[2])
                yield (kind, plan[:2], name), (number * count).from_buffer_copy(data, at)
                at += count * ctypes.sizeof(number)


def main(program):
    real = real_library()
    if real is None:
        return SKIPPED
    want, got = inside([], real, ""), inside([program, "emulate", "--"], "libcurand.so.10", "yes")
    for (what, a), (_, b) in zip(numbers(want), numbers(got)):
        within = 3e-5 if what[2] in ("Normal", "LogNormal") else 0  # a host computes these in another way than a GPU does
        off = 0 if bytes(a) == bytes(b) else max(abs(x - y) for x, y in zip(a, b))
        if off > within:
            sys.exit(f"{what}: {off} off")
    print("as cuRAND draws them")
    return 0


if __name__ == "__main__":
    sys.exit(draw_all(sys.argv[2], sys.argv[3] == "yes") if sys.argv[1] == "--inside" else main(sys.argv[1]))
