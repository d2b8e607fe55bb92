import torch
import torch.nn.functional as F

import warplens


def test_pointwise_and_reduction_become_one_kernel():
    made = warplens.explain(lambda a, b: torch.softmax(F.gelu(a * b, approximate="tanh"), -1), torch.randn(32, 64), torch.randn(32, 64))
    assert made.agrees and made.max_error < 1e-5
    assert made.eager_kernels == 3 and made.launches == 1
    assert made.kernels[0].operators == ["aten.mul", "aten.gelu", "aten._softmax"]
    assert "tl.load" in made.kernels[0].source and ".entry" in made.kernels[0].ptx
    assert made.bytes_moved < made.eager_bytes
    assert "aten.gelu" in str(made)


def test_gradients_are_compared():
    x = torch.randn(16, 32, requires_grad=True)
    made = warplens.explain(lambda x: F.silu(x) * 3, x)
    assert made.agrees
    assert len(made.code) == 2  # forward and backward graphs
