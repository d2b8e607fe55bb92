"""cuBLAS called without PyTorch, compared with NumPy: matrices kept in part, rotations, vectors of mixed types, batches. Elements that a call must
not read are NaN."""
import ctypes
import itertools

import numpy as np
from device_arrays import REAL, TYPES, Array, Library, numbers, rng, same

CUDA_R_32F, CUDA_R_16F, CUDA_C_32F = 0, 2, 4
N, DIAGONALS = 7, 2
STEPS = ((1, 1), (2, -1), (-2, 3))


def spread(letter, values, step):
    """The vector as BLAS keeps it."""
    out = np.full((len(values) - 1) * abs(step) + 1, np.nan, TYPES[letter])
    out[::abs(step)] = values if step > 0 else values[::-1]
    return out


def gathered(kept, step):
    return kept[::abs(step)][::1 if step > 0 else -1]


def keeps(i, j, upper, diagonals):
    return 0 <= (j - i if upper else i - j) <= diagonals


def band(letter, a, below, above):
    rows, columns = a.shape
    out = np.full((below + above + 2, columns), np.nan, TYPES[letter])  # a leading dimension with one to spare
    for i, j in itertools.product(range(rows), range(columns)):
        if -above <= i - j <= below:
            out[above + i - j, j] = a[i, j]
    return out


def packed(a, upper):
    n = len(a)
    return np.array([a[i, j] for j in range(n) for i in range(n) if keeps(i, j, upper, n)])


def half(letter, a, upper):
    """What is kept of a triangle, with a row to spare."""
    n = len(a)
    out = np.full((n + 1, n), np.nan, TYPES[letter])
    for i, j in itertools.product(range(n), range(n)):
        if keeps(i, j, upper, n):
            out[i, j] = a[i, j]
    return out


def banded(a, below, above):
    return np.array([[a[i, j] if -above <= i - j <= below else 0 for j in range(a.shape[1])] for i in range(a.shape[0])])


def layouts(letter, a, upper):
    """(letters of the call, arguments after n, the kept elements, the diagonals kept of the matrix)."""
    lower, higher = (0, DIAGONALS) if upper else (DIAGONALS, 0)
    yield "", (), half(letter, a, upper), (N + 1,), N
    yield "b", (DIAGONALS,), band(letter, a, lower, higher), (DIAGONALS + 2,), DIAGONALS
    yield "p", (), packed(a, upper), (), N


def one(letter, value, real=False):
    return np.array([value], REAL[letter] if real else TYPES[letter])


def test_mirrored(gpu, letter):
    for upper, (x_step, y_step) in itertools.product((0, 1), STEPS):
        for hermitian in (False, True) if letter in "CZ" else (False,):
            full = numbers(letter, N, N)
            full = full + (full.conj().T if hermitian else full.T)
            for kind, counts, kept, leading, diagonals in layouts(letter, full, upper):
                if letter in "CZ" and not hermitian and kind:
                    continue
                name = f"{letter}{'he' if hermitian and not kind else 'sy' if not kind else ('h' if hermitian else 's') + kind}mv_v2"
                a, x, y = banded(full, diagonals, diagonals), numbers(letter, N), numbers(letter, N)
                to = Array(spread(letter, y, y_step))
                gpu(name, upper, N, *counts, one(letter, 0.5), Array(kept), *leading, Array(spread(letter, x, x_step)), x_step, one(letter, 2), to, y_step)
                same(name, gathered(to.get(), y_step), 0.5 * a @ x + 2 * y, letter)


def test_general_band(gpu, letter):
    rows, below, above = N + 2, 1, 3
    for op, (x_step, y_step) in itertools.product(range(3), STEPS):
        a = banded(numbers(letter, rows, N), below, above)
        of = (a, a.T, a.conj().T)[op]
        x, y = numbers(letter, of.shape[1]), np.full(of.shape[0], np.nan)
        to = Array(spread(letter, y, y_step))
        gpu(f"{letter}gbmv_v2_64", op, *map(ctypes.c_int64, (rows, N, below, above)), one(letter, 1), Array(band(letter, a, below, above)),
            ctypes.c_int64(below + above + 2), Array(spread(letter, x, x_step)), ctypes.c_int64(x_step), one(letter, 0), to, ctypes.c_int64(y_step))
        same("gbmv", gathered(to.get(), y_step), of @ x, letter)


def test_triangles(gpu, letter):
    for upper, op, unit, step in itertools.product((0, 1), range(3), (0, 1), (1, -2)):
        full = numbers(letter, N, N) + 3 * np.eye(N, dtype=TYPES[letter])
        for kind, counts, kept, leading, diagonals in layouts(letter, full, upper):
            a = np.array([[full[i, j] if keeps(i, j, upper, diagonals) else 0 for j in range(N)] for i in range(N)])
            if unit:
                np.fill_diagonal(a, 1)
            of = (a, a.T, a.conj().T)[op]
            x = numbers(letter, N)
            for ending, want in (("mv", of @ x), ("sv", np.linalg.solve(of, x))):
                to = Array(spread(letter, x, step))
                gpu(f"{letter}t{kind or 'r'}{ending}_v2", upper, op, unit, N, *counts, Array(kept), *leading, to, step)
                same(f"t{kind or 'r'}{ending} {upper} {op} {unit}", gathered(to.get(), step), want, letter)


def test_updates(gpu, letter):
    for upper, (x_step, y_step), packs in itertools.product((0, 1), STEPS, (False, True)):
        for hermitian in (False, True) if letter in "CZ" else (False,):
            if letter in "CZ" and packs and not hermitian:
                continue
            full, x, y = numbers(letter, N, N), numbers(letter, N), numbers(letter, N)
            full = full + full.conj().T if hermitian else full
            keep = lambda a: packed(a, upper) if packs else half(letter, a, upper)
            turned = np.conj if hermitian else lambda v: v
            letters = ("hp" if hermitian else "sp") if packs else "he" if hermitian else "sy"
            alpha = 0.5 if hermitian or letter in "SD" else 0.5 + 2j
            a = Array(keep(full))
            leading = () if packs else (N + 1,)
            gpu(f"{letter}{letters}r_v2", upper, N, one(letter, alpha, hermitian), Array(spread(letter, x, x_step)), x_step, a, *leading)
            same(f"{letters}r", a.get(), keep(full + alpha * np.outer(x, turned(x))), letter)
            alpha = 0.5 if letter in "SD" else 0.5 + 2j
            a = Array(keep(full))
            gpu(f"{letter}{letters}r2_v2", upper, N, one(letter, alpha), Array(spread(letter, x, x_step)), x_step, Array(spread(letter, y, y_step)), y_step, a, *leading)
            same(f"{letters}r2", a.get(), keep(full + alpha * np.outer(x, turned(y)) + turned(alpha) * np.outer(y, turned(x))), letter)


def test_rotations(gpu, letter):
    real = letter in "SD"
    for sine in (0.6,) if real else (0.6, 0.6j):
        x, y = numbers(letter, N), numbers(letter, N)
        a, b = Array(spread(letter, x, 2)), Array(spread(letter, y, -1))
        mixed = not real and sine == 0.6
        name = {"C": "Cs", "Z": "Zd"}.get(letter, letter) if mixed else letter
        gpu(f"{name}rot_v2", N, a, 2, b, -1, one(letter, 0.8, True), one(letter, sine, mixed))
        same("rot x", gathered(a.get(), 2), 0.8 * x + sine * y, letter)
        same("rot y", gathered(b.get(), -1), 0.8 * y - np.conj(sine) * x, letter)
    a, b = numbers(letter, 1), numbers(letter, 1)
    r, z, c, s = a.copy(), b.copy(), one(letter, 0, True), one(letter, 0)
    gpu(f"{letter}rotg_v2", r, z, c, s)
    same("rotg", [c[0] * a[0] + s[0] * b[0], c[0] * b[0] - np.conj(s[0]) * a[0], c[0]**2 + abs(s[0])**2], [r[0], 0, 1], letter)
    if not real:
        return
    d1, d2, x1, y1, h = (one(letter, v) for v in (0.7, 0.4, 1.5, -0.8, 0))
    h = np.zeros(5, TYPES[letter])
    before = [v[0] for v in (d1, d2, x1, y1)]
    gpu(f"{letter}rotmg_v2", d1, d2, x1, y1, h)
    flag, h11, h21, h12, h22 = h
    matrix = {-1: [[h11, h12], [h21, h22]], 0: [[1, h12], [h21, 1]], 1: [[h11, 1], [-1, h22]]}[int(flag)]
    turned = np.array(matrix) @ np.array([before[2], before[3]])
    same("rotmg", [turned[0], turned[1], d1[0] * x1[0]**2], [x1[0], 0, before[0] * before[2]**2 + before[1] * before[3]**2], letter)
    x, y = numbers(letter, N), numbers(letter, N)
    a, b = Array(x), Array(y)
    gpu(f"{letter}rotm_v2", N, a, 1, b, 1, h)
    same("rotm", np.array([a.get(), b.get()]), np.array(matrix) @ np.array([x, y]), letter)


def test_pairs(gpu, letter):
    k, n = 4, N
    for upper, transposed in itertools.product((0, 1), (0, 1)):
        shape = (k, n) if transposed else (n, k)
        a, b, c = numbers(letter, *shape), numbers(letter, *shape), numbers(letter, n, n)
        c = c + c.conj().T
        for name, hermitian, both in (("syrkx", False, False), ("herkx", True, False), ("her2k_v2", True, True)):
            if hermitian and letter in "SD":
                continue
            turned = np.conj if hermitian else lambda v: v
            left, right = (turned(a.T), turned(b.T)) if transposed else (a, b)
            other = left if name == "herkx" else right  # so that the sum is Hermitian
            alpha = 0.5 if letter in "SD" or name == "herkx" else 0.5 + 1j
            want = alpha * left @ turned(other.T)
            if both:
                want = want + turned(alpha) * other @ turned(left.T)
            to = Array(half(letter, c, upper))
            second = a if name == "herkx" else b
            gpu(f"{letter}{name}", upper, (2 if hermitian else 1) if transposed else 0, n, k, one(letter, alpha), Array(a), shape[0],
                Array(second), shape[0], one(letter, 3, hermitian), to, n + 1)
            same(name, to.get(), half(letter, want + 3 * c, upper), letter)
    for upper in (0, 1):
        full = numbers(letter, n, n)
        ap, a = Array(np.full(n * (n + 1) // 2, np.nan, TYPES[letter])), Array(np.full((n + 1, n), np.nan, TYPES[letter]))
        gpu(f"{letter}trttp", upper, n, Array(half(letter, full, upper)), n + 1, ap)
        same("trttp", ap.get(), packed(full, upper), letter)
        gpu(f"{letter}tpttr", upper, n, ap, a, n + 1)
        same("tpttr", a.get(), half(letter, full, upper), letter)


def pointers(arrays):
    return Array(np.array([a.at.value for a in arrays], np.uint64))


def test_batches(gpu, letter):
    count, rows = 3, N + 1
    for op in range(3):
        a = [numbers(letter, rows, N) for _ in range(count)]
        of = [(m, m.T, m.conj().T)[op] for m in a]
        x, y = [numbers(letter, m.shape[1]) for m in of], [numbers(letter, m.shape[0]) for m in of]
        want = [0.5 * m @ v + 2 * w for m, v, w in zip(of, x, y)]
        to = [Array(spread(letter, v, 2)) for v in y]
        kept = [Array(m) for m in a], [Array(v) for v in x]
        gpu(f"{letter}gemvBatched", op, rows, N, one(letter, 0.5), pointers(kept[0]), rows, pointers(kept[1]), 1, one(letter, 2),
            pointers(to), 2, count)
        for got, w in zip(to, want):
            same("gemvBatched", gathered(got.get(), 2), w, letter)
        to = Array(np.stack(y, axis=1))
        gpu(f"{letter}gemvStridedBatched", op, rows, N, one(letter, 0.5), Array(np.stack(a, axis=2)), rows, ctypes.c_longlong(rows * N),
            Array(np.stack(x, axis=1)), 1, ctypes.c_longlong(len(x[0])), one(letter, 2), to, 1, ctypes.c_longlong(len(y[0])), count)
        same("gemvStridedBatched", to.get(), np.stack(want, axis=1), letter)
    a = [numbers(letter, N, N) + 3 * np.eye(N, dtype=TYPES[letter]) for _ in range(count)]
    a[1][:, 2] = 0
    of, inverse = [Array(m) for m in a], [Array(m) for m in a]
    info = Array(np.full(count, 9, np.int32))
    gpu(f"{letter}matinvBatched", N, pointers(of), N, pointers(inverse), N, info, count)
    same("matinvBatched", inverse[0].get(), np.linalg.inv(a[0]), letter)
    same("matinvBatched", info.get(), [0, 3, 0], letter)
    if letter in "CZ":
        a, b, c = numbers(letter, 4, N), numbers(letter, N, 5), Array(np.full((4, 5), np.nan, TYPES[letter]))
        gpu(f"{letter}gemm3m", 0, 0, 4, 5, N, one(letter, 1j), Array(a), 4, Array(b), N, one(letter, 0), c, 4)
        same("gemm3m", c.get(), 1j * a @ b, letter)
        return
    sizes, groups = [(3, 4, 5), (2, 2, 6)], [2, 1]
    a, b, c, want = [], [], [], []
    for (m, n, k), members, alpha in zip(sizes, groups, (2, 3)):
        for _ in range(members):
            left, right = numbers(letter, m, k), numbers(letter, k, n)
            a.append(Array(left)), b.append(Array(right)), c.append(Array(np.full((m, n), np.nan, TYPES[letter])))
            want.append(alpha * left @ right)
    ints = lambda *values: np.array(values, np.int32)
    gpu(f"{letter}gemmGroupedBatched", ints(0, 0), ints(0, 0), ints(3, 2), ints(4, 2), ints(5, 6), np.array([2, 3], TYPES[letter]), pointers(a),
        ints(3, 2), pointers(b), ints(5, 6), np.zeros(2, TYPES[letter]), pointers(c), ints(3, 2), 2, ints(*groups))
    for got, w in zip(c, want):
        same("gemmGroupedBatched", got.get(), w, letter)


def test_mixed(gpu):
    x, y = rng.uniform(-1, 1, N).astype(np.float16), rng.uniform(-1, 1, N).astype(np.float16)
    wide = x.astype(np.float64), y.astype(np.float64)
    number = lambda value: np.array([value], np.float32)
    to = Array(y)
    gpu("AxpyEx", N, number(3), CUDA_R_32F, Array(x), CUDA_R_16F, 1, to, CUDA_R_16F, 1, CUDA_R_32F)
    same("AxpyEx", to.get(), (wide[1] + 3 * wide[0]).astype(np.float16), "H")
    to = Array(x)
    gpu("ScalEx", N, number(3), CUDA_R_32F, to, CUDA_R_16F, 1, CUDA_R_32F)
    same("ScalEx", to.get(), (3 * wide[0]).astype(np.float16), "H")
    for name, want in (("Nrm2Ex", np.sqrt(np.sum(wide[0]**2))), ("AsumEx", np.sum(np.abs(wide[0])))):
        out = np.zeros(1, np.float16)
        gpu(name, N, Array(x), CUDA_R_16F, 1, out, CUDA_R_16F, CUDA_R_32F)
        same(name, out[0], np.float16(want), "H")
    where = np.zeros(1, np.int32)
    gpu("IamaxEx", N, Array(x), CUDA_R_16F, 1, where)
    same("IamaxEx", where[0], 1 + np.argmax(np.abs(x)), "D")
    c = numbers("C", N), numbers("C", N)
    out = np.zeros(1, np.complex64)
    gpu("DotcEx", N, Array(c[0]), CUDA_C_32F, 1, Array(c[1]), CUDA_C_32F, 1, out, CUDA_C_32F, CUDA_C_32F)
    same("DotcEx", out[0], np.vdot(c[0], c[1]), "C")
    a, b = Array(x), Array(y)
    gpu("RotEx", N, a, CUDA_R_16F, 1, b, CUDA_R_16F, 1, number(0.8), number(0.6), CUDA_R_32F, CUDA_R_32F)
    same("RotEx", a.get(), (np.float32(0.8) * wide[0] + np.float32(0.6) * wide[1]).astype(np.float16), "H")
    gpu("SwapEx", N, a, CUDA_R_16F, 1, b, CUDA_R_16F, 1)
    gpu("CopyEx", N, Array(x), CUDA_R_16F, 1, a, CUDA_R_16F, 1)
    same("CopyEx", a.get(), x, "H")


def test_errors(gpu):
    a, x = Array(numbers("S", N, N)), Array(numbers("S", N))
    gpu("Ssymv_v2", 2, N, one("S", 1), a, N, x, 1, one("S", 0), x, 1, want=7)
    gpu("Strsv_v2", 0, 0, 0, N, a, N - 1, x, 1, want=7)
    gpu("Ssbmv_v2", 0, N, 3, one("S", 1), a, 3, x, 1, one("S", 0), x, 1, want=7)
    gpu("Strmv_v2", 0, 0, 0, N, a, N, x, 0, want=7)
    gpu("Ssyr_v2", 0, -1, one("S", 1), x, 1, a, N, want=7)


def main():
    gpu = Library("libcublas.so.13", "cublas", "Create_v2")
    for letter in TYPES:
        for test in (test_mirrored, test_general_band, test_triangles, test_updates, test_rotations, test_pairs, test_batches):
            test(gpu, letter)
    test_mixed(gpu)
    test_errors(gpu)
    print("equal")


if __name__ == "__main__":
    main()
