import pathlib
import subprocess
import sys

import warplens

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_the_package_is_typed_strictly(tmp_path):
    package = pathlib.Path(warplens.__file__).parent
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--config-file", ROOT / "pyproject.toml", "--cache-dir", tmp_path, "-p", "warplens"],
                          cwd=package.parent, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (package / "py.typed").exists()
