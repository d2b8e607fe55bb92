"""PyTorch under `warplens emulate`: products, convolutions and transforms, computed by stand-ins for CUDA's libraries."""
import json
import pathlib
import subprocess
import sys

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
    assert "not checked: any kernel: only calls of libraries were run, which nothing checks for race" in told
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


def test_the_profiler_shows_modelled_kernels_under_their_operators() -> None:
    assert emulated("profile_square.py").splitlines()[-1] == "equal"
