"""10,000 calls take no memory that stays."""

import gc
import os
import sys

import pytest
import torch

import warplens

CALLS = 10_000
ALLOWED_BYTES = 8 << 20


def resident_bytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def grown(call, calls=CALLS):
    """Resident memory that `calls` calls add after some first ones."""
    for _ in range(calls // 10):
        call()
    gc.collect()
    before = resident_bytes()
    for _ in range(calls):
        call()
    gc.collect()
    return resident_bytes() - before


def test_loading_profiles(traces, tmp_path):
    (tmp_path / "t.json").write_text('{"traceEvents": [{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1,"dur":2}]}')
    assert grown(lambda: warplens.load(tmp_path / "t.json").table("operators").to_arrow()) < ALLOWED_BYTES


@pytest.fixture(scope="module")
def square():
    source = 'extern "C" __global__ void square(const float* x, float* y) { y[threadIdx.x] = x[threadIdx.x] * x[threadIdx.x]; }'
    return warplens.load_inline(source).square


def test_launching(square):
    x, y = torch.randn(32), torch.empty(32)
    references = sys.getrefcount(x), sys.getrefcount(y)
    assert grown(lambda: square[1, 32](x, y)) < ALLOWED_BYTES
    assert (sys.getrefcount(x), sys.getrefcount(y)) == references


def test_counted_launches(square):
    x, y = torch.randn(32), torch.empty(32)
    assert grown(lambda: square.profile[1, 32](x, y).metrics, CALLS // 20) < ALLOWED_BYTES


def test_timing():
    x = torch.randn(32)
    references = sys.getrefcount(x)
    assert grown(lambda: warplens.bench(torch.square, x, samples=2, limit_s=1e-4), CALLS // 50) < ALLOWED_BYTES
    session = warplens._core.open_cpu()
    race = dict(regime="warm", margin=0.01, confidence=0.95, limit_s=1e-4, seed=1)
    assert grown(lambda: session.race(a=lambda: torch.square(x), b=lambda: x * x, **race), CALLS // 50) < ALLOWED_BYTES
    assert sys.getrefcount(x) == references


def test_calls_that_raise(square):
    def fails():
        try:
            warplens.bench(lambda: 1 / 0)
        except ZeroDivisionError:
            pass
        try:
            square[1, 32](1)
        except TypeError:
            pass

    assert grown(fails) < ALLOWED_BYTES


def test_many_kernels_at_once():
    source = 'extern "C" __global__ void fill(float* x) {{ x[threadIdx.x] = {}; }}'
    ptx = warplens.load_inline(source.format(1)).compiled.ptx
    modules = [warplens.launches.Module(ptx) for _ in range(600)]  # each with memory of its own
    assert len(modules) == 600
