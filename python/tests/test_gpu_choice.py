"""Where a call is timed: found from what it can reach. A stand-in takes the place of CUDA arrays, which need a GPU."""

import functools
import types

import pytest
import torch

from warplens import _gpu


class OnGpu:
    def __init__(self, number):
        self.is_cuda, self.device = True, types.SimpleNamespace(index=number)


FIRST, SECOND = OnGpu(0), OnGpu(1)


class Holder:
    def __init__(self, value):
        self.value = value

    def step(self):
        return self.value


def names_a_global():
    return SECOND


def captures(value):
    return lambda: value


@pytest.mark.parametrize("reached, gpus", [
    (FIRST, {0}),
    ([{"a": (1, SECOND)}], {1}),
    (captures(SECOND), {1}),
    (functools.partial(captures(1), SECOND), {1}),
    (Holder(SECOND).step, {1}),
    (names_a_global, {1}),
    (functools.wraps(names_a_global)(lambda: None), {1}),
    ((captures(FIRST), SECOND), {0, 1}),
    (torch.zeros(3), set()),
    ([torch.Tensor, torch, "text", 5, None], set()),
    (torch.nn.Linear(2, 2), set()),
], ids=["array", "containers", "closure", "partial", "method", "global", "wrapped", "several", "cpu", "others", "module"])
def test_arrays_are_found(reached, gpus):
    assert _gpu.gpus_of(reached) == gpus


def test_a_cycle_ends():
    loop = []
    loop.append(loop)
    assert _gpu.gpus_of(loop) == set()


def test_what_is_said_goes_before_what_is_found():
    assert _gpu.choose(None, SECOND) == 1
    assert _gpu.choose("cpu", SECOND) is None
    assert _gpu.choose("cuda:3") == 3 and _gpu.choose(torch.device("cuda", 2)) == 2 and _gpu.choose(1) == 1
    with pytest.raises(ValueError, match=r"arrays on several GPUs \(0, 1\)"):
        _gpu.choose(None, FIRST, SECOND)
    with pytest.raises(ValueError, match="no device 'cuda:x'"):
        _gpu.choose("cuda:x")
