import json
import time

import numpy as np
import pytest
import torch

import warplens

QUICK = {"limit_s": 0.2, "target": 0.2}


def sleepy(seconds):
    return lambda *_: time.sleep(seconds)


def test_a_time_is_right_and_has_an_interval():
    m = warplens.bench(sleepy(0.002), limit_s=2.0, samples=40, name="sleep")
    assert 2.0e6 <= m.median_ns < 40e6  # a busy machine wakes up late
    assert m.interval_ns[0] <= m.median_ns <= m.interval_ns[1]
    assert m.name == "sleep" and m.source == "cpu" and m.regime == "warm" and m.valid
    assert "sleep" in str(m) and "Measurement sleep" in repr(m) and "<table>" in m._repr_html_()


@pytest.mark.parametrize("regime", ["cold", "warm", "throughput"])
def test_regimes_and_rates(regime):
    x = torch.randn(1 << 14)
    m = warplens.bench(torch.square, x, bytes=8 * x.numel(), flops=x.numel(), regime=regime, **QUICK)
    assert m.regime == regime
    assert m.bytes_per_second == pytest.approx(8 * m.flops_per_second, rel=1e-3)
    assert m.bytes_per_second == pytest.approx(8 * x.numel() / m.median_ns * 1e9, rel=1e-3)  # files keep whole nanoseconds


def test_what_the_function_raises_comes_out():
    with pytest.raises(ZeroDivisionError):
        warplens.bench(lambda: 1 / 0)
    calls = iter(range(30))
    with pytest.raises(StopIteration):
        warplens.bench(lambda: next(calls))
    with pytest.raises(KeyError):
        warplens.compare(lambda: None, lambda: {}["absent"])


def test_outputs_are_checked_against_a_reference_in_float64():
    make = lambda: torch.randn(64, 64)  # noqa: E731
    assert warplens.bench(lambda a: a @ a, inputs=make, reference=lambda a: a @ a, **QUICK).valid
    wrong = warplens.bench(lambda a: (a @ a).half().float() * 1.01, inputs=make, reference=lambda a: a @ a, **QUICK)
    assert not wrong.valid and "relative error" in wrong.errors[0]
    with_nan = warplens.bench(lambda a: torch.log(a), inputs=make, reference=lambda a: torch.log(a.abs()), **QUICK)
    assert "NaN" in with_nan.errors[0] and "INVALID" in repr(with_nan)


def test_results_kept_between_calls_are_found():
    kept = {}

    def cheat(a):
        key = a.data_ptr(), float(a[0, 0])
        if key not in kept:
            kept[key] = torch.linalg.svd(a)[1]
        return kept[key]

    m = warplens.bench(cheat, inputs=lambda: torch.randn(100, 100), **QUICK)
    assert not m.valid and "kept between calls" in m.errors[0]


def test_inputs_are_seeded_and_leave_the_generators_alone():
    seen = []
    torch.manual_seed(5)
    np.random.seed(5)
    want = torch.rand(3), np.random.rand(3)
    torch.manual_seed(5)
    np.random.seed(5)
    warplens.bench(lambda a: None, inputs=lambda: seen.append(torch.rand(1).item()), **QUICK)
    assert len(set(seen)) > 5
    assert torch.equal(torch.rand(3), want[0]) and (np.random.rand(3) == want[1]).all()


def test_a_race_has_a_verdict():
    faster = warplens.compare(sleepy(0.002), sleepy(0.001))
    assert faster.verdict == "faster" and faster.ratio < 0.8 and faster.low <= faster.ratio <= faster.high
    assert faster.a_ns > faster.b_ns and faster.agrees is None
    assert "faster" in str(faster) and faster.to_dict()["verdict"] == "faster"
    assert warplens.compare(sleepy(0.001), sleepy(0.002)).verdict == "slower"


def test_a_race_compares_the_results_too():
    x = torch.randn(100)
    same = warplens.compare(lambda a: a * a, torch.square, x, limit_s=0.2)
    assert same.agrees and same.difference < 1e-6
    other = warplens.compare(lambda a: a * a, lambda a: a * a * a, x, limit_s=0.2)
    assert other.agrees is False and "the results differ" in str(other)


@pytest.fixture(scope="module")
def swept():
    return warplens.sweep({"square": torch.square, "product": lambda a: a * a}, axes={"n": [1 << 10, 1 << 14], "dtype": ["float32", "float64"]},
                          inputs=lambda n, dtype: torch.randn(n, dtype=getattr(torch, dtype)), bytes=lambda n, dtype: 8 * n, **QUICK)


def test_a_sweep_takes_every_combination(swept):
    assert len(swept) == 8
    assert [m.axes for m in swept][:4] == [{"n": n, "dtype": d} for n in ("1024", "16384") for d in ("float32", "float64")]
    assert {m.name for m in swept} == {"square", "product"}
    assert swept[1].data["memory_bytes"] == 8 * 1024
    assert len(swept.table().to_pandas()) == 8 and "float64" in str(swept)


def test_results_are_plotted(swept, tmp_path):
    written = swept.plot(tmp_path / "plots", theme="light")
    assert {"latency-light.svg", "throughput-light.svg", "speedup-light.svg", "scaling-light.svg"} <= {p.name for p in written}
    assert "<svg" in (tmp_path / "plots" / "latency-light.svg").read_text()
    with pytest.raises(FileExistsError):
        swept.plot(tmp_path / "plots", theme="light")
    with pytest.raises(ValueError, match="no theme 'blue'"):
        swept.plot(tmp_path / "plots", theme="blue")
    assert "Time of a call" in swept.plot()
    assert "<svg" in swept._repr_html_()


def test_results_are_kept_and_compared(swept, tmp_path):
    swept.save(tmp_path / "base.json")
    with pytest.raises(FileExistsError):
        swept.save(tmp_path / "base.json")
    assert warplens.Results.load(tmp_path / "base.json").to_dict() == json.loads(swept.to_json())
    compared = warplens.compare(tmp_path / "base.json", swept)
    assert len(compared.rows) == 8 and not compared.slower()
    slowed = json.loads(swept.to_json())
    for m in slowed["measurements"]:
        m.update({key: m[key] * 3 for key in ("median_ns", "low_ns", "high_ns")}, samples_ns=[3 * s for s in m["samples_ns"]])
    compared = warplens.compare(swept, warplens.Results(slowed))
    assert len(compared.slower(by=0.5)) == 8 and "slower" in str(compared) and "slower" in compared._repr_html_()


def test_errors_say_what_is_wrong(tmp_path):
    with pytest.raises(ValueError, match="no regime 'hot'; give cold, warm or throughput"):
        warplens.bench(torch.square, torch.zeros(1), regime="hot")
    with pytest.raises(TypeError, match="no option tarjet; the options are regime, target"):
        warplens.bench(torch.square, torch.zeros(1), tarjet=1)
    with pytest.raises(ValueError, match="confidence must be between"):
        warplens.bench(torch.square, torch.zeros(1), confidence=95)
    with pytest.raises(TypeError, match="either arguments or inputs="):
        warplens.bench(torch.square, torch.zeros(1), inputs=lambda: torch.zeros(1))
    with pytest.raises(ValueError, match="no device 'xpu'"):
        warplens.bench(torch.square, torch.zeros(1), device="xpu")
    with pytest.raises(TypeError, match="two functions or two results, not function and Measurement"):
        warplens.compare(lambda: None, warplens.bench(lambda: None, **QUICK))
    with pytest.raises(FileNotFoundError):
        warplens.compare(tmp_path / "a.json", tmp_path / "b.json")
    (tmp_path / "a.json").write_text("{}")
    with pytest.raises(ValueError, match="a.json: not benchmark results"):
        warplens.Results.load(tmp_path / "a.json")


def test_large_outputs_are_checked_at_both_ends_and_between():
    x = torch.randn((1 << 22) + 100_000)
    spoil = lambda at: lambda a: (a * a).index_fill_(0, torch.tensor(at), 1e9)  # noqa: E731
    assert warplens.bench(torch.square, x, reference=torch.square, samples=2, limit_s=0.1).valid
    for at in (0, len(x) - 1):
        assert not warplens.bench(spoil(at), x, reference=torch.square, samples=2, limit_s=0.1).valid


def test_counters_need_a_gpu():
    with pytest.raises(ValueError, match="only a GPU has counters"):
        warplens.bench(sum, [1, 2], counters=True)
    with pytest.raises(ValueError, match="only a GPU has counters"):
        warplens.compare(sum, max, [1, 2], counters="timing")
