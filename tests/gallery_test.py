#!/usr/bin/env python3
"""Every launch file of examples/gallery gives what it expects, is found clean by every check, in other orders of blocks
and warps too; examples/README.md names each. Usage: gallery_test.py PROGRAM
"""
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
GALLERY = ROOT / "examples/gallery"


def emulate(program, launches, *flags):
    done = subprocess.run([program, "kernel", launches, "--emulate", "--json", *flags], capture_output=True, text=True)
    if done.returncode not in (0, 1, 4) or not done.stdout:
        sys.exit(f"{launches.name} {' '.join(flags)}: exit code {done.returncode}: {done.stderr[-2000:]}")
    return done.returncode, json.loads(done.stdout)


def main(program):
    failures, readme = [], (ROOT / "examples/README.md").read_text()
    files = sorted(GALLERY.glob("*.json"))
    assert len(files) >= 10, "the gallery is not there"
    for file in files:
        expected = json.loads(file.read_text())["expect"]
        for flags in [], ["--check", "all"], ["--schedule", "reversed"], ["--schedule", "random:1"]:
            code, result = emulate(program, file, *flags)
            wrong = [c["buffer"] for c in result["comparisons"] if c["wrong"]]
            reports = [r["id"] for launch in result["launches"] for r in launch["reports"]]
            if code or wrong or reports or len(result["comparisons"]) != len(expected):
                failures.append(f"{file.name} {' '.join(flags)}: exit code {code}, wrong {wrong}, reports {reports}")
        if f"{file.stem}.cu" not in readme:
            failures.append(f"examples/README.md does not name {file.stem}.cu")
    # What a launch file puts into __constant__ variables decides how often machine code goes round.
    instructions = []
    for degree in 3, 30:
        description = json.loads((GALLERY / "polynomial.json").read_text())
        description["source"] = str(GALLERY / description["source"])
        description["symbols"]["degree"]["values"] = [degree]
        description["expect"] = {}
        done = subprocess.run([program, "kernel", "-", "--emulate", "--json"], input=json.dumps(description), capture_output=True, text=True)
        launch = json.loads(done.stdout)["launches"][0]
        instructions.append(launch["metrics"]["smsp__inst_executed.sum"])
        if launch["counted_from"] != "machine code":
            failures.append(f"polynomial is counted from {launch['counted_from']}: {launch['why_adjusted']}")
    if instructions[1] < instructions[0] + 27:
        failures.append(f"machine code does not see the launch's constants: {instructions}")
    # A wrong expectation must be reported, or the checks above mean nothing.
    description = json.loads((GALLERY / "spin_lock.json").read_text())
    description["source"] = str(GALLERY / description["source"])
    description["expect"]["counters"]["values"][1] += 1
    done = subprocess.run([program, "kernel", "-", "--emulate"], input=json.dumps(description), capture_output=True, text=True)
    if done.returncode != 1 or "counters" not in done.stdout + done.stderr:
        failures.append(f"a wrong expectation ends with {done.returncode}: {(done.stdout + done.stderr)[-500:]}")
    print("\n".join(failures) or f"{len(files)} launch files are right and clean")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
