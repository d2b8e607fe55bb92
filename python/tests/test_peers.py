"""The suite's peers: Triton's tutorial kernels, in the emulator, and warplens.suite, on CPU tensors."""
import pytest

torch = pytest.importorskip("torch")
triton_peers = pytest.importorskip("warplens.triton_peers")
F = torch.nn.functional

import warplens  # noqa: E402
from warplens import suite  # noqa: E402


def difference(got, want):
    return ((got.double() - want.double()).norm() / want.double().norm()).item()


def test_rows_in_triton():
    x, y = torch.randn(5000), torch.randn(5000)
    rows, w, b = torch.randn(16, 1000), torch.randn(1000), torch.randn(1000)
    with warplens.emulate("h200"):
        assert torch.equal(triton_peers.vector_add(x, y), x + y)
        assert difference(triton_peers.softmax(rows), torch.softmax(rows, -1)) < 1e-6
        assert difference(triton_peers.layer_norm(rows, w, b), F.layer_norm(rows, (1000,), w, b)) < 1e-6


def test_products_in_triton():
    a, b = torch.randn(128, 64).bfloat16(), torch.randn(256, 64).bfloat16()
    q, k, v = (torch.randn(1, 1, 128, 64).bfloat16() for _ in range(3))
    with warplens.emulate("h200"):
        assert difference(triton_peers.matmul(a, b), a.double() @ b.double().t()) < 4e-3
        assert difference(triton_peers.attention(q, k, v, causal=True),
                          F.scaled_dot_product_attention(q.double(), k.double(), v.double(), is_causal=True)) < 4e-3


@pytest.mark.parametrize(("name", "impls"), [("softmax_backward", ["registers", "torch"]), ("attention", ["flash", "torch"]),
                                             ("attention_decode", ["fused", "torch"]), ("matmul_fp8", ["persistent"])])
def test_families_beside_torch(name, impls):
    results = suite.run(name, impls, device="cpu", seconds=0.02)
    assert len(results) == len(impls) and all(m.valid and m.data["checks"][0]["passed"] for m in results)
    with pytest.raises(ValueError, match="there are"):
        suite.run(name, ["fastest"], device="cpu")
