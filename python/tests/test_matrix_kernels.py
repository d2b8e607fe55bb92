"""Kernels of the suite that take tensor maps and structs, on CPU tensors: matrix products and attention."""
import pytest

torch = pytest.importorskip("torch")
kernels = pytest.importorskip("warplens.kernels")


def difference(got, want):
    return ((got.double() - want.double()).norm() / want.double().norm()).item()


def test_matmul_by_the_copy_engine():
    a, b = torch.randn(128, 128).bfloat16(), torch.randn(128, 128).bfloat16()
    assert difference(kernels.matmul_bf16(a, b, impl="wgmma"), a.double() @ b.double().t()) < 4e-3


@pytest.mark.parametrize("impl", ["flash_mma", "flash"])
@pytest.mark.parametrize("causal", [False, True])
def test_attention_of_odd_length_and_grouped_heads(impl, causal):
    q, k, v = (torch.randn(1, heads, 70, 64).bfloat16() for heads in (2, 1, 1))
    want = torch.nn.functional.scaled_dot_product_attention(q.double(), k.double(), v.double(), is_causal=causal, enable_gqa=True)
    assert difference(kernels.attention(q, k, v, impl=impl, causal=causal), want) < 4e-3


def test_gradients_of_attention():
    q, k, v = (torch.randn(1, heads, 80, 64).bfloat16().requires_grad_() for heads in (2, 1, 1))
    d = torch.randn(1, 2, 80, 64).bfloat16()
    got = torch.autograd.grad(kernels.attention(q, k, v, causal=True), (q, k, v), d)
    exact = [x.detach().double().requires_grad_() for x in (q, k, v)]
    want = torch.autograd.grad(torch.nn.functional.scaled_dot_product_attention(*exact, is_causal=True, enable_gqa=True), exact, d.double())
    assert max(difference(g, w) for g, w in zip(got, want)) < 5e-3
    with pytest.raises(RuntimeError, match="does not keep lse"):
        kernels.attention_causal(q, k, v, impl="flash_mma")


@pytest.mark.parametrize("causal", [False, True])
def test_attention_of_sequences_one_after_another(causal):
    starts = torch.tensor([0, 70, 75, 150], dtype=torch.int32)
    leaves = [torch.randn(150, heads, 64).bfloat16().requires_grad_() for heads in (2, 1, 1)]
    exact = [x.detach().double().requires_grad_() for x in leaves]
    parts = [torch.nn.functional.scaled_dot_product_attention(*(x[a:b].transpose(0, 1) for x in exact), is_causal=causal, enable_gqa=True)
             for a, b in zip(starts[:-1].tolist(), starts[1:].tolist())]
    want, got = torch.cat(parts, 1).transpose(0, 1), kernels.attention_varlen(*leaves, starts, longest=75, causal=causal)
    assert difference(got, want) < 4e-3
    d = torch.randn_like(want)
    gradients = zip(torch.autograd.grad(got, leaves, d.bfloat16()), torch.autograd.grad(want, exact, d.bfloat16().double()), strict=True)
    assert max(difference(g, w) for g, w in gradients) < 6e-3


def test_sizes_that_no_step_takes():
    q = torch.randn(1, 1, 16, 32).bfloat16()
    with pytest.raises(ValueError, match="needs to be 0"):
        kernels.attention(q, q, q, impl="flash_wgmma")
