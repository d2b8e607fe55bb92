"""Arguments of inline kernels are what their source says, and launches are recorded where an emulation is active."""

import numpy as np
import pytest
import torch

import warplens

SOURCE = """
extern "C" __global__ void add(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += x[i];
}
"""


@pytest.fixture(scope="module")
def add():
    return warplens.load_inline(SOURCE).add


def test_types_that_do_not_fit_are_refused(add):
    x, y = torch.ones(8), torch.zeros(8)
    with pytest.raises(TypeError, match="takes f32; the array holds f64"):
        add[1, 8](x.double(), y, 8)
    with pytest.raises(TypeError, match="takes f32; the array holds i64"):
        add[1, 8](x, np.zeros(8, dtype=np.int64), 8)
    with pytest.raises(TypeError, match="'int n', is not a pointer"):
        add[1, 8](x, y, y)
    add[1, 8](x, y, 8)
    assert torch.equal(y, x)


def test_arrays_that_cannot_be_used_are_refused(add):
    x = np.ones(8, dtype=np.float32)
    frozen = np.zeros(8, dtype=np.float32)
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="read-only and the kernel may write"):
        add[1, 8](x, frozen, 8)
    y = np.zeros(8, dtype=np.float32)
    add[1, 8](frozen, y, 8)  # what the kernel only reads may be read-only
    with pytest.raises(ValueError, match="not contiguous"):
        add[1, 8](torch.ones(8, 2)[:, 0], torch.zeros(8), 8)


def test_launches_within_an_emulation_are_its_launches(add):
    x, y = torch.ones(64), torch.zeros(64)
    with warplens.emulate("a100", counters=True) as gpu:
        add[2, 32](x, y, 64)
    assert [launch.kernel for launch in gpu.launches] == ["add"] and torch.equal(y, x)
    assert gpu.launches[0].report["device"].startswith("A100")
    assert gpu.data[0]["metrics"] and "add" in gpu._repr_html_() and "1 launches" in str(gpu)
