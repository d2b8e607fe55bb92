import math
import re

import pytest
import torch

import warplens

SQUARE = """extern "C" __global__ void square(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[2 * i] = x[2 * i] * x[2 * i];
}"""


def accepted(numbers):
    assert numbers and all(re.fullmatch(r"[A-Za-z0-9_./ -]{1,250}", name) for name in numbers)
    assert all(type(value) is float and math.isfinite(value) for value in numbers.values())
    return numbers


def test_measurements_and_comparisons():
    m = warplens.bench(torch.square, torch.randn(1000), bytes=8000, limit_s=0.1)
    numbers = accepted(warplens.scalars(m))
    assert numbers["warplens/square/median_ns"] == m.median_ns and numbers["warplens/square/valid"] == 1
    assert numbers["warplens/square/bytes_per_second"] == m.bytes_per_second
    swept = warplens.sweep(torch.square, axes={"n": [10, 20]}, inputs=lambda n: torch.zeros(n), limit_s=0.1)
    assert {"a/square/n_10/median_ns", "a/square/n_20/median_ns"} <= accepted(warplens.scalars(swept, prefix="a")).keys()
    race = warplens.compare(torch.square, torch.abs, torch.zeros(10), limit_s=0.1)
    assert accepted(warplens.scalars(race, prefix=""))["abs beside square/ratio"] == race.ratio
    assert "warplens/square n_10/ratio" in accepted(warplens.scalars(warplens.compare(swept, swept)))


def test_counters_and_findings_of_a_launch():
    launch = warplens.load_inline(SQUARE).square.profile[2, 128](torch.randn(512), torch.empty(512), 256)
    numbers = accepted(warplens.scalars(launch))
    metric = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
    assert numbers[f"warplens/square/{metric}"] == launch.metrics[metric]
    strided = warplens.load_inline(SQUARE.replace("2 * i", "32 * i")).square.profile[512, 128](torch.randn(1 << 21), torch.empty(1 << 21), 65536)
    assert accepted(warplens.scalars(strided))["warplens/square/findings/uncoalesced-access/count"] == 1


def test_profiles_and_their_tables(traces):
    profile = warplens.load(traces / "square.pt.trace.json.gz")
    numbers = accepted(warplens.scalars(profile, profile.ops(), profile.timeline()))
    assert numbers["warplens/busy_ns"] == profile.summary()["ranks"][0]["busy_ns"]
    assert numbers["warplens/findings/pow-for-square/count"] == 1
    assert numbers["warplens/aten_pow/count"] == 2


def test_names_are_short_and_none_is_lost():
    numbers = accepted(warplens.scalars({"a" * 400: {"b": 1, "c": math.nan}, "x=1": 2, "x:1": 3}))
    assert len(numbers) == 3 and numbers["warplens/x_1"] == 2 and numbers["warplens/x_1_2"] == 3


def test_other_things_are_refused():
    with pytest.raises(TypeError, match="no numbers to export in str"):
        warplens.scalars("words")
