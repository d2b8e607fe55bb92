import json

import pytest

pytest_plugins = "pytester"

KERNEL = """
import torch, triton, triton.language as tl

@triton.jit
def copy(x, y, n, STEP: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i * STEP, mask=i < n), mask=i < n)

def test_copy(warplens_count):
    with warplens_count("copy"):
        copy[(4,)](torch.randn(8192), torch.empty(1024), 1024, STEP={step}, BLOCK=256)
"""


def run(pytester, step, *options):
    path = pytester.makepyfile(test_kernel=KERNEL.replace("{step}", str(step)))
    return pytester.runpytest_subprocess("-p", "warplens.pytest_plugin", "--warplens-baseline", "base.json", *options, path)


def test_counters_are_gated_by_a_baseline(pytester):
    run(pytester, 1, "--warplens-save").assert_outcomes(passed=1)
    saved = json.loads((pytester.path / "base.json").read_text())
    assert saved["entries"]["copy"]["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] == 128
    run(pytester, 1).assert_outcomes(passed=1)
    worse = run(pytester, 8)
    worse.assert_outcomes(failed=1)
    worse.stdout.fnmatch_lines(["*'copy' got worse:*", "*t_sectors_pipe_lsu_mem_global_op_ld.sum: 128* -> 1024*"])


def test_an_entry_that_the_baseline_lacks_fails(pytester):
    (pytester.path / "base.json").write_text('{"schema_version": 1, "entries": {}}')
    result = run(pytester, 1)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*'copy' is not in*--warplens-save*"])


INLINE = """
import torch, warplens

twice = warplens.load_inline("__global__ void twice(float* x) { x[threadIdx.x] *= 2; }").twice

def test_twice(warplens_count):
    with warplens_count("twice") as gpu:
        twice[1, 32](torch.ones(32))
    assert gpu.launches[0].metrics["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"] == 4
"""


def test_inline_kernels_are_counted(pytester):
    path = pytester.makepyfile(test_inline=INLINE)
    saved = pytester.runpytest_subprocess("-p", "warplens.pytest_plugin", "--warplens-baseline", "base.json", "--warplens-save", path)
    saved.assert_outcomes(passed=1)
    assert "twice" in json.loads((pytester.path / "base.json").read_text())["entries"]


TIMED = """
import time

def test_step(warplens_bench):
    measured = warplens_bench("step", time.sleep, {seconds}, samples=40, limit_s=1)
    assert measured.median_ns >= {seconds} * 1e9

def test_other(warplens_bench):
    warplens_bench("other", lambda: sum(range(100)), limit_s=0.1)
"""


def timed(pytester, seconds, *options):
    path = pytester.makepyfile(test_timed=TIMED.replace("{seconds}", str(seconds)))
    return pytester.runpytest_subprocess("-p", "warplens.pytest_plugin", *options, path)


def test_times_are_gated_by_a_baseline(pytester):
    base = ("--warplens-baseline", "times.json")
    saved = timed(pytester, 0.002, *base, "--warplens-save")
    saved.assert_outcomes(passed=2)
    saved.stdout.fnmatch_lines(["warplens: times.json: 2 written, 0 kept"])
    timed(pytester, 0.002, *base, "--warplens-margin", "1", "-k", "step").assert_outcomes(passed=1, deselected=1)
    slower = timed(pytester, 0.02, *base, "-k", "step")
    slower.assert_outcomes(failed=1, deselected=1)
    slower.stdout.fnmatch_lines(["*'step' got slower: * ms -> * ms, *margin 0.05*"])


def test_saving_again_updates_what_ran_and_keeps_the_rest(pytester):
    base = ("--warplens-baseline", "times.json")
    timed(pytester, 0.001, *base, "--warplens-save")
    before = json.loads((pytester.path / "times.json").read_text())["times"]
    updated = timed(pytester, 0.004, *base, "--warplens-save", "-k", "step")
    updated.stdout.fnmatch_lines(["warplens: times.json: 1 written, 1 kept"])
    after = json.loads((pytester.path / "times.json").read_text())["times"]
    assert after["other"] == before["other"] and after["step"]["measurements"][0]["median_ns"] > before["step"]["measurements"][0]["median_ns"]


def test_times_of_another_machine_are_not_compared(pytester):
    timed(pytester, 0.001, "--warplens-baseline", "times.json", "--warplens-save")
    stored = json.loads((pytester.path / "times.json").read_text())
    stored["times"]["step"]["environment"]["cpu"] = "another"
    (pytester.path / "times.json").write_text(json.dumps(stored))
    result = timed(pytester, 0.01, "--warplens-baseline", "times.json", "-k", "step")
    result.assert_outcomes(passed=1, deselected=1, warnings=1)
    result.stdout.fnmatch_lines(["*'step' was measured on another and runs on *not compared*"])


def test_a_missing_or_broken_baseline_is_said_before_any_test_runs(pytester):
    missing = timed(pytester, 0.001, "--warplens-baseline", "absent.json")
    assert missing.ret == 4
    missing.stderr.fnmatch_lines(["*no baseline absent.json; make it with*--warplens-save*"])
    (pytester.path / "broken.json").write_text("{")
    assert timed(pytester, 0.001, "--warplens-baseline", "broken.json").ret == 4
    (pytester.path / "old.json").write_text('{"schema_version": 0}')
    timed(pytester, 0.001, "--warplens-baseline", "old.json").stderr.fnmatch_lines(["*schema_version 0, this plugin reads 1*"])
    timed(pytester, 0.001, "--warplens-save").stderr.fnmatch_lines(["*--warplens-save needs --warplens-baseline FILE*"])


def test_without_a_baseline_the_fixtures_only_measure(pytester):
    timed(pytester, 0.001).assert_outcomes(passed=2)


def test_a_suite_runs_on_an_emulated_gpu(pytester):
    pytest.importorskip("torch")
    path = pytester.makepyfile("""
        import torch

        def test_sum():
            assert "A100" in torch.cuda.get_device_name()
            assert float(torch.ones(300, device="cuda").sum()) == 300
    """)
    result = pytester.runpytest_subprocess("-p", "warplens.pytest_plugin", "--warplens-device", "a100", path)
    result.assert_outcomes(passed=1)


def test_an_unknown_gpu_is_refused(pytester):
    path = pytester.makepyfile("def test_nothing(): pass")
    result = pytester.runpytest_subprocess("-p", "warplens.pytest_plugin", "--warplens-device", "h999", path)
    assert result.ret != 0
    result.stderr.fnmatch_lines(["*h999*"])
