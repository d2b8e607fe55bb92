#!/usr/bin/env python3
"""Installs libwarplens.so into a folder, builds examples/c_api against it with find_package(warplens), and runs that.
Usage: package_test.py PROGRAM (the build folder is where PROGRAM lies)
"""
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def run(*command):
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}")
    return done.stdout


def main(program):
    with tempfile.TemporaryDirectory() as folder:
        prefix, build = pathlib.Path(folder, "prefix"), pathlib.Path(folder, "build")
        run("cmake", "--install", pathlib.Path(program).resolve().parent, "--prefix", prefix, "--component", "library")
        run("cmake", "-S", ROOT / "examples/c_api", "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}")
        run("cmake", "--build", build)
        text = run(build / "saxpy")
        symbols = run("nm", "-D", "--defined-only", next(prefix.glob("lib*/**/libwarplens.so")))
    print(text)
    exported = {line.split()[-1] for line in symbols.splitlines()}
    foreign = [s for s in exported if not s.startswith("warplens_") and s != "ptx_run"]
    assert "ptx_run" in exported and not foreign, f"exported besides the interface: {foreign[:5]}"
    assert text.startswith("y[3] = 7 after 240 warp instructions"), "the kernel gave something else"


if __name__ == "__main__":
    main(sys.argv[1])
