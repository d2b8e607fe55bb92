#!/usr/bin/env python3
"""Programs that nobody here wrote, built by their own Makefiles or CMakeLists and run without a GPU.

run.py FOLDER [--warplens PROGRAM] [--suite NAME] [--fetch] [--build] [--run] [--table FILE [--outputs FILE]] [--seconds N] [--jobs N] [NAME...]

Sources are fetched into FOLDER and stay there. --build compiles with `warplens nvcc` as the compiler; --run runs each program under
`warplens emulate` with the arguments of arguments.json, or its own with repetitions and sizes made smaller, for at most N seconds of
processor time; --table writes what passes its own checks, what does not, and why; --outputs: what `outputs.py compare --json` says of them.
"""
import argparse
import concurrent.futures
import csv
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
SUITES = json.loads((HERE / "suites.json").read_text())
ARGUMENTS = json.loads((HERE / "arguments.json").read_text())
REASONS = json.loads((HERE / "reasons.json").read_text())  # why a program does not pass, where that was looked into
DIFFERENCES = json.loads((HERE / "differences.json").read_text())  # why an output differs from an H200's, likewise
SLOW = {row["program"]: row for row in csv.DictReader((HERE / "slow.csv").open())}  # what takes the time of those that do not end
LIBRARIES = "cublas cudnn curand cusolver cusparse cufft nccl mpi.h nvshmem GL/ GLFW vulkan EGL/ nvjpeg npp torch/".split()


def sources(program):
    """The text of a program: its file, or all of its folder."""
    return "".join(path.read_text(errors="ignore") for path in ([program] if program.is_file() else sorted(program.rglob("*")))
                   if path.suffix in (".cu", ".cpp", ".c", ".h", ".cuh", ".hpp") and path.is_file())


def home(program):
    return program.parent if program.is_file() else program


def mark(program, kind):
    """A file of ours beside a program: built, buildlog, runlog."""
    return home(program) / (f".{program.stem}.{kind}" if program.is_file() else f".{kind}")


def name_of(suite, root, program):
    """SUITE/FOLDER, or where each file is a program SUITE/PATH."""
    return f"{suite}/{program.relative_to(root).with_suffix('') if program.is_file() else program.name}"


def library_of(text):
    """A library with a runtime of its own, or one that draws, that a program includes."""
    return next((name for name in LIBRARIES if re.search(r'#\s*include\s*[<"]' + re.escape(name), text)), None)


def fetch(suite, folder):
    if folder.exists():
        return
    subprocess.run(["git", "clone", "--filter=blob:limit=8m", SUITES[suite]["repository"], str(folder)], check=True)
    subprocess.run(["git", "-C", str(folder), "checkout", "-q", SUITES[suite]["commit"]], check=True)


def cmake_command(folder, include, nvcc):
    """The commands of the sample's CMakeLists for one architecture."""
    text = (folder / "CMakeLists.txt").read_text()
    found = re.search(r"add_executable\(\s*(\w+)\s+([^)]*)\)", text)
    if not found:
        return None
    files = [name.replace("${CMAKE_CURRENT_SOURCE_DIR}/", "") for name in found[2].split()]
    files = [name for name in files if name.endswith((".cu", ".cpp", ".c"))]
    separate = "-rdc=true " if "SEPARABLE_COMPILATION ON" in text else ""
    driver = " -lcuda" if re.search(r"CUDA::cuda_driver|libcuda|\bcuda\b\s*\)", text) else ""
    return f"{nvcc} {separate}-std=c++17 --extended-lambda -arch=sm_90 -I{include} -o {folder.name}.exe {' '.join(files)}{driver}"


def compiler_named_nvcc(folder, warplens):
    """An environment in which builds that say nvcc themselves get `warplens nvcc`."""
    script = folder / "compiler" / "nvcc"
    script.parent.mkdir(exist_ok=True)
    script.write_text(f'#!/bin/sh\nexec {shlex.quote(warplens)} nvcc "$@"\n')
    script.chmod(0o755)
    return {**os.environ, "PATH": f"{script.parent.resolve()}:{os.environ['PATH']}"}


def build(suite, program, warplens, environment):
    about, marker, folder = SUITES[suite], mark(program, "built"), home(program)
    if marker.exists():
        return
    nvcc = f"{warplens} nvcc"
    words = {"nvcc": nvcc, "cuda": "/usr/local/cuda", "file": program.name, "name": program.stem}
    command = cmake_command(folder, about["include"], nvcc) if about["build"] == "cmake" else about["build"].format(**words)
    if command is None:
        return
    try:
        done = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True, timeout=600, check=False, env=environment)
        text, ok = done.stdout + done.stderr, done.returncode == 0
    except subprocess.TimeoutExpired:
        text, ok = "the compiler did not end", False
    mark(program, "buildlog").write_text(text)
    if ok:
        marker.write_text("")


def own_command(suite, folder):
    about = SUITES[suite]
    if folder.is_file():
        return about["run"].format(name=folder.stem)
    if about["build"] == "cmake":
        return f"./{folder.name}.exe"
    if about["run"] == "run":
        lines = (folder / "run").read_text().splitlines() if (folder / "run").exists() else []
    else:
        text = subprocess.run(about["run"], shell=True, cwd=folder, capture_output=True, text=True, check=False).stdout
        lines = re.sub(r"\\\n\s*", " ", text).splitlines()
    commands = [line.strip() for line in lines if re.match(r"\s*\./", line)]
    return commands[-1] if commands else about.get("program", "")


def smaller(command):
    """The command with its last number, mostly repetitions, at 2, and the others over 64 divided."""
    words = command.split()
    numbers = [i for i, word in enumerate(words) if re.fullmatch(r"\d+", word)]
    out = []
    for divisor in (256, 16):
        made = list(words)
        for i in numbers:
            value = int(words[i])
            if i == numbers[-1] and value <= 100000:
                made[i] = str(min(value, 2))
            elif value > 64:
                made[i] = str(max(value // divisor, 64))
        if " ".join(made) not in out:
            out.append(" ".join(made))
    return out or [command]


ERRORS = re.compile(r"(?im)^.*\b(?:rmse|(?:max\w*|mean|average|relative|absolute|rms|l2|total)\b[^\n:=]*\b(?:error|difference|diff|norm))\b[^\n:=]*[:=]\s*"
                    r"((?:[-+.\d]+(?:e[-+]?\d+)?[ ,]*)+)$")
SMALL = 1e-3


def prints_small_errors(text):
    """True if a program prints the distance of its result from the host's, and the distance is small."""
    numbers = [float(number) for found in ERRORS.findall(text) for number in found.replace(",", " ").split()]
    return bool(numbers) and max(map(abs, numbers)) <= SMALL


def lacks_data(command, folder, text):
    """A file that a program names and that its repository does not hold."""
    files = [word for word in command.split()[1:] if re.search(r"/|\.[a-z]\w{1,4}$", word) and not (folder / word).exists()]
    said = re.search(r"(?i).*(no such file|(cannot|can't|could not|unable to|failed? to|error|not be) (open|find|read)|file not found|file error|cannot be opened).*", text)
    elsewhere = [path.name.removesuffix(".dvc") for path in folder.glob("*.dvc")]  # what names a file that is kept elsewhere
    return said[0].strip()[:90] if said else " ".join(files + elsewhere)


def says_right(suite, program, text):
    """True if it says so in its suite's own words, or has no complaint where it would have one."""
    about = SUITES[suite]
    if "right" in about and re.search(about["right"], text):
        return True
    complaint = about.get("complains")
    return complaint is not None and re.search(complaint, sources(program)) is not None and not re.search(complaint + "|rror:", text)


def verdict(code, text):
    text = re.sub(r"warplens: .*a GPU ignores that, and so does the emulator.*", "", text)
    refused = re.search(r"warplens: .*", text)
    if re.search(r"PASS", text) and not re.search(r"FAIL|warplens:", text) and code == 0:
        return "pass"
    if code == 0 and re.search(r"completed, returned OK|Test passed", text) and not re.search(r"FAIL|warplens:", text):
        return "pass"
    if code in (124, 137, 152, -9, -24):
        return "slow"
    if refused:
        return "refused: " + refused[0][10:190]
    if code == 0 and prints_small_errors(text) and "FAIL" not in text:
        return "pass"
    failed = re.search(r".*(\bFAIL|\bfail|rror\b|ncorrect|ismatch|MISMATCH).*", text)
    harmless = re.search(r"Error statistics|Error \(L2norm\): \S+e-|no error|0 errors|errors: 0|failures: 0|rror rate|rror = 0|rror: 0|rror 0|0 Failures|failures = 0", text)
    if failed and not harmless:
        return "fails: " + failed[0].strip()[:110]
    if code != 0:
        return f"exit code {code}: " + (text.strip().splitlines() or ["no output"])[-1][:90]
    if re.search(r"PASS|pass|uccess|SUCCESS|\b[Cc]orrect|erified|match|\bOK\b|0 Failures|failures: 0|identical", text):
        return "pass"
    return "does not say: " + (text.strip().splitlines() or ["no output"])[-1][:90]


def tells_by_exit_code(folder):
    """True if a program's exit code shows whether its result is right."""
    return re.search(r"\?\s*EXIT_SUCCESS\s*:\s*EXIT_FAILURE", sources(folder)) is not None


def run(suite, name, program, warplens, seconds):
    folder = home(program)
    commands = [ARGUMENTS[name]] if name in ARGUMENTS else smaller(own_command(suite, program))
    for command in commands:
        begin = time.time()
        script = f"ulimit -t {seconds}; exec {shlex.quote(warplens)} emulate -- bash -c {shlex.quote(command)}"
        try:
            done = subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True, timeout=12 * seconds, check=False, stdin=subprocess.DEVNULL)
            code, text = done.returncode, (done.stdout + done.stderr).decode(errors="replace").replace(str(folder.resolve()), ".")
        except subprocess.TimeoutExpired:
            code, text = 124, ""
        mark(program, "runlog").write_text(command + "\n" + text[-20000:])
        said = "pass" if code == 0 and "warplens:" not in text and says_right(suite, program, text) else verdict(code, text)
        if said.startswith("does not say") and code == 0 and tells_by_exit_code(program):
            said = "pass"
        if said.startswith(("fails", "exit code")) and (missing := lacks_data(command, folder, text)):
            said = "lacks data: " + missing
        if not said.startswith(("fails", "exit", "does not", "lacks")):
            break
    return {"verdict": said, "command": command, "wall_s": round(time.time() - begin, 1)}


def why_slow(name):
    """The samples of perf while it ran: the host's own code, many launches, or what kernels do."""
    row = SLOW.get(name)
    said = {"host": "the host's own code: {host_percent} % of the time", "launch": "many launches: {emulation_percent} % in calls and emulation",
            "instructions": "kernels: {emulation_percent} % of the time in their instructions", "memory": "kernels' accesses to memory: {emulation_percent} %"}
    return said[row["cause"]].format(**row) if row and row["cause"] in said else ""


def group_of(name, verdict, outputs):
    """Programs that do not say whether they are right may have said what an H200 says."""
    group = verdict.split(":")[0]
    return "equal" if group == "does not say" and outputs.get(name, {}).get("state") in ("equal", "text") else group


def remark(name, verdict, outputs):
    state, equal = outputs.get(name, {}).get("state"), ""
    if state in ("equal", "text"):
        equal = "output as an H200's"
    elif state == "differs" and name in DIFFERENCES:
        equal = f"unlike an H200: {DIFFERENCES[name]}"
    reason = REASONS.get(name) or (why_slow(name) if verdict == "slow" else verdict.partition(": ")[2] if not equal else "")
    return "; ".join(text for text in (reason, equal) if text).replace("|", "/")


def table(results, seconds, outputs):
    groups = {}
    for name, result in sorted(results.items()):
        groups.setdefault(group_of(name, result["verdict"], outputs), []).append((name, result))
    lines = ["# Public programs, run without a GPU", "",
             "`benchmarks/programs/run.py` made this page. The programs were built by their own Makefiles, or as their CMakeLists say, with",
             "`warplens nvcc` as the compiler (nvcc 13.0, sm_90). `warplens emulate` ran them as an H200, with few repetitions and small sizes where the",
             f"arguments below say so. Each had at most {seconds} s of processor time.", ""]
    left_out = groups.pop("left out", [])
    ran = len(results) - len(left_out) - len(groups.get("lacks data", []))
    lines += [f"**{len(groups.get('pass', []))} of {ran} programs pass their own checks. {len(groups.get('equal', []))} more do not check "
              "themselves, and print and write the same as an H200.**", ""]
    for group, rows in sorted(groups.items(), key=lambda item: (item[0] != "pass", item[0] != "equal", -len(item[1]))):
        titles = {"pass": "Pass", "equal": "Do not check themselves, and print the same as an H200", "slow": f"Do not end in {seconds} s",
                  "refused": "Refused, by what is not emulated", "fails": "Fail their own checks",
                  "does not say": "Do not check themselves", "lacks data": "Need data that is kept elsewhere"}
        lines += [f"## {titles.get(group, group.capitalize())}: {len(rows)}", "", "| program | command | |", "|---|---|---|"]
        lines += [f"| {name} | `{result['command']}` | {remark(name, result['verdict'], outputs)} |" for name, result in rows]
        lines.append("")
    names = ", ".join(f"{name} ({result['verdict'].partition(': ')[2].rstrip('/')})" for name, result in left_out)
    lines += [f"## Left out, by a library they use that has a runtime of its own: {len(left_out)}", "", names, ""] if names else []
    return "\n".join(lines)


def programs(options):
    """Suite, name and path of the programs to treat."""
    for suite in options.suite or SUITES:
        root = options.folder / suite
        for program in sorted(path for path in root.glob(SUITES[suite]["programs"]) if path.is_dir() or path.suffix == ".cu"):
            name = name_of(suite, root, program)
            if not options.names or name in options.names:
                yield suite, name, program


def built_and_run(options, environment, suite, name, program, before):
    """A program's name, and what is new of it."""
    text = sources(program) if options.build else ""
    if options.build and program.is_file() and not re.search("<<<|thrust", text):
        return name, None  # a program of the host alone, or a part of one
    if library := library_of(text):
        return name, {"verdict": f"left out: {library}", "command": "", "wall_s": 0}
    if options.build:
        build(suite, program, options.warplens, environment)
    if options.run and mark(program, "built").exists() and (options.again or (before or {}).get("verdict") != "pass"):
        return name, run(suite, name, program, options.warplens, options.seconds)
    return name, None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="*", help="programs, as SUITE/NAME; all without")
    parser.add_argument("--warplens", default=str(HERE.parent.parent / "build/warplens"))
    parser.add_argument("--suite", choices=SUITES, action="append")
    parser.add_argument("--fetch", action="store_true")
    parser.add_argument("--build", action="store_true")
    parser.add_argument("--run", action="store_true")
    parser.add_argument("--again", action="store_true", help="run those too that passed before")
    parser.add_argument("--table", type=pathlib.Path)
    parser.add_argument("--outputs", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=1, help="programs that are built and run at the same time")
    options = parser.parse_intermixed_args()  # names may follow flags
    kept = options.folder / "results.json"
    results = json.loads(kept.read_text()) if kept.exists() else {}
    environment = compiler_named_nvcc(options.folder, options.warplens) if options.build else None
    if options.fetch:
        for suite in options.suite or SUITES:
            fetch(suite, options.folder / suite)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        turns = [pool.submit(built_and_run, options, environment, suite, name, program, results.get(name))
                 for suite, name, program in programs(options)]
        for turn in concurrent.futures.as_completed(turns):
            name, result = turn.result()
            if result:
                results[name] = result
                kept.write_text(json.dumps(results, indent=1))
                print(name, result["verdict"], result["wall_s"], sep="\t", flush=True)
    if options.table:
        outputs = json.loads(options.outputs.read_text()) if options.outputs else {}
        options.table.write_text(table(results, options.seconds, outputs))
    return 0


if __name__ == "__main__":
    sys.exit(main())
