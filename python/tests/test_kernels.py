"""warplens.kernels on CPU tensors, in the emulator, against PyTorch."""

import pytest
import torch
import torch.nn.functional as F

from warplens import kernels

TOLERANCE = 1e-5


def same(got: object, want: object, tolerance: float = TOLERANCE) -> None:
    got, want = (x if isinstance(x, tuple) else (x,) for x in (got, want))
    for g, w in zip(got, want, strict=True):
        assert g.shape == w.shape
        assert ((g.double() - w.double()).norm() / w.double().norm()).item() <= tolerance


def fitting(family: kernels.Family, **point: int) -> list[str]:
    return [impl for impl in family.impls if family.fits(impl, point)]


def test_every_step_of_softmax_with_batches() -> None:
    x = torch.randn(2, 8, 1024)
    for impl in kernels.softmax.impls:
        same(kernels.softmax(x, impl=impl), torch.softmax(x.double(), -1))


@pytest.mark.parametrize(("name", "torch_function"), [
    ("copy", torch.clone), ("square", torch.square), ("gelu", lambda x: F.gelu(x, approximate="tanh")), ("scan", lambda x: x.cumsum(0)),
    ("reduction", lambda x: x.sum().reshape(1))])
def test_arrays(name: str, torch_function: object) -> None:
    family, x = getattr(kernels, name), torch.rand(5000)
    impls = fitting(family, n=5000)
    assert len(impls) >= 2
    for impl in impls:
        for _ in range(2):  # what a kernel keeps between calls must not matter
            same(family(x, impl=impl), torch_function(x.double()))


def test_other_types_and_shapes() -> None:
    x, a, b = torch.randn(64, 100), torch.randn(3, 1000), torch.randn(3, 1000)
    same(kernels.transpose(x), x.t())
    same(kernels.vector_add(a, b), a + b)
    values = torch.randint(0, 256, (4096,), dtype=torch.uint8)
    same(kernels.histogram(values), torch.bincount(values.int(), minlength=256))
    cosine, sine, q = torch.rand(4, 32), torch.rand(4, 32), torch.randn(4, 2, 64)
    left, right = q.chunk(2, -1)
    c, s = cosine[:, None], sine[:, None]
    same(kernels.rotary(q, cosine, sine), torch.cat((left * c - right * s, right * c + left * s), -1))


def test_gradients() -> None:
    x = torch.randn(2, 8, 512, requires_grad=True)
    w, b = torch.randn(512, requires_grad=True), torch.randn(512, requires_grad=True)
    for mine, theirs, leaves in ((kernels.layer_norm, lambda x, w, b: F.layer_norm(x, (512,), w, b), (x, w, b)),
                                 (kernels.rms_norm, lambda x, w: F.rms_norm(x, (512,), w, 1e-6), (x, w))):
        y, want = mine(*leaves), theirs(*leaves)
        same(y, want)
        given = torch.randn_like(want)
        same(torch.autograd.grad(y, leaves, given), torch.autograd.grad(want, leaves, given))
    y, want = kernels.softmax(x), torch.softmax(x, -1)
    given = torch.randn_like(want)
    same(torch.autograd.grad(y, x, given), torch.autograd.grad(want, x, given))
    targets = torch.randint(0, 512, (2, 8))
    y, want = kernels.cross_entropy(x, targets), F.cross_entropy(x.flatten(0, 1), targets.flatten(), reduction="none").reshape(2, 8)
    same(y, want)
    same(torch.autograd.grad(y.sum(), x), torch.autograd.grad(want.sum(), x))


def test_what_cannot_be_done_is_said() -> None:
    with pytest.raises(RuntimeError, match="no backward"):
        kernels.gelu(torch.randn(64, requires_grad=True))
    with pytest.raises(TypeError, match="softmax has no 'causal'; there are rows, columns"):
        kernels.softmax(torch.randn(4, 8), causal=True)
    with pytest.raises(ValueError, match="does not take"):
        kernels.softmax(torch.randn(8, 3), impl="registers")
    with pytest.raises(ValueError, match="there are naive"):
        kernels.softmax(torch.randn(8, 4), impl="fastest")
    with pytest.raises(TypeError, match="float32"):
        kernels.softmax(torch.randn(8, 4, dtype=torch.float64))
    with pytest.raises(TypeError, match="takes a, b"):
        kernels.vector_add(torch.randn(8))
    with pytest.raises(AttributeError, match="there are"):
        kernels.sofmax  # noqa: B018
    assert kernels.softmax(torch.randn(8, 3)).shape == (8, 3), "the fastest step that takes such rows is chosen"


def test_counters() -> None:
    _, (launch,) = kernels.copy.launch((torch.randn(4096),), "vector", "profile")
    assert launch.metrics["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] == 4096 * 4 / 32


@pytest.mark.parametrize("impl", kernels.attention_decode.impls)
def test_decoding_of_sequences_of_any_length(impl: str) -> None:
    heads, kv_heads, size, lengths = 8, 2, 64, (37, 256)
    k, v = (torch.randn(32, 16, kv_heads, size).bfloat16() for _ in range(2))
    q, table = torch.randn(2, heads, size).bfloat16(), torch.randperm(32).to(torch.int32).reshape(2, 16)
    o = kernels.attention_decode(q, k, v, table, torch.tensor(lengths, dtype=torch.int32), impl=impl)
    for i, length in enumerate(lengths):
        keys, values = (pages[table[i].long()].flatten(0, 1)[None, :length].transpose(1, 2).double() for pages in (k, v))
        same(o[i].double(), F.scaled_dot_product_attention(q[i][None, :, None].double(), keys, values, enable_gqa=True)[0, :, 0], 2e-2)
