#!/usr/bin/env python3
"""Installs the libraries into a folder, builds examples/benchmark against them with find_package and runs it."""
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def run(*command):
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
    assert done.returncode == 0, f"{command}\n{done.stdout}"
    return done.stdout


def main(program):
    build = pathlib.Path(program).resolve().parent
    with tempfile.TemporaryDirectory() as folder:
        prefix, example = f"{folder}/prefix", f"{folder}/example"
        run("cmake", "--install", build, "--prefix", prefix, "--component", "development")
        run("cmake", "-G", "Ninja", "-S", ROOT / "examples/benchmark", "-B", example, f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_BUILD_TYPE=Release")
        run("cmake", "--build", example)
        out = run(f"{example}/sum_benchmark")
    assert "one sum" in out and "four sums beside one:" in out and "INVALID" not in out, out
    print("the example builds against the installed libraries and runs")


if __name__ == "__main__":
    main(sys.argv[1])
