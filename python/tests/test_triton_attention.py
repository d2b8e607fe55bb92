"""Flash attention in Triton, forward and backward, against torch."""

import attention_kernels as kernels
import pytest
import torch

import warplens


@pytest.mark.parametrize("device", ["a100", "h200"])
@pytest.mark.parametrize("causal", [True, False])
def test_flash_attention(device, causal):
    torch.manual_seed(20)
    heads, length, d = 2, 1024, 64
    q, k, v, gradient = (torch.randn(heads, length, d).mul_(0.5).half() for _ in range(4))
    out, log_sum, delta = torch.empty_like(q), torch.empty(heads, length), torch.empty(heads, length)
    d_q, d_k, d_v = torch.empty_like(q), torch.empty_like(k), torch.empty_like(v)
    block = {"D": d, "CAUSAL": causal}
    scale = 0.5
    with warplens.emulate(device):
        kernels.attention_forward[(length // 128, heads)](q, k, v, out, log_sum, scale, length, BLOCK_M=128, BLOCK_N=64, num_stages=3, **block)
        kernels.attention_delta[(heads * length // 128,)](out, gradient, delta, D=d, BLOCK=128)
        kernels.attention_backward_kv[(length // 128, heads)](q, k, v, gradient, d_k, d_v, log_sum, delta, scale, length, BLOCK_M=32,
                                                              BLOCK_N=128, **block)
        kernels.attention_backward_q[(length // 128, heads)](q, k, v, gradient, d_q, log_sum, delta, scale, length, BLOCK_M=128,
                                                             BLOCK_N=32, **block)
    reference = [t.float().requires_grad_(True) for t in (q, k, v)]
    want = torch.nn.functional.scaled_dot_product_attention(*reference, is_causal=causal, scale=scale)
    want.backward(gradient.float())
    for got, expected in zip((out, d_q, d_k, d_v), (want, *(t.grad for t in reference)), strict=True):
        torch.testing.assert_close(got.float(), expected.detach(), rtol=1e-2, atol=1e-2)
