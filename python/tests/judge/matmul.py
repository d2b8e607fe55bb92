"""A problem as Tensara describes one: C = A B."""
import ctypes

import torch
from problem import Problem


class matmul(Problem):
    def __init__(self):
        super().__init__(name="matmul")

    def reference_solution(self, a, b):
        with torch.no_grad():
            return a @ b

    def generate_test_cases(self, dtype):
        sizes = [(1024, 1024, 1024), (1024, 1536, 2048)]
        return [{"name": f"{m}x{n}x{k}", "dims": (m, n, k),
                 "create_inputs": lambda m=m, n=n, k=k: (torch.rand((m, k), device="cuda", dtype=dtype) * 2 - 1,
                                                         torch.rand((k, n), device="cuda", dtype=dtype) * 2 - 1)} for m, n, k in sizes]

    def get_function_signature(self):
        floats = ctypes.POINTER(ctypes.c_float)
        return {"argtypes": [floats, floats, floats, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_size_t], "restype": None}

    def get_extra_params(self, test_case):
        return list(test_case["dims"])
