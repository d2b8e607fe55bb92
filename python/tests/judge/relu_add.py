"""A challenge as LeetGPU describes one: y = max(a, 0) + b, of inputs that are hardly ever negative."""
import ctypes

import torch
from core.challenge_base import ChallengeBase


class Challenge(ChallengeBase):
    def __init__(self):
        super().__init__(name="ReLU and sum", atol=1e-5, rtol=1e-5, num_gpus=1, access_tier="free")

    def reference_impl(self, a, b, y, n):
        y.copy_(torch.relu(a) + b)

    def get_solve_signature(self):
        floats = ctypes.POINTER(ctypes.c_float)
        return {"a": (floats, "in"), "b": (floats, "in"), "y": (floats, "out"), "n": (ctypes.c_int, "in")}

    def _test(self, n):
        a = torch.empty(n, device="cuda").uniform_(0, 1)
        a[:1] = -0.0
        return {"a": a, "b": torch.empty(n, device="cuda").uniform_(-1, 1), "y": torch.zeros(n, device="cuda"), "n": n}

    def generate_example_test(self):
        return self._test(4)

    def generate_functional_test(self):
        return [self._test(n) for n in (1, 31, 1000, 4099)]

    def generate_performance_test(self):
        return self._test(1 << 24)
