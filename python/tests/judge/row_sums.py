"""A challenge as LeetGPU describes one: y[r] = sum of row r."""
import ctypes

import torch
from core.challenge_base import ChallengeBase


class Challenge(ChallengeBase):
    def __init__(self):
        super().__init__(name="Row sums", atol=1e-5, rtol=1e-5, num_gpus=1, access_tier="free")

    def reference_impl(self, x, y, rows, columns):
        torch.sum(x.view(rows, columns), dim=1, out=y)

    def get_solve_signature(self):
        return {"x": (ctypes.POINTER(ctypes.c_float), "in"), "y": (ctypes.POINTER(ctypes.c_float), "out"),
                "rows": (ctypes.c_int, "in"), "columns": (ctypes.c_int, "in")}

    def _test(self, rows, columns):
        return {"x": torch.empty(rows * columns, device="cuda").uniform_(-1, 1), "y": torch.zeros(rows, device="cuda"),
                "rows": rows, "columns": columns}

    def generate_example_test(self):
        return self._test(2, 4)

    def generate_functional_test(self):
        return [self._test(*shape) for shape in ((1, 1), (3, 7), (33, 65), (64, 128))]

    def generate_performance_test(self):
        return self._test(4096, 1024)
