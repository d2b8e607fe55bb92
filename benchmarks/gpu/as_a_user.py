#!/usr/bin/env python3
"""Tries what `warplens record` and `warplens counters -- PROGRAM` say they do, each as a user would run it, on the GPU here.

    python3 as_a_user.py WARPLENS KERNELS [NAME...]      KERNELS holds probe.cu; names choose among the tries

Prints a line for each, with its errors. The exit code is 1 if there are any. Programs' output and exit codes must be what they are bare.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
WARPLENS, KERNELS = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
PYTHON = [sys.executable, str(HERE / "as_a_user_program.py")]
TRIES = {}


def tried(function):
    TRIES[function.__name__] = function
    return function


def run(*command, limit=60, **kwargs):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=limit, **kwargs)


def bare(*program, known={}):
    if program not in known:
        known[program] = run(*program)
    return known[program]


def need(good, what):
    if not good:
        raise AssertionError(str(what)[-1500:])


def output(done):
    """Without times, and without the last digits of sums that atomics make in any order."""
    text = re.sub(r"us_per_launch \S+", "", done.stdout)
    return re.sub(r"\d+\.\d+(e[+-]\d+)?", lambda number: f"{float(number[0]):.4g}", text)


def recorded(folder, *flags, program, name="run.wlens", exit_code=None):
    """The file of `record FLAGS -- PROGRAM`, whose output and exit code must be the bare ones."""
    file = folder / name
    done = run(WARPLENS, "record", *flags, "-f", "-o", file, "--", *program)
    was = bare(*program)
    need(done.returncode == was.returncode, (done.stderr[-1000:], "exit codes, bare and recorded:", was.returncode, done.returncode))
    need(output(done) == output(was), (done.stderr[-500:], "outputs, bare and recorded:", was.stdout[-400:], done.stdout[-400:]))
    return file, done


def summary(file):
    done = run(WARPLENS, "summary", "--json", "--no-findings", file)
    need(done.returncode == 0, done.stderr)
    return json.loads(done.stdout)


def rank(file):
    return summary(file)["ranks"][0]


def events(file, category):
    out = run(WARPLENS, "export", "-t", "chrome", "-o", "-", file)
    need(out.returncode == 0, out.stderr)
    return [event for event in json.loads(out.stdout)["traceEvents"] if event.get("cat") == category]


def operators(file):
    return {row["name"]: row for row in json.loads(run(WARPLENS, "ops", "--json", file).stdout)["rows"] if row["device_type"] == "CPU"}


@tried
def record_by_default(folder):
    file, done = recorded(folder, program=[folder / "launches", "5000"])
    need(len(events(file, "kernel")) == 5000 and len(events(file, "gpu_memset")) == 5, rank(file))
    need(len(events(file, "cuda_driver")) + len(events(file, "cuda_runtime")) >= 5000, "calls are missing")
    need("5,000" in done.stderr or "5000" in done.stderr or "kernel" in done.stderr, ("nothing is summed up", done.stderr))


@tried
def record_quiet_kernels_only(folder):
    file, done = recorded(folder, "--kernels-only", "--quiet", program=[folder / "launches", "5000"])
    calls = events(file, "cuda_runtime") + events(file, "cuda_driver")
    need(len(events(file, "kernel")) == 5000 and not calls, ("calls were recorded", calls[:1]))
    need(not done.stderr.strip(), done.stderr)


@tried
def record_all_calls_and_memory(folder):
    file, _ = recorded(folder, "--api", "all", "--memory", program=[folder / "launches", "2000"])
    names = {event["name"] for event in events(file, "cuda_runtime")}
    need({"cudaLaunchKernel", "cudaMalloc", "cudaStreamCreate"} <= names, names)
    need(re.search(r"allocations +[1-9]", run(WARPLENS, "doctor", file).stdout), "no memory")


@tried
def record_torch_with_shapes_stacks_and_cpu(folder):
    file, _ = recorded(folder, "--torch-shapes", "--stacks", "--cpu", program=[*PYTHON, "train", "20"])
    rows = operators(file)
    need(rows["aten::addmm"]["count"] == 80, rows["aten::addmm"])
    need(rank(file)["steps"] == 20, rank(file))
    shapes = run(WARPLENS, "ops", "--by-shape", "--json", file).stdout
    need("[[512], [64, 512], [512, 512], [], []]" in shapes, "addmm without its shapes")
    gaps = run(WARPLENS, "timeline", "--json", file).stdout
    need("as_a_user_program.py" in gaps, "no gap names the program's code")


@tried
def record_cpu_names_native_code(folder):
    file, _ = recorded(folder, "--cpu", program=[*PYTHON, "packs", "200"])
    gaps = run(WARPLENS, "timeline", file).stdout
    need(re.search(r"as_a_user_program.py\(\d+\): <module> > (libz|zlib)\S*: \w*(deflate|compress)", gaps), gaps)
    file, _ = recorded(folder, "--cpu", program=[folder / "launches", "20000", "0", "30000"], name="plain.wlens")
    gaps = run(WARPLENS, "timeline", file).stdout
    need("launches: main" in gaps and "python" not in gaps, gaps)
    file, _ = recorded(folder, "--torch", "--cpu", program=[*PYTHON, "train", "60"], name="train.wlens")
    stacks = [event["name"] for event in events(file, "host_sample")]
    of = {"with Python": ["as_a_user_program" in s for s in stacks], "with native code": ["libtorch" in s for s in stacks],
          "of autograd's threads": ["autograd" in s and ".py(" not in s for s in stacks], "without a name": ["?" in s for s in stacks]}
    print(f"    {len(stacks)} samples of training: " + ", ".join(f"{sum(v)} {k}" for k, v in of.items()))
    need(sum(of["with native code"]) > 10 and sum(of["of autograd's threads"]) > 0, stacks[-3:])


@tried
def record_schedule(folder):
    file, _ = recorded(folder, "--torch", "--schedule", "5,2,3,2", program=[*PYTHON, "train", "30"])
    need(rank(file)["steps"] == 6, rank(file))


@tried
def record_delay_and_duration(folder):
    file, _ = recorded(folder, "--delay", "500ms", "--duration", "500ms", program=[*PYTHON, "slow", "120"])
    need(rank(file)["span_ns"] < 0.8e9, rank(file))


@tried
def record_capture_ranges(folder):
    kernels = [len(events(recorded(folder, "--capture-range", name, program=[*PYTHON, "train", "10"])[0], "kernel")) for name in ("step", "cudaProfilerApi")]
    need(kernels[0] == kernels[1] and kernels[0] > 10 * 30, kernels)


@tried
def record_graph_nodes(folder):
    file, _ = recorded(folder, "--torch", "--capture-range", "step", program=[*PYTHON, "graph", "50"])
    rows = operators(file)
    need(rows["aten::argmax"]["count"] == 50, rows.keys())
    kernels = [event for event in events(file, "kernel") if event["args"].get("graph node id")]
    need(len(kernels) >= 50 * 9, len(kernels))
    named = json.dumps(kernels) + run(WARPLENS, "ops", "--json", file).stdout
    need(all(name in named for name in ("aten::addmm", "aten::gelu", "aten::_softmax")), ("graph nodes without operators", kernels[0]))


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@tried
def record_ring(folder):
    port = free_port()
    program = [*PYTHON, "slow", "500"]
    process = subprocess.Popen([WARPLENS, "record", "--torch", "--ring", "1s", "--when", "step > 3 x median", "--signal", "USR1", "--metrics-port",
                                str(port), "-f", "-o", folder / "ring.wlens", "--", *program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    metrics, until = "", time.monotonic() + 20
    while "warplens_kernels_total" not in metrics and time.monotonic() < until:
        time.sleep(0.3)
        try:
            metrics = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=2).read().decode()
        except OSError:
            continue
    snapshot = run(WARPLENS, "snapshot", process.pid)
    out, err = process.communicate(timeout=60)
    need(re.search(r"warplens_\w+", metrics), "no metrics")
    need(snapshot.returncode == 0 and snapshot.stdout.strip(), snapshot)
    need(process.returncode == 3 and out.startswith("slow 500"), (process.returncode, out))
    files = sorted(folder.glob("ring*.wlens"))
    need(len(files) >= 3, (files, err))  # the snapshot, the slow step, the end
    for file in files:
        need(rank(file)["kernels"] > 0 and rank(file)["span_ns"] < 2.5e9, rank(file))


@tried
def record_children(folder):
    program = ["sh", "-c", f"{folder}/launches 1000 & {folder}/launches 2000; wait"]
    done = run(WARPLENS, "record", "--quiet", "-o", folder / "child.%p.wlens", "--", *program)
    need(done.returncode == 0, done.stderr)
    need(sorted(len(events(file, "kernel")) for file in folder.glob("child.*.wlens")) == [1000, 2000], list(folder.glob("child.*")))


@tried
def record_beside_torch_profiler(folder):
    """CUPTI takes one subscriber: the program's own profiler is refused, as its own words say, and sees no kernels; the rest continues."""
    program = [sys.executable, "-c", "import torch\nx = torch.ones(9, device='cuda')\nwith torch.profiler.profile() as p:\n    for _ in range(50): x += 1\n"
               "    torch.cuda.synchronize()\nprint(x[0].item())"]
    file, done = recorded(folder, program=program)
    need(len(events(file, "kernel")) == 51 and "CUPTI initialization failed" in done.stderr, done.stderr)


@tried
def record_where_nothing_can_be_written(folder):
    done = run(WARPLENS, "record", "-o", "/proc/no.wlens", "--", folder / "launches", "1000")
    need("/proc" in done.stderr, done)
    small = folder / "small"
    small.mkdir()
    if run("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", small).returncode == 0:
        done = run(WARPLENS, "record", "-o", small / "full.wlens", "--", folder / "launches", "200000")
        run("umount", small)
        need(done.returncode == 0 and output(done) == output(bare(folder / "launches", "200000")), done)
        need("No space left" in done.stderr, done.stderr)


def counted(folder, *flags, program, name="counts.json"):
    file = folder / name
    done = run(WARPLENS, "counters", *flags, "--json", "-f", "-o", file, "--", *program, limit=90)
    was = bare(*program)
    need((done.returncode, output(done)) == (was.returncode, output(was)), ("the program differs", was, done))
    return json.loads(file.read_text()), done


@tried
def kernel_sets_choice_and_baseline(folder):
    probe = [folder / "probe"]
    for name in ("timing", "memory", "roofline", "stalls", "report", "full"):
        data, _ = counted(folder, "--set", name, "-k", "transpose*", "--count", "2", program=probe)
        need(len(data["launches"]) == 2 and all("metrics" in launch for launch in data["launches"]), name)
    data, _ = counted(folder, "-k", "regex:^square_1d", "--metric", "smsp__inst_executed.sum", program=probe)
    need([list(launch["metrics"])[-1:] for launch in data["launches"]] and data["launches"][0]["metrics"]["smsp__inst_executed.sum"] > 0, data)
    data, _ = counted(folder, "-k", "smem_stride", "--skip", "2", "--count", "3", "--set", "timing", program=probe)
    need(len(data["launches"]) == 3, len(data["launches"]))
    kept = run(WARPLENS, "counters", "-k", "gelu*", "--save", folder / "base.json", "-f", "--keep", folder / "kept.counts", "--", *probe)
    need(kept.returncode == bare(*probe).returncode and "FLOP/s reached" in run(WARPLENS, "kernel", folder / "kept.counts", "--roofline").stdout, kept)
    same = run(WARPLENS, "kernel", folder / "kept.counts", "--baseline", folder / "base.json", "--fail-on", "20%")
    need(same.returncode == 0, same)


@tried
def kernel_replays_of_a_training_step(folder):
    program = [*PYTHON, "train", "12"]
    launches = {}
    for how in ("batch", "kernel"):
        data, _ = counted(folder, "--nvtx", "step", "--skip", "60", "--count", "40", "--set", "memory", "--replay", how, program=program)
        launches[how] = [launch["metrics"]["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] for launch in data["launches"]]
    need(launches["batch"] == launches["kernel"] and len(launches["batch"]) == 40, launches)
    done = run(WARPLENS, "counters", "--replay", "application", "--set", "memory", "-k", "square_1d", "--json", "--", folder / "probe", limit=90)
    need("dram__bytes_read.sum" in done.stdout, done)


SUMMED = ("smsp__inst_executed.sum", "smsp__thread_inst_executed.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
          "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "lts__t_sectors_op_read.sum")
METRICS = [word for name in SUMMED for word in ("--metric", name)]


def sums(launches):
    return [sum(launch["metrics"][name] for launch in launches) for name in SUMMED]


@tried
def kernel_range_totals(folder):
    """Sums of a range against those of its launches, counted one by one: of kernels, beside copies and sets, and in a graph."""
    program = [folder / "ranges", "20"]
    ranges = {}
    for name in ("kernels", "moves", "graph"):
        data, _ = counted(folder, *METRICS, "--replay", "range", "--nvtx", name, program=program, name=f"{name}.json")
        ranges[name] = [data["ranges"][0]["metrics"][metric] for metric in SUMMED]
    wrong, data_of_kernels = [], []
    for name in ranges:
        if name == "graph":
            launches = data_of_kernels
        else:
            data, _ = counted(folder, *METRICS, "--nvtx", name, "--count", "3", program=program, name=f"{name}-each.json")
            launches = data["launches"]
            data_of_kernels = data_of_kernels or launches
        for metric, of_range, total in zip(SUMMED, ranges[name], sums(launches)):
            print(f"    {name:8} {metric:50} launch by launch {total:>12.0f}, as a range {of_range:>12.0f} ({of_range / total - 1:+.2%})")
            if name != "moves" and "lts" not in metric and abs(of_range / total - 1) > 0.001:
                wrong.append((name, metric))
    need(not wrong, wrong)


@tried
def kernel_range_of_profiler_calls(folder):
    program = [folder / "ranges", "5"]
    data, _ = counted(folder, "--nvtx", "cudaProfilerApi", "--set", "timing", program=program)
    need(len(data["launches"]) == 5 * 6, len(data["launches"]))
    data, _ = counted(folder, "--nvtx", "cudaProfilerApi", "--replay", "range", "--metric", SUMMED[0], program=program, name="range.json")
    parts = [counted(folder, "--nvtx", name, "--replay", "range", "--count", "1", "--metric", SUMMED[0], program=program, name=f"{name}.json")[0]
             for name in ("kernels", "moves", "graph")]
    total, of_range = 5 * sum(part["ranges"][0]["metrics"][SUMMED[0]] for part in parts), data["ranges"][0]["metrics"][SUMMED[0]]
    print(f"    its 15 ranges {total:.0f} instructions, from cudaProfilerStart to Stop {of_range:.0f} ({of_range / total - 1:+.2%})")
    need(abs(of_range / total - 1) < 0.001, "instructions differ")


@tried
def kernel_range_of_a_training_step(folder):
    program = [*PYTHON, "train", "24"]
    each, _ = counted(folder, "--nvtx", "step", *METRICS, program=program)
    data, _ = counted(folder, "--nvtx", "step", "--replay", "range", "--skip", "4", *METRICS, program=program, name="range.json")
    first = data["ranges"][0]
    per_step = first["least_launches"]
    need(per_step == first["most_launches"] > 30, first)
    steps = [sums(each["launches"][at:at + per_step]) for at in range(len(each["launches"]) - 19 * per_step, len(each["launches"]), per_step)]
    for k, metric in enumerate(SUMMED):
        low, high, of_range = min(s[k] for s in steps), max(s[k] for s in steps), first["metrics"][metric]
        print(f"    a step of {per_step} kernels: {metric:50} launch by launch {low:.0f} to {high:.0f}, as a range of {first['passes']} passes "
              f"{of_range:.0f} ({of_range / high - 1:+.2%})")
    by_kernel = {}
    for launch in each["launches"][-per_step:]:
        by_kernel[launch["kernel"][:60]] = by_kernel.get(launch["kernel"][:60], 0) + launch["metrics"][SUMMED[0]]
    print("    " + ", ".join(f"{name} {n:.0f}" for name, n in sorted(by_kernel.items(), key=lambda item: -item[1])[:12]))
    need(abs(first["metrics"][SUMMED[0]] / steps[-1][0] - 1) < 0.01, "instructions differ")


@tried
def kernel_range_with_a_graph(folder):
    program = [*PYTHON, "graph", "30"]
    data, _ = counted(folder, "--nvtx", "step", "--replay", "range", "--skip", "2", "--count", "1", program=program)
    first = data["ranges"][0]
    print(f"    a step with a graph: {first['graph_launches']} graph launches in {first['passes']} passes, {first['most_launches']} kernels beside, "
          f"{first['metrics']['smsp__inst_executed.sum']:.0f} instructions")
    need(first["graph_launches"] == first["passes"] and first["metrics"]["smsp__inst_executed.sum"] > 1e5, first)
    text = run(WARPLENS, "counters", "--nvtx", "step", "--", *program).stdout
    need("launches of CUDA graphs: kernels in graphs are not counted" in text, text)


@tried
def kernel_lines_instructions_and_time(folder):
    probe = [folder / "probe"]
    data, _ = counted(folder, "--lines", program=probe)
    need(any(line["line"] > 0 for line in data["sampling"]["lines"]), data)
    data, _ = counted(folder, "--instructions", "-k", "square_2d", program=probe)
    need(any(line["executed"] > 0 and line["line"] > 0 for line in data["instructions"]["lines"]), data)
    data, _ = counted(folder, "--over-time", "--interval", "5us", "-k", "attention_naive", program=probe)
    need(data["over_time"][0]["shares"], data)


@tried
def kernel_lists_and_plans(folder):
    need(len(run(WARPLENS, "counters", "--list-metrics", "h200", "--format", "csv").stdout.splitlines()) > 1000, "few metrics")
    plan = run(WARPLENS, "counters", "--plan", "GH100")
    need("8 passes" in plan.stderr, plan.stderr)


@tried
def kernel_refusals(folder):
    for flags, words in ((["--replay", "range"], "--nvtx"), (["--replay", "range", "--nvtx", "x", "-k", "y"], "leave out -k"), (["--metric", "no_such.sum"], "no_such")):
        done = run(WARPLENS, "counters", *flags, "--", folder / "probe")
        need(words in done.stderr + done.stdout, (flags, done))


def attempt(name, work):
    folder, start = work / name, time.monotonic()
    folder.mkdir()
    for program in ("launches", "probe", "ranges"):
        os.symlink(work / program, folder / program)
    try:
        TRIES[name](folder)
        said = f"ok {name}"
    except Exception as error:
        said = f"WRONG {name}: {type(error).__name__}: {str(error)[-1500:]}"
    print(f"{said} ({time.monotonic() - start:.1f} s)", flush=True)
    return said.startswith("ok")


def main():
    names = sys.argv[3:] or list(TRIES)
    with tempfile.TemporaryDirectory() as work, concurrent.futures.ThreadPoolExecutor(5) as pool:
        work = pathlib.Path(work)
        nvcc = ["nvcc", "-std=c++17", "-O3", "-arch=sm_90a", "-lineinfo", "-ftemplate-depth=1000"]
        sources = {"launches": HERE / "record_launches.cu", "ranges": HERE / "counted_ranges.cu", "probe": KERNELS / "probe.cu"}
        builds = [pool.submit(run, *nvcc, source, "-o", work / name) for name, source in sources.items()]
        for build in builds:
            need(build.result().returncode == 0, build.result().stderr)
        # Recordings do not mind each other; counters are one process's at a time.
        right = list(pool.map(lambda name: attempt(name, work), [name for name in names if name.startswith("record")]))
        right += [attempt(name, work) for name in names if name.startswith("kernel")]
    print(f"{sum(right)} of {len(names)} as they should be")
    return not all(right)


if __name__ == "__main__":
    sys.exit(main())
