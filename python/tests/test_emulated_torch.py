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


@pytest.mark.parametrize("device", ["a100", "h200"])
def test_losses_of_small_models_equal_the_cpu(device: str) -> None:
    losses = json.loads(emulated("train_small.py", "--device", device).splitlines()[-1])
    for model, (cpu, cuda) in losses.items():
        assert cuda == pytest.approx(cpu, rel=1e-4), model
        assert cpu[-1] < cpu[0], model


def test_the_profiler_shows_modelled_kernels_under_their_operators() -> None:
    assert emulated("profile_square.py").splitlines()[-1] == "equal"
