import json

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
