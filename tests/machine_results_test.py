#!/usr/bin/env python3
"""A counted launch has the same results in memory as its PTX, bit for bit: machine_results_test.py PROGRAM [LAUNCHES.json[@ARCH] ...]

Every launch of the files is run with counters, which runs the machine code, and without, which runs the PTX. All buffers are
saved and compared; some launches must have run as machine code alone. Files of CUBINS are also run from a cubin, where nothing
but machine code is there to run. Needs a CUDA compiler."""
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
FILES = ["examples/probe.json", "examples/study.json", "examples/hopper_async.json", "examples/gallery/tensor_boxes.json",
         "tests/data/sass/narrow.json", "tests/data/sass/narrow.json@sm_80", "tests/data/sass/pairs.json",
         "tests/data/sass/pairs.json@sm_80", "examples/probe.json@sm_80", "examples/probe.json@sm_100", "examples/probe.json@sm_120", "tests/data/sass/narrow.json@sm_120",
         "tests/data/sass/pairs.json@sm_120", "tests/data/sass/blackwell.json", "tests/data/sass/blackwell.json@sm_120a"]

CUBINS = ["tests/data/sass/spaces.json@sm_75", "tests/data/sass/spaces.json@sm_80", "tests/data/sass/spaces.json",
          "tests/data/sass/spaces.json@sm_100", "tests/data/sass/windows.json", "tests/data/sass/windows.json@sm_100"]


def saved(program, path, folder, flags, arch="", from_cubin=False):
    description = json.loads(path.read_text())
    description["arch"] = arch or description["arch"]
    description["source"] = str((path.parent / description["source"]).resolve())
    if from_cubin:
        cubin = str(folder / "code.cubin")
        built = subprocess.run([program, "nvcc", "-cubin", f"-arch={description['arch']}", "-o", cubin, description["source"]],
                               capture_output=True, text=True)
        if built.returncode != 0:
            sys.exit(f"{path}: nvcc: {built.stderr}")
        description["source"] = cubin
    description["save"] = {name: str(folder / f"{name}.npy") for name in description["buffers"]}
    description.pop("expect", None)
    launches = folder / "launches.json"
    launches.write_text(json.dumps(description))
    done = subprocess.run([program, "kernel", launches, "--emulate", "--json", *flags], capture_output=True, text=True)
    if "no CUDA compiler" in done.stderr or "nvcc" in done.stderr and not done.stdout:
        print("skipped: no CUDA compiler here:", done.stderr.strip())
        sys.exit(77)
    result = json.loads(done.stdout)
    if done.returncode != 0:
        sys.exit(f"{path}: {done.stderr}")
    return {name: pathlib.Path(file).read_bytes() for name, file in description["save"].items()}, result["launches"]


def main(program, files):
    wrong = all_alone = all_buffers = 0
    for file in files:
        name, _, arch = file.partition("@")
        path = HERE.parent / name
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
            machine, launches = saved(program, path, pathlib.Path(one), [], arch)
            ptx, _ = saved(program, path, pathlib.Path(other), ["--no-counters"], arch)
        alone = sum(launch.get("results_from") == "machine code" for launch in launches)
        differ = [name for name in ptx if machine[name] != ptx[name]]
        print(f"{file}: {len(launches)} launches, {alone} as machine code alone; {len(ptx) - len(differ)} of {len(ptx)} buffers equal",
              *differ)
        if file in CUBINS:
            with tempfile.TemporaryDirectory() as third:
                code, _ = saved(program, path, pathlib.Path(third), [], arch, from_cubin=True)
            differ += [name for name in ptx if code[name] != ptx[name]]
            print(f"  from a cubin: {sum(code[name] == ptx[name] for name in ptx)} of {len(ptx)} buffers equal")
        wrong, all_alone = wrong + len(differ), all_alone + alone
        all_buffers += len(ptx)
    return 1 if wrong or not all_alone or not all_buffers else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:] or FILES + CUBINS))
