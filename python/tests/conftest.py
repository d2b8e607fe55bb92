import pathlib

import pytest

DATA = pathlib.Path(__file__).resolve().parents[2] / "tests" / "data"


@pytest.fixture
def traces() -> pathlib.Path:
    return DATA / "traces"
