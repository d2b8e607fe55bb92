"""PyTorch under `warplens emulate`: products, convolutions and transforms, computed by stand-ins for CUDA's libraries."""
import base64
import csv
import gzip
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest

pytest.importorskip("torch")

from warplens._command import program  # noqa: E402: what needs torch is skipped first

PROGRAMS = pathlib.Path(__file__).resolve().parent / "emulated"


def emulated(name: str, *options: str) -> str:
    done = subprocess.run([program(), "emulate", *options, "--", sys.executable, str(PROGRAMS / name)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_library_calls_equal_the_cpu() -> None:
    """Each line names what differs, and by how much."""
    assert emulated("library_calls.py").splitlines()[-1] == "equal"


def test_a_thread_that_outlives_python_does_not_end_the_program(tmp_path: pathlib.Path) -> None:
    """As PyTorch's of autograd do on few processors; Python before 3.14 ends them by unwinding."""
    if shutil.which("c++") is None:
        pytest.skip("no C++ compiler")
    library = tmp_path / "late.so"
    subprocess.run(["c++", "-shared", "-fPIC", "-O1", "-o", library, PROGRAMS / "late_thread.cpp"], check=True)
    command = [sys.executable, str(PROGRAMS / "late_thread.py"), str(library)]
    done = subprocess.run([program(), "emulate", "--", *command], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "ends\n"), done.stderr


def checked(kinds: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [program(), "emulate", f"--check={kinds}", "--", sys.executable, str(PROGRAMS / "products_only.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True)


def test_a_clean_program_of_library_calls_passes_its_check() -> None:
    done = checked("all")
    assert done.returncode == 0 and done.stdout == "equal\n", done.stderr
    assert "only the memory that they read and write was checked (memory, init)" in " ".join(done.stderr.split())
    assert "memory, init in 1 call of libraries: nothing found" in " ".join(done.stderr.split())


def test_what_nothing_checks_is_not_clean() -> None:
    done = checked("race")
    assert done.returncode == 1 and done.stdout == "equal\n", done.stderr
    told = " ".join(done.stderr.split())
    assert "not checked: any kernel: only library calls ran, and these are not checked for race" in told
    assert "not all was checked (exit code 1)" in told


def test_a_library_call_past_the_end_is_a_defect() -> None:
    done = checked("memory", "long")
    assert done.returncode != 0 and "out-of-bounds: read by a library: " in " ".join(done.stderr.split()), done.stderr


@pytest.mark.parametrize("device", ["a100", "h200"])
def test_losses_of_small_models_equal_the_cpu(device: str) -> None:
    losses = json.loads(emulated("train_small.py", "--device", device).splitlines()[-1])
    for model, (cpu, cuda) in losses.items():
        assert cuda == pytest.approx(cpu, rel=1e-4), model
        assert cpu[-1] < cpu[0], model


def test_two_ranks_train_as_one_device_does() -> None:
    assert emulated("ddp.py", "--devices", "2").splitlines()[-1] == "equal"


def collectives(folder: pathlib.Path, *case: str) -> subprocess.CompletedProcess[str]:
    command = [program(), "emulate", "--devices", "3", "--", sys.executable, str(PROGRAMS / "collectives.py"), *case]
    return subprocess.run(command, capture_output=True, text=True, env=dict(os.environ, TMPDIR=str(folder)))


def test_collectives_give_each_rank_what_they_must(tmp_path: pathlib.Path) -> None:
    done = collectives(tmp_path)
    assert (done.returncode, done.stdout) == (0, "equal\n"), done.stderr
    assert not list(tmp_path.glob("warplens-nccl-*"))  # the last rank takes the meeting place away


def test_ranks_that_call_different_things_are_told_apart(tmp_path: pathlib.Path) -> None:
    done = collectives(tmp_path, "different")
    assert done.returncode != 0 and "the ranks of a communicator call different things: rank" in done.stderr, done.stderr


def test_a_rank_that_ended_is_not_waited_for(tmp_path: pathlib.Path) -> None:
    assert collectives(tmp_path, "gone").returncode != 0


def test_the_profiler_shows_modelled_kernels_under_their_operators() -> None:
    assert emulated("profile_square.py").splitlines()[-1] == "equal"


def test_linear_algebra_equals_the_cpu() -> None:
    """cuSOLVER's stand-in: each line names what differs."""
    told = emulated("factorisations.py")
    assert told.splitlines()[-1] == "equal", told


def test_convolutions_and_recurrent_networks_equal_the_cpu() -> None:
    """cuDNN's stand-in: each line names what differs."""
    told = emulated("dnn_calls.py")
    assert told.splitlines()[-1] == "equal", told


def test_attention_of_cudnn_equals_the_cpu() -> None:
    """Graphs of cuDNN: each line names what differs."""
    told = emulated("attention_calls.py")
    assert told.splitlines()[-1] == "equal", told


@pytest.mark.parametrize("calls", ["blas_calls.py", "solver_calls.py", "sparse_solver_calls.py"])
def test_calls_without_pytorch_equal_numpy(calls: str) -> None:
    assert emulated(calls) == "equal\n"


def test_sparse_tensors_equal_the_cpu() -> None:
    """cuSPARSE's stand-in: each line names what differs."""
    told = emulated("sparse_calls.py")
    assert told.splitlines()[-1] == "equal", told


def test_semi_structured_tensors_equal_dense_products() -> None:
    """cuSPARSELt's stand-in: each line names what differs."""
    told = emulated("structured_calls.py")
    assert told.splitlines()[-1] == "equal", told


def answers(recording: pathlib.Path, sql: str) -> list[str]:
    """The first column of a query."""
    done = subprocess.run([program(), "query", str(recording), sql, "--format", "csv"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [row[0] for row in csv.reader(done.stdout.splitlines()[1:])]


def test_a_recording_without_a_gpu_has_ranges_operators_and_library_calls(tmp_path: pathlib.Path) -> None:
    out = tmp_path / "run.wlens"
    command = [program(), "record", "--emulate", "--torch", "-o", str(out), "--", sys.executable, str(PROGRAMS / "marked_steps.py")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    ranges = answers(out, "select name from operators where name like 'training step%' order by start_ns")
    assert ranges == ["training step 0", "training step 1"]
    modules = answers(out, "select distinct name from python_frames")
    assert "nn.Module: Linear_0" in modules
    assert not [name for name in modules if "Rehearsed" in name], "what measures the recorder's own cost is not the program's"
    (additions,) = map(int, answers(out, "select count(*) from operators where name = 'aten::add'"))
    assert additions < 100
    assert {"aten::addmm", "aten::layer_norm", "aten::gelu"} <= set(answers(out, "select distinct name from operators"))
    assert any(name.endswith("(stand-in)") for name in answers(out, "select distinct name from kernels"))
    assert "aten::addmm" in answers(out, "select distinct operator from kernels where name like 'gemm%'")


DOUBLED = """
import torch, triton, triton.language as tl

@triton.jit
def doubled(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, 2 * tl.load(x + i, i < n), i < n)

x = torch.ones(1000, device="cuda")
doubled[(1,)](x, torch.empty_like(x), 1000, BLOCK=1024)
torch.cuda.synchronize()
"""


def test_the_page_of_a_triton_program_shows_its_ptx(tmp_path: pathlib.Path) -> None:
    """From Triton's cache: the machine code that the program loads has none."""
    pytest.importorskip("triton")
    (tmp_path / "doubled.py").write_text(DOUBLED)
    page = tmp_path / "page.html"
    command = [program(), "counters", "--emulate", "-k", "doubled", "--page", str(page), "--", sys.executable, str(tmp_path / "doubled.py")]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "TRITON_CACHE_DIR": str(tmp_path / "cache")})
    assert done.returncode == 0, done.stdout + done.stderr
    packed = re.search(r'id="data">([^<]*)<', page.read_text())
    assert packed
    sections = json.loads(gzip.decompress(base64.b64decode(packed[1])))["sections"]
    panes = {pane["name"]: pane for section in sections for block in section["blocks"] if block["kind"] == "code" for pane in block["panes"]}
    assert any("ld.global" in line[1] and line[2].startswith("doubled.py:7") for line in panes["PTX"]["lines"]), panes["PTX"]["lines"][:60]


def test_checks_of_a_triton_program_name_its_lines(tmp_path: pathlib.Path) -> None:
    """By the PTX in Triton's cache, thread by thread; the line table of the machine code counts lines of inline assembly."""
    pytest.importorskip("triton")
    (tmp_path / "overrun.py").write_text(DOUBLED.replace("tl.load(x + i, i < n)", "tl.load(x + i)"))
    command = [program(), "emulate", "--check", "memory", "--", sys.executable, str(tmp_path / "overrun.py")]
    settings = {"TRITON_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **settings, "PYTORCH_NO_CUDA_MEMORY_CACHING": "1"})
    assert done.returncode == 4, done.stdout + done.stderr
    assert "out-of-bounds: read" in done.stderr and "overrun.py:7 " in done.stderr, done.stderr
    assert not re.search(r"overrun.py:(?!7 )", done.stderr), done.stderr
    command[3] = "memory,init"
    cached = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **settings})
    assert "out-of-bounds: access to" in cached.stderr and "past the end of a tensor of 4000 bytes" in cached.stderr, cached.stderr
    assert "uninitialised-read" not in cached.stderr, "the allocator knows where tensors end"
    assert "PYTORCH_NO_CUDA_MEMORY_CACHING=1" in cached.stderr, "other tensors follow in the allocation, so a note says what checks miss"


def test_what_the_kernel_before_left_in_l2_is_not_read_from_dram(tmp_path: pathlib.Path) -> None:
    out = tmp_path / "run.wlens"
    command = [program(), "record", "--emulate", "-o", str(out), "--", sys.executable, str(PROGRAMS / "warm_cache.py")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    cold, warm, flushed, *_ = map(int, answers(out, "select duration_ns from kernels where name like '%neg%' order by start_ns"))
    assert warm < cold - 200 and abs(flushed - cold) <= 1, "starts and ends are whole nanoseconds"


@pytest.mark.parametrize(("name", "verb"), [("attention_ways.py", ["emulate"]), ("attention_ways.py", ["counters", "--emulate"]),
                                            ("tuned_rows.py", ["record", "--emulate"]), ("tuned_rows.py", ["counters", "--emulate"])])
def test_programs_as_guides_have_them_run_under_every_verb(tmp_path: pathlib.Path, name: str, verb: list[str]) -> None:
    """Without --sample every launch of a benchmark would be counted, which takes long."""
    options = ["-o", str(tmp_path / "run.wlens")] if verb[0] == "record" else ["--json"] if verb[0] == "counters" else []
    sampled = ["--sample"] if verb[0] != "emulate" and name == "tuned_rows.py" else []
    done = subprocess.run([program(), *verb, *sampled, *options, "--", sys.executable, str(PROGRAMS / name)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "equal" in (done.stderr if verb[0] == "counters" else done.stdout).splitlines()


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="load_inline needs nvcc")
def test_cuda_in_a_string_runs(tmp_path: pathlib.Path) -> None:
    environment = {**os.environ, "TORCH_EXTENSIONS_DIR": str(tmp_path), "TORCH_CUDA_ARCH_LIST": "9.0"}
    done = subprocess.run([program(), "emulate", "--", sys.executable, str(PROGRAMS / "written_in_cuda.py")], capture_output=True, text=True, env=environment)
    assert done.stdout.splitlines()[-1:] == ["equal"], done.stdout + done.stderr


def test_a_program_that_is_ended_leaves_its_recording(tmp_path: pathlib.Path) -> None:
    out = tmp_path / "run.wlens"
    command = [program(), "record", "--emulate", "-o", str(out), "--", sys.executable, str(PROGRAMS / "wait_after_work.py")]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert running.stdout is not None and running.stdout.readline() == "21.0\n"
    time.sleep(2)
    running.terminate()
    running.communicate()
    assert running.returncode == 128 + signal.SIGTERM
    assert int(answers(out, "select count(*) from kernels")[0]) >= 21


def test_library_calls_have_a_time_and_no_counters() -> None:
    command = [program(), "counters", "--emulate", "-k", "gemm*", "--json", "--", sys.executable, str(PROGRAMS / "marked_steps.py")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    launches = json.loads(done.stdout)["launches"]
    assert launches
    for launch in launches:
        assert launch["counted_from"] == "nothing" and launch["metrics"] == {} and launch["occupancy"] is None
        time_of = launch["time"]
        assert 0 < time_of["low_ns"] < time_of["estimate_ns"] < time_of["high_ns"]


def test_a_process_can_ask_for_an_emulated_gpu() -> None:
    done = subprocess.run([sys.executable, str(PROGRAMS / "whole_process.py")], capture_output=True, text=True)
    assert done.stdout == "equal\n", done.stdout + done.stderr
