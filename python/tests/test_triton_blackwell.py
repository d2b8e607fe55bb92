"""Triton kernels on sm_100, whose products run in tensor memory (tcgen05), and products with block scales on sm_120 too."""

import attention_kernels
import matmul_kernels as kernels
import pytest
import scaled_kernels
import torch
from triton.tools.tensor_descriptor import TensorDescriptor

import warplens


@pytest.mark.parametrize("dtype,out,m_block,n_block,tolerance", [
    (torch.float16, torch.float16, 128, 128, 2e-2), (torch.bfloat16, torch.float32, 64, 64, 1e-3),
    (torch.float8_e4m3fn, torch.float16, 128, 64, 2e-2), (torch.float32, torch.float32, 64, 128, 2e-2)])
def test_products(dtype, out, m_block, n_block, tolerance):
    torch.manual_seed(1)
    a, b = torch.randn(128, 96).to(dtype), torch.randn(96, 128).to(dtype)
    c = torch.empty(128, 128, dtype=out)
    with warplens.emulate("b200", checks="all") as gpu:
        kernels.matmul[(128 // m_block * (128 // n_block),)](
            a, b, c, 128, 128, 96, *a.stride(), *b.stride(), *c.stride(), BLOCK_M=m_block, BLOCK_N=n_block, BLOCK_K=32, GROUP_M=8,
            ACTIVATION="leaky_relu", PRECISION="tf32")
    torch.testing.assert_close(c.float(), torch.nn.functional.leaky_relu(a.float() @ b.float(), 0.01), rtol=tolerance, atol=10 * tolerance)
    assert "tcgen05.mma" in gpu.launches[0].ptx
    assert gpu.reports == []


def test_descriptors_and_warp_specialisation():
    a, b = torch.randn(256, 128).half(), torch.randn(256, 128).half()
    c = torch.empty(256, 256, dtype=torch.float16)
    with warplens.emulate("b200"):
        kernels.descriptor_matmul[(2,)](*(TensorDescriptor.from_tensor(t, block) for t, block in ((a, [128, 64]), (b, [128, 64]), (c, [128, 128]))),
                                        256, 256, 128, BLOCK_M=128, BLOCK_N=128, BLOCK_K=64)
        got = c.clone()
        kernels.specialised_matmul[(2,)](*(TensorDescriptor.from_tensor(t, block) for t, block in ((a, [128, 64]), (b, [128, 64]), (c, [128, 128]))),
                                         256, 256, 128, BLOCK_M=128, BLOCK_N=128, BLOCK_K=64)
    torch.testing.assert_close(got.float(), a.float() @ b.float().T, rtol=1e-2, atol=5e-2)
    assert torch.equal(c, got)


def test_attention():
    torch.manual_seed(3)
    heads, length, d = 2, 256, 64
    q, k, v = (torch.randn(heads, length, d).mul_(0.5).half() for _ in range(3))
    out, log_sum = torch.empty_like(q), torch.empty(heads, length)
    with warplens.emulate("b200"):
        attention_kernels.attention_forward[(length // 128, heads)](q, k, v, out, log_sum, 0.5, length, BLOCK_M=128, BLOCK_N=64, D=d, CAUSAL=True)
    want = torch.nn.functional.scaled_dot_product_attention(q.float(), k.float(), v.float(), is_causal=True, scale=0.5)
    torch.testing.assert_close(out.float(), want, rtol=1e-2, atol=1e-2)


def fours(packed):
    """Two e2m1 a byte, low half first, as floats."""
    codes = torch.stack([packed & 15, packed >> 4], -1).flatten(-2).long()
    return torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6, 0, -0.5, -1, -1.5, -2, -3, -4, -6])[codes]


def operand(rows, k, form):
    if form == "e2m1":
        packed = torch.randint(0, 256, (rows, k // 2), dtype=torch.uint8)
        return packed, fours(packed)
    values = torch.randn(rows, k).to(torch.float8_e4m3fn if form == "e4m3" else torch.float8_e5m2)
    return values, values.float()


@pytest.mark.parametrize("device", ["b200", "rtx5090"])
@pytest.mark.parametrize("a_form,b_form,block", [("e4m3", "e5m2", 32), ("e2m1", "e2m1", 32), ("e2m1", "e2m1", 16), ("e4m3", "e2m1", 32)])
def test_block_scales(device, a_form, b_form, block):
    torch.manual_seed(4)
    m, n, k = 128, 128, 256
    (a, a_values), (b, b_values) = operand(m, k, a_form), operand(n, k, b_form)
    if block == 16:
        scales = [torch.rand(rows, k // block).add(0.5).to(torch.float8_e4m3fn) for rows in (m, n)]
        factors = [s.float() for s in scales]
    else:
        scales = [torch.randint(120, 134, (rows, k // block), dtype=torch.uint8) for rows in (m, n)]
        factors = [2.0 ** (s.float() - 127) for s in scales]
    c = torch.empty(m, n)
    with warplens.emulate(device):
        scaled_kernels.scaled_matmul[(1, 1)](
            a, scales[0], b, scales[1], c, n, k, A_FORMAT=a_form, B_FORMAT=b_form, A_PACKED=k // a.shape[1], B_PACKED=k // b.shape[1],
            BLOCK=block, BLOCK_M=128, BLOCK_N=128, BLOCK_K=128)
    a_values, b_values = (v * f.repeat_interleave(block, 1) for v, f in zip((a_values, b_values), factors, strict=True))
    want = a_values @ b_values.T
    torch.testing.assert_close(c, want, rtol=1e-3, atol=1e-3 * float(want.abs().max()))
