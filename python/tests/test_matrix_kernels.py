"""Kernels of the suite that take tensor maps and structs, on CPU tensors: matrix products and attention."""
import pytest

torch = pytest.importorskip("torch")
kernels = pytest.importorskip("warplens.kernels")


def difference(got, want):
    return ((got.double() - want.double()).norm() / want.double().norm()).item()


def test_matmul_by_the_copy_engine():
    a, b = torch.randn(128, 128).bfloat16(), torch.randn(128, 128).bfloat16()
    assert difference(kernels.matmul_bf16(a, b, impl="wgmma"), a.double() @ b.double().t()) < 4e-3


@pytest.mark.parametrize("impl", ["flash_mma", "flash_wgmma"])
def test_attention_of_odd_length(impl):
    q, k, v = (torch.randn(1, 2, 70, 64).bfloat16() for _ in range(3))
    want = torch.nn.functional.scaled_dot_product_attention(q.float(), k.float(), v.float(), is_causal=True)
    assert difference(kernels.attention_causal(q, k, v, impl=impl), want) < 4e-3


def test_sizes_that_no_step_takes():
    q = torch.randn(1, 1, 16, 32).bfloat16()
    with pytest.raises(ValueError, match="needs to be 0"):
        kernels.attention(q, q, q, impl="flash_wgmma")
