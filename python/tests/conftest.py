import os
import pathlib

import pytest

# Before torch is loaded. On a busy machine a parallel region waits for its slowest thread.
os.environ.setdefault("OMP_NUM_THREADS", "1")

DATA = pathlib.Path(__file__).resolve().parents[2] / "tests" / "data"


@pytest.fixture
def traces() -> pathlib.Path:
    return DATA / "traces"
