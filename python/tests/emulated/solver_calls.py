"""cuSOLVER called without PyTorch, compared with NumPy: ranges of eigenvalues, pencils, reductions, inverses, solvers that refine."""
import ctypes

import numpy as np
from device_arrays import NUMBERS, REAL, TYPES, Array, Library, numbers, same

NO_VECTORS, VECTORS, LOWER, UPPER, ALL, BY_NUMBER, BY_VALUE = 0, 1, 0, 1, 1001, 1002, 1003
N = 7
call = Library("libcusolver.so.12", "cusolverDn", "Create")


def mirrored(letter):
    a = numbers(letter, N, N)
    return a + a.conj().T


def positive(letter):
    a = numbers(letter, N, N)
    return (a @ a.conj().T + N * np.eye(N)).astype(TYPES[letter])


def real(letter, *values):
    """Scalars that are passed by value."""
    return [(ctypes.c_float if letter in "SC" else ctypes.c_double)(v) for v in values]


def test_ranges(letter):
    name = "sy" if letter in "SD" else "he"
    a, info, count = mirrored(letter), Array(np.array([9], np.int32)), np.zeros(1, np.int32)
    all_of = np.linalg.eigvalsh(a)
    bounds = (float(all_of[1]) - 0.01, float(all_of[4]) + 0.01)
    for kind, want in ((ALL, all_of), (BY_NUMBER, all_of[2:5]), (BY_VALUE, all_of[1:5])):
        of, w = Array(a), Array(np.zeros(N, REAL[letter]))
        call(f"{letter}{name}evdx", VECTORS, kind, UPPER, N, of, N, *real(letter, *bounds), 3, 5, count, w, None, 0, info)
        vectors = of.get()[:, :count[0]]
        same("evdx", w.get()[:count[0]], want, letter)
        same("vectors of evdx", a @ vectors, vectors * want, letter)
        of, wide = Array(a), np.zeros(1, np.int64)
        low, high = (np.array([v], REAL[letter]) for v in bounds)
        number = NUMBERS[letter]
        call("Xsyevdx", None, NO_VECTORS, kind, LOWER, ctypes.c_int64(N), number, of, ctypes.c_int64(N), low, high, ctypes.c_int64(3), ctypes.c_int64(5),
             wide, NUMBERS[letter] % 4, w, number, None, ctypes.c_size_t(0), None, ctypes.c_size_t(0), info)
        same("Xsyevdx", w.get()[:wide[0]], want, letter)
    call(f"{letter}{name}evdx", VECTORS, BY_NUMBER, UPPER, N, of, N, *real(letter, 0, 0), 0, 5, count, w, None, 0, info, want=3)


def test_pencils(letter):
    name = "sy" if letter in "SD" else "he"
    a, b, info = mirrored(letter), positive(letter), Array(np.array([9], np.int32))
    for kind, matrix in ((1, np.linalg.inv(b) @ a), (2, a @ b), (3, b @ a)):
        want = np.sort(np.linalg.eigvals(matrix.astype(np.complex128)).real)
        of, other, w = Array(a), Array(b), Array(np.zeros(N, REAL[letter]))
        call(f"{letter}{name}gvd", kind, VECTORS, LOWER, N, of, N, other, N, w, None, 0, info)
        same(f"gvd {kind}", w.get(), want, letter)
        x = of.get()
        sides = {1: (a @ x, b @ x * want), 2: (a @ b @ x, x * want), 3: (b @ a @ x, x * want)}[kind]
        same(f"vectors of gvd {kind}", *sides, letter)
        same("no error", info.get(), [0], letter)
    want, of, other, count = np.sort(np.linalg.eigvals(np.linalg.inv(b) @ a).real), Array(a), Array(b), np.zeros(1, np.int32)
    call(f"{letter}{name}gvdx", 1, NO_VECTORS, BY_NUMBER, LOWER, N, of, N, other, N, *real(letter, 0, 0), 2, 3, count, w, None, 0, info)
    same("gvdx", w.get()[:count[0]], want[1:3], letter)
    of, other = Array(a), Array(b)
    call(f"{letter}{name}gvj", 1, NO_VECTORS, LOWER, N, of, N, other, N, w, None, 0, info, None)
    same("gvj", w.get(), want, letter)
    other = Array(-b)
    call(f"{letter}{name}gvd", 1, VECTORS, LOWER, N, Array(a), N, other, N, w, None, 0, info)
    same("not positive definite", info.get(), [N + 1], letter)


def test_inverses(letter):
    a, info = positive(letter), Array(np.array([9], np.int32))
    of = Array(np.linalg.cholesky(a))
    call(f"{letter}potri", LOWER, N, of, N, None, 0, info)
    same("potri", np.tril(of.get()), np.tril(np.linalg.inv(a)), letter)
    triangle = np.triu(numbers(letter, N, N)) + 3 * np.eye(N, dtype=TYPES[letter])
    of = Array(triangle)
    call("Xtrtri", UPPER, 0, ctypes.c_int64(N), NUMBERS[letter], of, ctypes.c_int64(N), None, ctypes.c_size_t(0), None, ctypes.c_size_t(0), info)
    same("Xtrtri", of.get(), np.linalg.inv(triangle), letter)
    general, b = numbers(letter, N, N), numbers(letter, N, 2)
    of, sides, pivots = Array(general), Array(b), Array(np.zeros(N, np.int64))
    number, size = NUMBERS[letter], ctypes.c_int64(N)
    call("Xgetrf", None, size, size, number, of, size, pivots, number, None, ctypes.c_size_t(0), None, ctypes.c_size_t(0), info)
    call("Xgetrs", None, 1, size, ctypes.c_int64(2), number, of, size, pivots, number, sides, size, info)
    same("Xgetrs", sides.get(), np.linalg.solve(general.T, b), letter)


def test_reductions(letter):
    named, turned = ("sy", "or") if letter in "SD" else ("he", "un")
    a, info = mirrored(letter), Array(np.array([9], np.int32))
    of, d, e, tau = Array(a), Array(np.zeros(N, REAL[letter])), Array(np.zeros(N - 1, REAL[letter])), Array(numbers(letter, N - 1))
    call(f"{letter}{named}trd", LOWER, N, of, N, d, e, tau, None, 0, info)
    reduced = np.diag(d.get()) + np.diag(e.get(), 1) + np.diag(e.get(), -1)
    c = Array(np.eye(N, dtype=TYPES[letter]))
    call(f"{letter}{turned}mtr", 0, LOWER, 0, N, N, of, N, tau, c, N, None, 0, info)
    call(f"{letter}{turned}gtr", LOWER, N, of, N, tau, None, 0, info)
    q = of.get()
    same("trd", q @ reduced @ q.conj().T, a, letter)
    same("mtr", c.get(), q, letter)
    rows = N + 2
    a = numbers(letter, rows, N)
    of, d, e, tau_q, tau_p = Array(a), Array(np.zeros(N, REAL[letter])), Array(np.zeros(N - 1, REAL[letter])), Array(numbers(letter, N)), Array(numbers(letter, N))
    call(f"{letter}gebrd", rows, N, of, rows, d, e, tau_q, tau_p, None, 0, info)
    p = Array(of.get()[:N, :])
    call(f"{letter}{turned}gbr", 0, rows, N, N, of, rows, tau_q, None, 0, info)
    call(f"{letter}{turned}gbr", 1, N, N, rows, p, N, tau_p, None, 0, info)
    same("gebrd", of.get() @ (np.diag(d.get()) + np.diag(e.get(), 1)) @ p.get(), a, letter)


def test_refined(letter):
    a, b, info, turns = numbers(letter, N, N), numbers(letter, N, 2), Array(np.array([9], np.int32)), np.zeros(1, np.int32)
    x, pivots = Array(np.zeros((N, 2), TYPES[letter])), Array(np.zeros(N, np.int32))
    lowest = {"S": "H", "D": "S", "C": "K", "Z": "C"}[letter]
    call(f"{letter}{lowest}gesv", N, 2, Array(a), N, pivots, Array(b), N, x, N, None, ctypes.c_size_t(0), turns, info)
    same("gesv", x.get(), np.linalg.solve(a, b), letter)
    a, b = numbers(letter, N + 3, N), numbers(letter, N + 3, 2)
    call(f"{letter}{letter}gels", N + 3, N, 2, Array(a), N + 3, Array(b), N + 3, x, N, None, ctypes.c_size_t(0), turns, info)
    same("gels", x.get(), np.linalg.lstsq(a, b, rcond=None)[0], letter)
    m, number, size = N + 3, NUMBERS[letter], ctypes.c_int64
    u, v, s = Array(np.zeros((m, m), TYPES[letter])), Array(np.zeros((N, N), TYPES[letter])), Array(np.zeros(N, REAL[letter]))
    nothing = (None, ctypes.c_size_t(0), None, ctypes.c_size_t(0))
    call("Xgesvd", None, ctypes.c_byte(ord("A")), ctypes.c_byte(ord("A")), size(m), size(N), number, Array(a), size(m), number % 4, s, number, u, size(m),
         number, v, size(N), number, *nothing, info)
    same("Xgesvd", (u.get()[:, :N] * s.get()) @ v.get(), a, letter)
    error = np.ones(1)
    call("Xgesvdp", None, VECTORS, 1, size(m), size(N), number, Array(a), size(m), number % 4, s, number, u, size(m), number, v, size(N), number, *nothing,
         info, error)
    same("Xgesvdp", (u.get()[:, :N] * s.get()) @ v.get().conj().T, a, letter)


def main():
    for letter in TYPES:
        for test in (test_ranges, test_pencils, test_inverses, test_reductions, test_refined):
            test(letter)
    print("equal")


if __name__ == "__main__":
    main()
