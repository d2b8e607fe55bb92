import pytest
import torch
import torch.nn.functional as F

import warplens

FUNCTIONS = {
    "gelu by hand": lambda x: 0.5 * x * (1 + torch.tanh(0.79788456 * (x + 0.044715 * x * x * x))),
    "gelu": F.gelu,
    "silu and mul": lambda x: F.silu(x) * x,
    "relu squared": lambda x: F.relu(x) ** 2,
    "clamp": lambda x: x.clamp(-1, 0.5),
    "where": lambda x: torch.where(x > 0, x, x * 0.1),
    "softmax": lambda x: torch.softmax(x, -1),
    "log softmax": lambda x: F.log_softmax(x, -1),
    "rms norm": lambda x: F.rms_norm(x, (x.shape[-1],)),
    "standardise": lambda x: (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + 1e-5),
    "sum": lambda x: x.sum(-1),
    "two outputs": lambda x: (x.exp(), x.sin()),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("shape", [(7, 64), (5, 37)])
def test_fused_agrees_with_eager(name, shape):
    torch.manual_seed(0)
    x = torch.randn(shape)
    got, want = warplens.fuse(FUNCTIONS[name])(x), FUNCTIONS[name](x)
    torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-5)


def test_several_inputs_and_broadcasting():
    x, w, b = torch.randn(9, 48), torch.randn(48), torch.randn(48)
    fused = warplens.fuse(lambda x, w, b: F.layer_norm(x, (48,), w, b))
    torch.testing.assert_close(fused(x, w, b), F.layer_norm(x, (48,), w, b), rtol=1e-4, atol=1e-5)
    assert "__global__" in fused.source(x, w, b)


def test_half_precision_keeps_its_type():
    x = torch.randn(33, dtype=torch.float16)
    assert warplens.fuse(lambda x: x * 2 + 1)(x).dtype == torch.float16


@pytest.mark.parametrize("function, what", [(lambda x: x @ x, "aten.matmul"), (lambda x: x.sum(0), "last axis"),
                                            (lambda x: x - x.mean(-1)[:, None], "keepdim|unsqueeze|slice")])
def test_what_cannot_be_fused_is_named(function, what):
    with pytest.raises(NotImplementedError, match=what):
        warplens.fuse(function)(torch.randn(4, 4))
