"""Row-wise Triton kernels of the tutorials' shapes against torch, for an sm_80 and an sm_90 GPU."""

import numpy as np
import pytest
import row_kernels as kernels
import torch
import triton

import warplens

pytestmark = pytest.mark.parametrize("device", ["a100", "h200"])


def test_vector_add(device):
    x, y, out = torch.rand(98432), torch.rand(98432), torch.empty(98432)
    with warplens.emulate(device):
        kernels.vector_add[lambda meta: (triton.cdiv(98432, meta["BLOCK"]),)](x, y, out, 98432, BLOCK=1024)
    assert torch.equal(out, x + y)


def test_softmax(device):
    x, y = torch.randn(1823, 781), torch.empty(1823, 781)
    with warplens.emulate(device):
        kernels.softmax_rows[(264,)](x, y, x.stride(0), y.stride(0), 1823, 781, BLOCK=1024, STAGES=4, num_warps=8)
    torch.testing.assert_close(y, torch.softmax(x, 1))


def philox_uniform(seed: int, count: int) -> np.ndarray:
    """What tl.rand(seed, arange(count)) gives: the first word of Philox4x32-10 as a float below 1."""
    words = [np.arange(count, dtype=np.uint64), *(np.zeros(count, np.uint64) for _ in range(3))]
    key = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        high = words[0] * np.uint64(0xD2511F53), words[2] * np.uint64(0xCD9E8D57)
        low = [h & np.uint64(0xFFFFFFFF) for h in high]
        words = [(high[1] >> np.uint64(32)) ^ words[1] ^ np.uint64(key[0]), low[1], (high[0] >> np.uint64(32)) ^ words[3] ^ np.uint64(key[1]), low[0]]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    signed = words[0].astype(np.uint32).view(np.int32)
    return np.where(signed < 0, -signed - 1, signed).astype(np.float32) * np.float32(4.6566127342e-10)


def test_dropout(device):
    x, out = torch.randn(10000), torch.empty(10000)
    keep = (torch.rand(10000) > 0.5).to(torch.int32)
    with warplens.emulate(device):
        kernels.masked_dropout[(10,)](x, keep, out, 10000, 0.5, BLOCK=1024)
        torch.testing.assert_close(out, torch.where(keep.bool(), x / 0.5, 0.0))
        for seed in (123, 512, (1 << 40) + 7):
            kernels.seeded_dropout[(10,)](x, out, 10000, 0.3, seed, BLOCK=1024)
            torch.testing.assert_close(out, torch.where(torch.from_numpy(philox_uniform(seed, 10000)) > 0.3, x / 0.7, 0.0))


@pytest.mark.parametrize("rows,width,dtype", [(1151, 8192, torch.float16), (33, 1000, torch.float32)])
def test_layer_norm_forward_and_backward(device, rows, width, dtype):
    torch.manual_seed(3)
    x = -2.3 + 0.5 * torch.randn(rows, width, dtype=dtype)
    w, b, dy = (torch.rand(width, dtype=dtype), torch.rand(width, dtype=dtype), 0.1 * torch.randn(rows, width, dtype=dtype))
    y, dx = torch.empty_like(x), torch.empty_like(x)
    mean, rstd = torch.empty(rows), torch.empty(rows)
    groups, block = 64, triton.next_power_of_2(width)
    locks, partial_w, partial_b = torch.zeros(2 * groups, dtype=torch.int32), torch.zeros(groups, width, dtype=dtype), torch.zeros(groups, width, dtype=dtype)
    dw, db = torch.empty(width, dtype=dtype), torch.empty(width, dtype=dtype)
    with warplens.emulate(device):
        kernels.layer_norm_forward[(rows,)](x, y, w, b, mean, rstd, width, width, 1e-5, BLOCK=1024, num_warps=8)
        kernels.layer_norm_backward_x[(rows,)](dx, dy, partial_w, partial_b, x, w, mean, rstd, locks, width, width, GROUPS=groups,
                                               BLOCK=block, num_warps=8)
        kernels.layer_norm_backward_w[(triton.cdiv(width, 128),)](partial_w, partial_b, dw, db, min(groups, rows), width, BLOCK_M=32, BLOCK_N=128)
    reference = [t.float().requires_grad_(True) for t in (x, w, b)]
    want = torch.nn.functional.layer_norm(reference[0], (width,), reference[1], reference[2], 1e-5)
    want.backward(dy.float())
    # Partial sums of dw and db round to f16 once a row, in the order in which rows take the lock.
    tolerance = {"rtol": 1e-2, "atol": 4e-2} if dtype == torch.float16 else {"rtol": 1e-4, "atol": 1e-5}
    for got, expected in zip((y, dx, dw, db), (want, *(t.grad for t in reference)), strict=True):
        torch.testing.assert_close(got.float(), expected.detach(), **tolerance)
