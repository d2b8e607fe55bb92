"""What torch.compile makes for an emulated GPU: each generated kernel runs and agrees with eager."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import warplens


class Block(nn.Module):
    """A transformer block: attention and MLP, each after a layer norm."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.before_attention, self.before_mlp = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.widen, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(self.before_attention(x)).view(batch, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(batch, length, width)
        x = x + self.out(mixed)
        return x + self.narrow(F.gelu(self.widen(self.before_mlp(x))))


def softmax_then_norm(x, w, b):
    return F.layer_norm(torch.softmax(x, -1), (x.shape[-1],), w, b)


def rms_norm(x, w):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * w


def attention(q, k, v):
    return torch.softmax(q @ k.transpose(-1, -2) / 8, -1) @ v


def adam(p, g, m, v):
    m, v = m.lerp(g, 0.1), v * 0.999 + g * g * 0.001
    return p - 1e-3 * (m / 0.1) / ((v / 0.001).sqrt() + 1e-8), m, v


def normal(*shape, grad=False):
    return torch.randn(*shape, requires_grad=grad)


def batch_norm():
    layer = nn.BatchNorm2d(16).eval()
    layer.running_mean.normal_()
    layer.running_var.uniform_(0.5, 2)
    return nn.Sequential(layer, nn.ReLU())


# Of each: the function, its arguments, and operators that end up in generated kernels (forward and backward).
CASES = {
    "transformer block": lambda: (Block(64, 4), (normal(2, 32, 64),), {"aten.native_layer_norm", "aten.gelu", "aten.gelu_backward", "aten.native_layer_norm_backward"}),
    "softmax and layer norm": lambda: (softmax_then_norm, (normal(64, 256, grad=True), normal(256), normal(256)),
                                       {"aten._softmax", "aten.native_layer_norm", "aten._softmax_backward_data"}),
    "GELU MLP": lambda: (nn.Sequential(nn.Linear(64, 128), nn.GELU(), nn.Linear(128, 64)), (normal(32, 64),), {"aten.gelu", "aten.gelu_backward"}),
    "RMS norm": lambda: (rms_norm, (normal(32, 512, grad=True), normal(512, grad=True)), {"aten.rsqrt", "aten.mean"}),
    "cross entropy": lambda: (F.cross_entropy, (normal(64, 1000, grad=True), torch.randint(0, 1000, (64,))), {"aten._log_softmax", "aten.nll_loss_forward"}),
    "embedding and sum": lambda: (lambda table, i: table[i].sum(1), (normal(100, 32), torch.randint(0, 100, (8, 20))), {"aten.index", "aten.sum"}),
    "attention, decomposed": lambda: (attention, tuple(normal(2, 4, 32, 64, grad=True) for _ in range(3)), {"aten._softmax", "aten._softmax_backward_data"}),
    "Adam step": lambda: (adam, (*(normal(1000) for _ in range(3)), torch.rand(1000)), {"aten.lerp", "aten.sqrt"}),
    "batch norm and ReLU": lambda: (batch_norm(), (normal(4, 16, 14, 14),), {"aten._native_batch_norm_legit_no_training", "aten.relu"}),
    "dropout": lambda: (lambda x: F.dropout(x, 0.5) * 2, (normal(1000),), {"aten.native_dropout", "aten.mul"}),
    "group norm": lambda: (nn.GroupNorm(4, 16), (normal(2, 16, 8, 8),), {"aten.native_group_norm"}),
    "sort and argmax": lambda: (lambda x: (x.argmax(-1), x.sort(-1)[0]), (normal(16, 100),), {"aten.argmax", "aten.sort"}),
}


@pytest.mark.parametrize("name", CASES)
def test_generated_kernels_agree_with_eager(name):
    torch.manual_seed(1)
    function, arguments, operators = CASES[name]()
    made = warplens.explain(function, *arguments, counters=False)
    assert made.agrees and made.max_error < 1e-5, str(made)
    assert all(kernel.launches for kernel in made.kernels)
    assert operators <= {operator for kernel in made.kernels for operator in kernel.operators}
    assert made.launches < made.eager_kernels or name == "group norm"


def test_pointwise_and_reduction_become_one_counted_kernel():
    made = warplens.explain(lambda a, b: torch.softmax(F.gelu(a * b, approximate="tanh"), -1), torch.randn(32, 64), torch.randn(32, 64))
    assert made.agrees and made.max_error < 1e-5
    assert made.eager_kernels == 3 and made.launches == 1
    (kernel,) = made.kernels
    assert kernel.operators == ["aten.mul", "aten.gelu", "aten._softmax"]
    assert "tl.load" in kernel.source and ".target sm_90" in kernel.ptx
    assert 0 < kernel.time_ns("bound_ns") <= kernel.time_ns("estimate_ns")
    assert kernel.launches[0].metrics["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] == 2 * 32 * 64 * 4 // 32
    assert made.bytes_moved < made.eager_bytes
    assert "aten.gelu" in str(made) and "at least" in str(made)


def test_gradients_are_compared():
    made = warplens.explain(lambda x: F.silu(x) * 3, torch.randn(16, 32, requires_grad=True), counters=False)
    assert made.agrees
    assert len(made.code) == 2  # forward and backward graphs


@pytest.mark.parametrize("device,processors,capability", [("a100", 108, 80), ("h200", 132, 90)])
def test_inductor_sees_the_chosen_gpu(device, processors, capability):
    made = warplens.explain(lambda x: x.sum(), torch.randn(1 << 16), device=device, counters=False)
    assert made.agrees and f"multi_processor_count={processors}, cc={capability}" in made.code[0]
    assert made.launches == 2  # a reduction to one number is split over the processors
