"""Other warps, stages and block sizes of a launch: tried, compared, and combined."""

import pytest
import torch
import triton
import triton.language as tl

import warplens


@triton.jit
def scaled(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, at < n) * 2, at < n)


@triton.jit
def block_sums(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + tl.program_id(0), tl.sum(tl.load(x + at, at < n, 0), 0))


def grid_of(n):
    return lambda meta: (triton.cdiv(n, meta["BLOCK"]),)


@pytest.fixture(scope="module")
def tried():
    x, y = torch.rand(1 << 18), torch.zeros(1 << 18)
    out = warplens.triton.try_changes(scaled, grid_of(1 << 18), x, y, 1 << 18, BLOCK=64, num_warps=2)
    assert torch.equal(y, torch.zeros_like(y))  # every run had copies
    return out


def test_larger_blocks_help_and_results_stay(tried):
    change = {a.text: a for a in tried.attempts}
    assert change["BLOCK=128"].results == "same"
    assert change["BLOCK=128"].saving_fraction > 0.1  # 4,096 blocks of 64 elements: starting them takes the time
    assert change["BLOCK=32"].saving_fraction < 0
    assert tried.best is not None and "BLOCK" in tried.best.change
    assert {"num_warps=1", "num_warps=8", "num_stages=1"} <= set(change)


def test_what_helps_is_combined_and_told(tried):
    assert tried.data["time_ns"] == tried.time_ns
    single = max(a.saving_fraction for a in tried.attempts)
    assert tried.best.saving_fraction >= single
    assert f"scaled[grid](..., {tried.best.text})" in str(tried)
    assert tried.best.time_ns == pytest.approx(tried.time_ns * (1 - tried.best.saving_fraction))


def test_other_results_never_help():
    x, y = torch.rand(1 << 14), torch.zeros(1 << 10)
    tried = warplens.triton.try_changes(block_sums, grid_of(1 << 14), x, y, 1 << 14, BLOCK=256, num_warps=4)
    other = [a for a in tried.attempts if "BLOCK" in a.change]
    assert other and all(a.results == "differ" and not a.helps for a in other)
    assert "other results: BLOCK=512" in str(tried)


def test_a_fixed_grid_leaves_blocks_out():
    x, y = torch.rand(4096), torch.zeros(4096)
    tried = warplens.triton.try_changes(scaled, (16,), x, y, 4096, BLOCK=256)
    assert not any("BLOCK" in a.change for a in tried.attempts)
    assert "block sizes were not tried" in str(tried)
    with pytest.raises(ValueError, match="h2000"):
        warplens.triton.try_changes(scaled, (16,), x, y, 4096, BLOCK=256, device="h2000")
