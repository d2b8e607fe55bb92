"""Matrix products in Triton against torch, for an sm_80 and an sm_90 GPU."""

import matmul_kernels as kernels
import pytest
import torch
import triton
from triton.tools.tensor_descriptor import TensorDescriptor

import warplens

DEVICES = pytest.mark.parametrize("device", ["a100", "h200"])


def run_matmul(a, b, out_dtype, m_block=64, n_block=64, k_block=32, activation="", precision="tf32", **options):
    (m, k), n = a.shape, b.shape[1]
    c = torch.empty(m, n, dtype=out_dtype)
    kernels.matmul[(triton.cdiv(m, m_block) * triton.cdiv(n, n_block),)](
        a, b, c, m, n, k, *a.stride(), *b.stride(), *c.stride(), BLOCK_M=m_block, BLOCK_N=n_block, BLOCK_K=k_block, GROUP_M=8,
        ACTIVATION=activation, PRECISION=precision, **options)
    return c


@DEVICES
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precisions(device, dtype):
    n = 512
    a, b = torch.rand(n, n, dtype=dtype) - 0.5, torch.rand(n, n, dtype=dtype) - 0.5
    with warplens.emulate(device):
        c = run_matmul(a, b, dtype, 128, 128, 64, num_stages=3, num_warps=8)
        activated = run_matmul(a, b, torch.float32, 64, 128, 32, "leaky_relu")
    want = a.float() @ b.float()
    torch.testing.assert_close(c.float(), want, rtol=1e-2, atol=2e-2)
    torch.testing.assert_close(activated, torch.nn.functional.leaky_relu(want, 0.01), rtol=1e-5, atol=1e-4)


@DEVICES
@pytest.mark.parametrize("precision,tolerance", [("tf32", 5e-3), ("tf32x3", 1e-5), ("ieee", 1e-5)])
def test_single_precision(device, precision, tolerance):
    a, b = torch.randn(100, 72), torch.randn(72, 88)  # edges that no block divides
    with warplens.emulate(device):
        c = run_matmul(a, b, torch.float32, 64, 32, 32, precision=precision)
    torch.testing.assert_close(c, a @ b, rtol=tolerance, atol=tolerance * 10)


@pytest.mark.parametrize("device", ["l4", "h200"])
@pytest.mark.parametrize("dtype", [torch.float8_e4m3fn, torch.float8_e5m2])
def test_eight_bits(device, dtype):
    a, b = torch.randn(128, 256).to(dtype), torch.randn(128, 256).to(dtype).T
    with warplens.emulate(device):
        c = run_matmul(a, b, torch.float16, 128, 128, 64)
    torch.testing.assert_close(c.float(), a.float() @ b.float(), rtol=2e-2, atol=0.125)


@DEVICES
def test_grouped(device):
    torch.manual_seed(0)
    shapes = [(1024, 1024, 1024), (512, 512, 512), (256, 256, 256), (128, 128, 128)]
    a = [torch.rand(m, k, dtype=torch.float16) for m, n, k in shapes]
    b = [torch.rand(k, n, dtype=torch.float16) for m, n, k in shapes]
    c = [torch.empty(m, n, dtype=torch.float16) for m, n, k in shapes]
    pointers = [torch.tensor([t.data_ptr() for t in group]) for group in (a, b, c)]
    sizes = torch.tensor([s for shape in shapes for s in shape], dtype=torch.int32)
    strides = torch.tensor([s for m, n, k in shapes for s in (k, n, n)], dtype=torch.int32)
    with warplens.emulate(device):
        kernels.grouped_matmul[(4,)](*pointers, sizes, strides, len(shapes), PROGRAMS=4, BLOCK_M=128, BLOCK_N=128, BLOCK_K=32)
    for x, y, got in zip(a, b, c, strict=True):
        torch.testing.assert_close(got.float(), x.float() @ y.float(), rtol=1e-2, atol=1e-1)


@pytest.mark.parametrize("dtype", [torch.float16, torch.float8_e5m2, torch.float32])
def test_descriptors_of_the_host(dtype):
    a, b = torch.randn(200, 160).to(dtype), torch.randn(136, 160).to(dtype)  # edges that no block divides
    c = torch.empty(200, 136, dtype=torch.float16 if dtype != torch.float32 else dtype)
    block = {"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 64}
    with warplens.emulate("h200", checks="memory"):
        kernels.descriptor_matmul[(3,)](TensorDescriptor.from_tensor(a, [64, 64]), TensorDescriptor.from_tensor(b, [64, 64]),
                                        TensorDescriptor.from_tensor(c, [64, 64]), 200, 136, 160, **block)
    torch.testing.assert_close(c.float(), a.float() @ b.float().T, rtol=1e-2, atol=0.05)


@DEVICES
def test_descriptors_of_the_device(device):
    a, b = torch.randn(200, 160).half(), torch.randn(136, 160).half()
    c = torch.empty(200, 136, dtype=torch.float16)
    triton.set_allocator(lambda size, alignment, stream: torch.empty(size, dtype=torch.int8))
    with warplens.emulate(device):
        kernels.device_descriptor_matmul[(3,)](a, b, c, 200, 136, 160, BLOCK_M=64, BLOCK_N=64, BLOCK_K=64)
    torch.testing.assert_close(c.float(), a.float() @ b.float().T, rtol=1e-2, atol=0.05)


@DEVICES
def test_counters_of_a_product(device):
    a = torch.randn(128, 128).half()
    with warplens.emulate(device, counters=True) as gpu:
        run_matmul(a, a, torch.float16)
    report = gpu.launches[0].report
    assert report["counted_from"] == "machine code", report["why_adjusted"]
    assert report["roofline"]["flops"] == 2 * 128**3
    assert report["metrics"]["dram__bytes_read.sum"] == 128 * 128 * 2
    assert {line["line"] for line in report["lines"] if line["file"].endswith("matmul_kernels.py")}
