import matmul_kernels
import pytest
import row_kernels as kernels
import torch
import triton

import warplens
from warplens.triton import inspect

MATMUL = (torch.float16, torch.float16, torch.float16, 512, 512, 512, 512, 1, 512, 1, 512, 1)
PLAIN = {"BLOCK_N": 64, "BLOCK_K": 32, "GROUP_M": 8, "ACTIVATION": "", "PRECISION": "tf32"}


def test_sweep_of_warps_blocks_and_stages():
    made = inspect(matmul_kernels.matmul, *MATMUL, device="a100", BLOCK_M=[32, 64], num_warps=[2, 4], num_stages=3, **PLAIN)
    assert [(v.config["BLOCK_M"], v.config["num_warps"]) for v in made] == [(32, 2), (32, 4), (64, 2), (64, 4)]
    first = made[0]
    assert "tt.dot" in first.ttir and "#mma" in first.ttgir and ".target sm_80" in first.ptx and first.cubin[:4] == b"\x7fELF"
    assert first.shared_bytes == 2 * (32 * 32 + 32 * 64) * 2  # of three stages two are in flight
    assert first.sass["classes"]["matrix"]["sass"] > 0 and first.widest_global_bytes == 16
    assert made[2].registers > made[3].registers  # the same tile, shared by half as many threads
    assert 0 < first.occupancy["warps_per_sm"] <= 64
    lines = str(made).splitlines()
    assert lines[0] == "matmul for A100 SXM 80GB" and len(lines) == 6 and lines[1].split()[:3] == ["BLOCK_M", "num_warps", "num_stages"]
    assert made._repr_html_().count("<tr>") == 5


def test_spills_show():
    tight = inspect(matmul_kernels.matmul, *MATMUL, device="a100", BLOCK_M=128, num_warps=4, maxnreg=[64, 255], **PLAIN)
    assert tight[0].registers <= 64 and tight[0].spills > 50 and tight[1].spills == 0


def test_what_does_not_fit_says_so():
    made = inspect(matmul_kernels.matmul, *MATMUL, device="l4", BLOCK_M=128, num_stages=[2, 12], **PLAIN)
    assert made[0].error is None and "bytes of shared memory" in made[1].error and made[1].error in str(made)


@triton.autotune(configs=[triton.Config({"BLOCK": b}, num_warps=w) for b, w in ((128, 1), (1024, 4))], key=["n"])
@triton.jit
def tuned_add(x, y, out, n, BLOCK: triton.language.constexpr):
    kernels.vector_add(x, y, out, n, BLOCK)


def test_configurations_of_an_autotuner_run_on_copies():
    x, out = torch.randn(5000), torch.zeros(5000)
    made = inspect(tuned_add, x, x, out, 5000, grid=lambda meta: (triton.cdiv(5000, meta["BLOCK"]),))
    assert [v.config["BLOCK"] for v in made] == [128, 1024]
    assert [v.launch.grid for v in made] == [(40, 1, 1), (5, 1, 1)]
    assert all(0 < row["bound_ns"] <= row["estimate_ns"] for row in made.rows)
    assert not out.any()


def test_unknown_device():
    with pytest.raises((ValueError, FileNotFoundError), match="h200"):
        warplens.triton.inspect(kernels.vector_add, torch.float32, torch.float32, torch.float32, 100, device="h20", BLOCK=64)
