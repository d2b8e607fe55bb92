"""cuSPARSE called without PyTorch, compared with NumPy: incomplete factors, systems of three and five diagonals, sparse vectors, products again."""
import ctypes

import numpy as np
from device_arrays import NUMBERS, RUNTIME, TYPES, Array, Library, numbers, rng, same

ZERO_PIVOT, BASE_ONE, INDEX_32 = 9, 1, 2
N = 9
SIZE = ctypes.c_size_t
call = Library("libcusparse.so.12", "cusparse", "Create")


def made(name, *arguments):
    return call.made(name, None, *arguments)


def rows_of(a, places, base=0):
    """Offsets, columns and values of the elements at `places`."""
    columns = [np.flatnonzero(row) for row in places]
    offsets = np.concatenate([[0], np.cumsum([len(c) for c in columns])]).astype(np.int32) + base
    return Array(offsets), Array(np.concatenate(columns).astype(np.int32) + base), Array(np.concatenate([a[i, c] for i, c in enumerate(columns)]))


def sparse(letter):
    """A positive definite matrix with few elements, and where they are."""
    places = rng.uniform(size=(N, N)) < 0.25
    places |= places.T | np.eye(N, dtype=bool)
    a = numbers(letter, N, N) * places
    return (a + a.conj().T + 3 * N * np.eye(N)).astype(TYPES[letter]), places


def incomplete_lu(a, places):
    a = a.astype(np.complex128)
    for i in range(1, N):
        for k in range(i):
            if places[i, k]:
                a[i, k] /= a[k, k]
                for j in range(k + 1, N):
                    if places[i, j] and places[k, j]:
                        a[i, j] -= a[i, k] * a[k, j]
    return a


def incomplete_cholesky(a, places):
    low = np.zeros((N, N), np.complex128)
    for i in range(N):
        for k in range(i + 1):
            if places[i, k]:
                rest = a[i, k] - low[i, :k] @ low[k, :k].conj()
                low[i, k] = np.sqrt(rest.real) if i == k else rest / low[k, k]
    return low


def test_incomplete(letter):
    a, places = sparse(letter)
    kind, position = made("CreateMatDescr"), ctypes.c_int()
    call.library.cusparseSetMatIndexBase(kind, BASE_ONE)
    count = int(places.sum())
    for name, Name, want in (("csrilu02", "Csrilu02", incomplete_lu(a, places)), ("csric02", "Csric02", incomplete_cholesky(a, places))):
        offsets, columns, values = rows_of(a, places, 1)
        info, size = made(f"Create{Name}Info"), ctypes.c_int()
        call(f"{letter}{name}_bufferSize", N, count, kind, values, offsets, columns, info, ctypes.byref(size))
        call(f"{letter}{name}_analysis", N, count, kind, values, offsets, columns, info, 0, None)
        call(f"X{name}_zeroPivot", info, ctypes.byref(position))
        call(f"{letter}{name}", N, count, kind, values, offsets, columns, info, 0, None)
        call(f"X{name}_zeroPivot", info, ctypes.byref(position))
        if name == "csric02":
            want = want + np.triu(a, 1)  # what lies above stays
        same(name, values.get(), want[places], letter)
        gone = places.copy()
        gone[4, 4] = False
        offsets, columns, values = rows_of(a, gone, 1)
        call(f"{letter}{name}_analysis", N, count - 1, kind, values, offsets, columns, info, 0, None)
        call(f"X{name}_zeroPivot", info, ctypes.byref(position), want=ZERO_PIVOT)
        same("its row", position.value, 4 + 1 - 1, "D")
    zero = a.copy()
    zero[0, 0] = 0
    offsets, columns, values = rows_of(zero, places, 1)
    info, tolerance, boost = made("CreateCsrilu02Info"), np.array([1e-3]), np.array([5], TYPES[letter])
    call(f"{letter}csrilu02_numericBoost", info, 1, tolerance, boost)
    call(f"{letter}csrilu02", N, count, kind, values, offsets, columns, info, 0, None)
    call("Xcsrilu02_zeroPivot", info, ctypes.byref(position))
    zero[0, 0] = 5
    same("boosted", values.get(), incomplete_lu(zero, places)[places], letter)


def dense(diagonals):
    """A matrix of diagonals, each with an element for each row."""
    beside = len(diagonals) // 2
    out = np.zeros((N, N), np.complex128)
    for k, diagonal in enumerate(diagonals):
        for i in range(N):
            if 0 <= i + k - beside < N:
                out[i, i + k - beside] = diagonal[i]
    return out


def test_diagonals(letter):
    lower, main, upper = numbers(letter, N), numbers(letter, N) + 4, numbers(letter, N)
    lower[0] = upper[-1] = 0
    b, size = numbers(letter, N, 3), SIZE()
    for name in ("gtsv2", "gtsv2_nopivot"):
        x = Array(b)
        call(f"{letter}{name}_bufferSizeExt", N, 3, Array(lower), Array(main), Array(upper), x, N, ctypes.byref(size))
        call(f"{letter}{name}", N, 3, Array(lower), Array(main), Array(upper), x, N, None)
        same(name, x.get(), np.linalg.solve(dense([lower, main, upper]), b), letter)
    systems = 4
    five = [numbers(letter, N, systems) + (6 if k == 2 else 0) for k in range(5)]
    b = numbers(letter, N, systems)
    columns = [np.linalg.solve(dense([d[:, k] for d in five[1:4]]), b[:, k]) for k in range(systems)]
    x = Array(np.vstack([b, np.zeros((2, systems), TYPES[letter])]))
    padded = [Array(np.vstack([d, np.zeros((2, systems), TYPES[letter])])) for d in five[1:4]]
    call(f"{letter}gtsv2StridedBatch", N, *padded, x, systems, N + 2, None)
    same("gtsv2StridedBatch", x.get()[:N], np.stack(columns, axis=1), letter)
    x = Array(b.T)  # element by element, all systems side by side
    call(f"{letter}gtsvInterleavedBatch", 0, N, *[Array(d.T) for d in five[1:4]], x, systems, None)
    same("gtsvInterleavedBatch", x.get().T, np.stack(columns, axis=1), letter)
    x = Array(b.T)
    call(f"{letter}gpsvInterleavedBatch", 0, N, *[Array(d.T) for d in five], x, systems, None)
    same("gpsvInterleavedBatch", x.get().T, np.stack([np.linalg.solve(dense([d[:, k] for d in five]), b[:, k]) for k in range(systems)], axis=1), letter)


def test_vectors(letter):
    rows, places = N + 2, np.array([1, 4, 7], np.int32)
    one = lambda value: np.array([value], TYPES[letter])
    for op in range(3):
        a = numbers(letter, rows, N)
        of = (a, a.T, a.conj().T)[op]
        x, y = numbers(letter, 3), numbers(letter, of.shape[0])
        to = Array(y)
        call(f"{letter}gemvi", op, rows, N, one(2), Array(a), rows, 3, Array(x), Array(places + 1), one(0.5), to, BASE_ONE, None)
        same("gemvi", to.get(), 2 * of[:, places] @ x + 0.5 * y, letter)
    a = numbers(letter, rows, N) * (rng.uniform(size=(rows, N)) < 0.5)
    for axis, length in ((0, rows), (1, N)):
        counts, total = Array(np.zeros(length, np.int32)), ctypes.c_int()
        call(f"{letter}nnz", axis, rows, N, None, Array(a), rows, counts, ctypes.byref(total))
        same("nnz", counts.get(), np.count_nonzero(a, axis=1 - axis), "D")
        same("nnz in all", total.value, np.count_nonzero(a), "D")
    x, y = numbers(letter, 3), numbers(letter, N)
    values, to, number = Array(x), Array(y), NUMBERS[letter]
    vector = made("CreateSpVec", ctypes.c_int64(N), ctypes.c_int64(3), Array(places), values, INDEX_32, 0, number)
    call("Rot", one(0.8), one(0.6), vector, made("CreateDnVec", ctypes.c_int64(N), to, number))
    want = y.copy()
    want[places] = 0.8 * y[places] - 0.6 * x
    same("Rot x", values.get(), 0.8 * x + 0.6 * y[places], letter)
    same("Rot y", to.get(), want, letter)


def test_products_again(letter):
    number, one = NUMBERS[letter], np.array([1], TYPES[letter])
    (a, places_a), (b, places_b) = sparse(letter), sparse(letter)
    kept = []

    def matrix(values, places):
        offsets, columns, data = rows_of(values, places)
        kept.append((offsets, columns, data))
        size = ctypes.c_int64
        return made("CreateCsr", size(N), size(N), size(int(places.sum())), offsets, columns, data, INDEX_32, INDEX_32, 0, number), data

    left, left_values = matrix(a, places_a)
    right, _ = matrix(b, places_b)
    offsets = Array(np.zeros(N + 1, np.int32))
    result = made("CreateCsr", ctypes.c_int64(N), ctypes.c_int64(N), ctypes.c_int64(0), offsets, None, None, INDEX_32, INDEX_32, 0, number)
    state, sizes, room = made("SpGEMM_createDescr"), [SIZE() for _ in range(5)], Array(np.zeros(1 << 16, np.int8))
    call("SpGEMMreuse_workEstimation", 0, 0, left, right, result, 0, state, ctypes.byref(sizes[0]), None)
    call("SpGEMMreuse_workEstimation", 0, 0, left, right, result, 0, state, ctypes.byref(sizes[0]), room)
    refs = [ctypes.byref(s) for s in sizes]
    call("SpGEMMreuse_nnz", 0, 0, left, right, result, 0, state, refs[1], None, refs[2], None, refs[3], None)
    call("SpGEMMreuse_nnz", 0, 0, left, right, result, 0, state, refs[1], room, refs[2], room, refs[3], room)
    rows, columns, stored = ctypes.c_int64(), ctypes.c_int64(), ctypes.c_int64()
    call.library.cusparseSpMatGetSize(result, ctypes.byref(rows), ctypes.byref(columns), ctypes.byref(stored))
    places = (places_a.astype(int) @ places_b.astype(int)) > 0
    same("elements of the product", stored.value, places.sum(), "D")
    indices, values = Array(np.zeros(stored.value, np.int32)), Array(numbers(letter, stored.value))
    call.library.cusparseCsrSetPointers(result, offsets.at, indices.at, values.at)
    call("SpGEMMreuse_copy", 0, 0, left, right, result, 0, state, refs[4], None)
    call("SpGEMMreuse_copy", 0, 0, left, right, result, 0, state, refs[4], room)
    before = np.zeros(stored.value)
    for factor, beta in ((1, 0), (2, 0.5)):
        changed = (factor * a[places_a]).astype(TYPES[letter])
        RUNTIME.cudaMemcpy(left_values.at, ctypes.c_void_p(changed.ctypes.data), SIZE(changed.nbytes), 1)
        call("SpGEMMreuse_compute", 0, 0, one, left, right, np.array([beta], TYPES[letter]), result, number, 0, state)
        before = (factor * a.astype(np.complex128) @ b)[places] + beta * before
        same("the product", values.get(), before, letter)
    same("its columns", indices.get(), np.concatenate([np.flatnonzero(row) for row in places]), "D")


def main():
    for letter in TYPES:
        for test in (test_incomplete, test_diagonals, test_vectors, test_products_again):
            test(letter)
    print("equal")


if __name__ == "__main__":
    main()
