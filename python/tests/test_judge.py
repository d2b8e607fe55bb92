"""`warplens judge`: a cheat of several kinds and honest kernels, in each layout of problems. `make judge-cases` judges all."""
import importlib.util
import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("triton")

HERE = pathlib.Path(__file__).resolve().parent / "judge"
sys.path.insert(0, str(HERE))
spec = importlib.util.spec_from_file_location("judge_run_all", HERE / "run_all.py")
run_all = importlib.util.module_from_spec(spec)
spec.loader.exec_module(run_all)

from warplens._command import program  # noqa: E402: what needs torch is skipped first
from warplens.judge import accuracy, evidence  # noqa: E402
from warplens.judge.exchange import save_array  # noqa: E402
from warplens.judge.judging import Options, judge  # noqa: E402

CHOSEN = ["stream", "sums_in_place", "scratch_taken_for_zero", "rows_by_warps",  # row_sums; each kind once, and each layout
          "no_relu", "half_sums", "half_of_k", "product_tiled", "softmax_of_torch", "event_times", "softmax_online", "reference_function", "gelu",
          "kept_beside_the_same_kernel"]
BY_PROBLEM = {problem: [case for case in run_all.CHEATS + run_all.HONEST + run_all.ATTACKS if case.name in CHOSEN and case.problem == problem]
              for problem in sorted({case.problem for case in run_all.CHEATS})}


@pytest.mark.parametrize("problem", BY_PROBLEM)
def test_cheats_are_named_and_honest_kernels_accepted(problem, tmp_path):
    cases = BY_PROBLEM[problem]
    for case, data in zip(cases, run_all.verdicts(cases, tmp_path).values()):
        assert not run_all.problem_of(case, data), case.name


def test_every_kind_has_four_cheats():
    from warplens.judge.evidence import KINDS

    counts = {kind: sum(case.kind == kind for case in run_all.CHEATS + run_all.ATTACKS) for kind in KINDS}
    assert min(counts.values()) >= 4, counts
    assert len(run_all.HONEST) == 40 and len({case.name for case in run_all.CHEATS + run_all.HONEST}) == 80


def judged(*words, code):
    done = subprocess.run([program(), "judge", *map(str, words)], capture_output=True, text=True, env={**os.environ, "WARPLENS_PYTHON": sys.executable})
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout or done.stderr


def test_modules_beside_a_problem_stand_in_for_no_others(tmp_path):
    """A candidate may be beside the reference, and so may modules that others import later, in the process that finds the truth."""
    installed, beside = tmp_path / "installed", tmp_path / "beside"
    for folder in (installed, beside):
        folder.mkdir()
        for name in ("wave", "package", "utils"):  # Python's own, an installed one, the harness's
            (folder / f"{name}.py").write_text(f"WHERE = {folder.name!r}\n")
    (installed / "wave.py").unlink()
    (beside / "helper.py").write_text("WHERE = 'beside'\n")
    (beside / "reference.py").write_text("import helper, package, utils, wave\n"
                                         "print([getattr(m, 'WHERE', 'own') for m in (helper, package, utils, wave)])\n")
    code = ("import pathlib\nfrom warplens.judge.adapters import _modules\npath = pathlib.Path('reference.py').resolve()\n"
            "_modules.stand_in('task', 'utils', beside=path)\nmodule = _modules.load_reference(path, 1, set())\nimport task\nprint(task.anything())\n")
    path = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), str(installed)]))
    done = subprocess.run([sys.executable, "-P", "-c", code], cwd=beside, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)
    assert done.stdout.splitlines() == ["['beside', 'installed', 'beside', 'own']", "None"], done.stdout + done.stderr


SCALE = 'extern "C" __global__ void scale(const float* x, float* y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = 2 * x[i] + 1; }'


def test_launch_files(tmp_path):
    buffers = {"x": {"dtype": "f32", "count": 1000, "fill": "uniform", "low": -1, "high": 1, "seed": 7}, "y": {"dtype": "f32", "count": 1000, "fill": "zeros"}}
    args = [{"buffer": "x"}, {"buffer": "y"}, {"i32": 1000}]
    for name, text in (("reference", SCALE), ("same", SCALE), ("half", SCALE.replace("i < n", "i < n / 2")), ("past", SCALE.replace("i < n", "i <= n"))):
        (tmp_path / f"{name}.cu").write_text(text)
        (tmp_path / f"{name}.json").write_text(json.dumps({"source": f"{name}.cu", "arch": "sm_90", "kernel": "scale", "buffers": buffers,
                                                           "launches": [{"grid": [4, 1, 1], "block": [256, 1, 1], "args": args}]}))
    files = [tmp_path / f"{name}.json" for name in ("reference", "same", "half", "past")]
    verdicts = json.loads(judged(*files, "--json", code=1))
    assert verdicts["schema_version"] == 1
    same, half, past = verdicts["judgements"]
    assert same["verdict"] == "accepted" and same["time"]["source"] == "modelled" and same["time"]["candidate_ns"] > 0
    assert "smaller-problem" in [kind["kind"] for kind in half["kinds"]]
    assert "stray-read" in [kind["kind"] for kind in past["kinds"]]
    text = judged(files[0], files[1], code=0)
    assert text.startswith("accepted: same.json") and "modelled for h200" in text and "to know" in text


TWICE = '#include <cuda_runtime.h>\n__global__ void k(const float* x, float* y, int n) { int i = blockIdx.x * 256 + threadIdx.x; if (i < n) y[i] = 2 * x[i]; }\n' \
    'extern "C" void solve(const float* x, float* y, int n) { k<<<(n + 255) / 256, 256>>>(x, y, n); }\n'
CHALLENGE = """import ctypes
import torch
from core.challenge_base import ChallengeBase


class Challenge(ChallengeBase):
    def reference_impl(self, x, y, n):
        y.copy_(2 * x)

    def get_solve_signature(self):
        floats = ctypes.POINTER(ctypes.c_float)
        return {"x": (floats, "in"), "y": (floats, "out"), "n": (ctypes.c_int, "in")}

    def generate_functional_test(self):
        return [{"x": torch.rand(1000), "y": torch.zeros(1000), "n": 1000}]

    def generate_performance_test(self):
        return {"x": torch.rand(1048576), "y": torch.zeros(1048576), "n": 1048576}
"""


def test_the_time_names_its_size(tmp_path):
    (tmp_path / "challenge.py").write_text(CHALLENGE)
    (tmp_path / "twice.cu").write_text(TWICE)
    words = (tmp_path / "challenge.py", tmp_path / "twice.cu", "--json", "--timed-elements")
    (whole,) = json.loads(judged(*words, "0", code=0))["judgements"]
    assert whole["time"]["shapes"] == [[1048576], [1048576]] and not any("--timed-elements" in said for said in whole["not_known"])
    (part,) = json.loads(judged(*words, "600000", code=0))["judgements"]
    assert part["time"]["shapes"] == [[262144], [262144]] and any("the problem's 2097152 input elements" in said for said in part["not_known"])
    assert part["time"]["candidate_ns"] < whole["time"]["candidate_ns"]
    assert any("only the results of the timed calls" in said for said in whole["not_known"]) and any("were not judged" in said for said in part["not_known"])


def test_instructions_of_one_gpu_alone_are_judged(tmp_path):
    """wgmma: nvcc refuses it for sm_90, and takes it for sm_90a."""
    (tmp_path / "challenge.py").write_text(CHALLENGE)
    (tmp_path / "twice.cu").write_text(TWICE.replace("int i =", 'asm volatile("wgmma.fence.sync.aligned;"); int i ='))
    (data,) = json.loads(judged(tmp_path / "challenge.py", tmp_path / "twice.cu", "--json", code=0))["judgements"]
    assert data["verdict"] == "accepted"


def test_a_size_that_cannot_be_timed_is_told_with_its_reason(tmp_path):
    slow = CHALLENGE.replace("        y.copy_(2 * x)", "        import time\n        time.sleep(900 if n == 1048576 else 0)\n        y.copy_(2 * x)")
    (tmp_path / "challenge.py").write_text(slow)
    (tmp_path / "twice.cu").write_text(TWICE)
    (data,) = judge(tmp_path / "challenge.py", [tmp_path / "twice.cu"], Options(timed_elements=1 << 62, timed_s=1))
    assert data["verdict"] == "accepted" and data["time"]["shapes"] != [[1048576], [1048576]]
    (why,) = [said for said in data["not_known"] if "the timed size" in said]
    assert "the reference ran too long on the CPU" in why and "(limit 1 s)" in why and "--timeout" in why
    assert not any("times all of them" in said for said in data["not_known"]), "what was asked for is no advice"


def test_errors_say_what_to_do(tmp_path):
    (tmp_path / "other.py").write_text("x = 1\n")
    (tmp_path / "broken.py").write_text("def (\n")
    softmax = HERE / "softmax.py"
    assert "kernelbench" in judged(tmp_path / "other.py", softmax, code=1)
    assert "not Python" in judged(tmp_path / "broken.py", softmax, code=1)
    assert "no such file" in judged(softmax, tmp_path / "none.py", code=1)
    assert "give a reference and a candidate" in judged(softmax, code=2)
    (tmp_path / "empty.cu").write_text("not CUDA\n")
    assert "a candidate for softmax.py is Python" in judged(softmax, tmp_path / "empty.cu", code=1)


def test_a_candidate_that_ends_its_process_is_refused(tmp_path):
    (tmp_path / "leaves.py").write_text("import os\nos._exit(0)\n")
    assert "cannot be loaded" in judged(HERE / "softmax.py", tmp_path / "leaves.py", "--max-elements", 4096, code=1)


LOOKS = """
import glob, os, subprocess
subprocess.Popen(["sleep", "LASTS"], start_new_session=True)
found = []
top = os.path.dirname(os.path.dirname(os.getcwd()))
for path in glob.glob(top + "/**", recursive=True) + glob.glob("/proc/self/fd/*"):
    try:
        with open(path, "rb") as file:
            if path.startswith("/proc") and not os.path.isfile(path):
                continue
            content = file.read()
    except OSError:
        continue
    if b"\\x93NUMPY" in content or b'"' + b'seeds"' in content or b'"' + b'cases"' in content:  # never whole in this text
        found.append(path)
assert os.path.basename(top).startswith("warplens-judge-") and not found, (top, found)
"""
PATCHES = """
import sys
_Caller = sys.modules["warplens.judge.worker"].TorchCaller
_collect = _Caller.collect
_Caller.collect = lambda self, result: _collect(self, torch.softmax(self.leaves[0].cpu(), 1).cuda())
"""


def test_candidates_find_no_results_and_leave_nothing(tmp_path):
    honest = next(case for case in run_all.HONEST if case.problem == "softmax.py" and "python" not in case.name)
    text, lasts = honest.text(), f"{600 + os.getpid() / 1e7:.7f}"
    (tmp_path / "looks.py").write_text(text + LOOKS.replace("LASTS", lasts))
    (tmp_path / "patches.py").write_text(text + PATCHES)
    report = json.loads(judged(HERE / "softmax.py", tmp_path / "looks.py", tmp_path / "patches.py", "--max-elements", 4096, "--json", code=1))
    looks, patches = report["judgements"]
    assert looks["verdict"] == "accepted", looks
    running = [path.read_bytes() for path in pathlib.Path("/proc").glob("[0-9]*/cmdline")]
    assert not any(lasts.encode() in words for words in running), "what it started goes with it"
    assert patches["verdict"] == "refused" and "patched-module" in json.dumps(patches), patches


def seen(tmp_path, name, kind, x, exact, own, got):
    """A call of float32 results beside its case, as `evidence` reads it."""
    slots = {key: save_array(tmp_path / f"{name}_{key}.npy", value) for key, value in (("x", x), ("exact", exact), ("own", own), ("got", got))}
    case = {"name": name, "kind": kind, "inputs": [slots["x"]], "exact": [slots["exact"]], "own": [slots["own"]], "lower": None}
    outcomes = [accuracy.compare(got, slots["got"], tmp_path, case, 0, x.size)]
    return evidence.Seen(case, [got], outcomes, "", [exact], evidence._largest(tmp_path, case))


def test_lost_digits_are_not_skipped_work(tmp_path):
    x = np.random.default_rng(3).standard_normal((32, 256)).astype(np.float32)
    far = (1000 + x).astype(np.float32)

    def variance(values):
        return (values.astype(np.float64)).var(1)

    def by_squares(values):  # the mean of squares less the square of the mean, in float32
        return ((values * values).mean(1, dtype=np.float32) - values.mean(1, dtype=np.float32) ** 2).astype(np.float32)

    usual = seen(tmp_path, "seed", "seed", x, variance(x), x.var(1), by_squares(x))
    edge = seen(tmp_path, "far from zero", "edge", far, variance(far), far.var(1), by_squares(far))
    assert usual.right and not edge.right
    found = evidence.Findings()
    evidence.judge_results(found, [usual, edge])
    assert not found.kinds and "digits are lost" in found.wrong[0]

    positive, negative = abs(x), -abs(x)  # a kernel that leaves max(x, 0) out
    skips = [seen(tmp_path, "plus", "seed", positive, positive.astype(float), positive, positive), seen(tmp_path, "minus", "edge", negative, negative * 0.0, negative * 0, negative)]
    found = evidence.Findings()
    evidence.judge_results(found, skips)
    assert "skipped-work" in found.kinds
