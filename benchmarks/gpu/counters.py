#!/usr/bin/env python3
"""Hardware counters of `warplens counters -- PROGRAM` against Nsight Compute, on the GPU here.

Usage: counters.py WARPLENS KERNELS OUT [PART...]; KERNELS holds probe.cu and defects.cu, OUT gets what was measured.
Parts: equal (values against ncu's in the same session), noise (bytes read from DRAM, run against run), cost (wall times against ncu's for the same metrics), odd (graphs,
captures, cooperative and failing launches, threads), stalls (kernels with one dominating stall), lines (--instructions against
counters), phases (--over-time), torch (a training step).
"""
import collections
import csv
import json
import pathlib
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
NVCC = ["nvcc", "-std=c++17", "-O3", "-arch=sm_90a", "-lineinfo", "-ftemplate-depth=1000"]
# Not functions of the program: caches, clocks and the neighbours decide. The rest must be equal.
TIMED = ("time_duration", "cycles", "dram__", "lts__", "hit_rate", "pct_of_peak", "stalled", "eligible", "per_cycle", "bank_conflicts")
REPLAYS = ("kernel", "batch")


def run(*command, limit=60, **kwargs):
    begin = time.time()
    done = subprocess.run(["timeout", "-s", "KILL", str(limit), *map(str, command)], capture_output=True, text=True, **kwargs)
    return done, time.time() - begin


def told(name, done, seconds):
    print(f"{name}: exit {done.returncode}, {seconds:.2f} s; {' | '.join(done.stderr.strip().splitlines()[-2:])[:300]}", flush=True)


class Bench:
    def __init__(self, warplens, kernels, out):
        self.warplens, self.kernels, self.out = pathlib.Path(warplens).resolve(), pathlib.Path(kernels), pathlib.Path(out)
        self.out.mkdir(parents=True, exist_ok=True)

    def build(self, source):
        program = self.out / source.stem
        if not program.exists():
            done, _ = run(*NVCC, source, "-o", program, limit=120)
            if done.returncode:
                sys.exit(done.stderr)
        return program.resolve()

    def count(self, name, program, *flags, limit=60):
        kept = self.out / f"{name}.counts"
        done, seconds = run(self.warplens, "counters", "--keep", kept, "-f", "--json", "-o", self.out / f"{name}.json", *flags, "--", *program, limit=limit)
        told(f"warplens {name}", done, seconds)
        return kept, done, seconds

    def metrics(self, kept):
        for line in kept.read_text().splitlines():
            if '"metrics"' in line:
                return json.loads(line)["metrics"]
        return []

    def ncu(self, name, program, metrics, *flags):
        report = self.out / f"{name}.ncu.csv"
        done, seconds = run("ncu", *flags, "--metrics", ",".join(metrics), "--csv", "--page", "raw", "--print-units", "base", *program, limit=90)
        report.write_text(done.stdout)
        told(f"ncu {name} {' '.join(flags)}", done, seconds)
        return report, seconds


def counted(kept):
    metrics, out = [], []
    for line in kept.read_text().splitlines():
        row = json.loads(line)
        metrics = row.get("metrics", metrics)
        if "values" in row:
            out.append((row["kernel"], dict(zip(metrics, row["values"]))))
    return out


def ncu_rows(path):
    rows = list(csv.reader(line for line in open(path) if line.startswith('"')))
    return [dict(zip(rows[0], row)) for row in rows[2:]]


def compare(kept, report):
    ours, theirs = counted(kept), ncu_rows(report)
    tally = collections.defaultdict(lambda: [0, 0, 0])
    for (_, values), row in zip(ours, theirs):
        for metric, value in values.items():
            if value is None or row.get(metric, "") == "":
                continue
            want = float(row[metric].replace(",", ""))
            t = tally[metric]
            t[0] += 1
            t[1] += value == want
            t[2] += abs(value - want) <= 0.02 * abs(want)
    exact = {m: t for m, t in tally.items() if not any(part in m for part in TIMED)}
    for metric, (n, equal, near) in sorted(tally.items()):
        print(f"  {metric:78} equal {equal:3}/{n}  within 2 % {near:3}/{n}")
    sums = [sum(t[k] for t in exact.values()) for k in range(3)]
    print(f"{len(ours)} launches counted, {len(theirs)} by ncu; of {sums[0]} values that are functions of the program {sums[1]} equal, "
          f"{sums[2]} within 2 %")


def equal(bench):
    for name, flags in (("probe", []), ("defects", ["once"])):
        program = [bench.build(bench.kernels / f"{name}.cu"), *flags]
        kept = {replay: bench.count(f"{name}_{replay}", program, "--replay", replay)[0] for replay in REPLAYS}
        report, _ = bench.ncu(name, program, bench.metrics(kept["kernel"]), "--clock-control", "none")  # caches are emptied
        for replay in REPLAYS:
            print(f" {name} --replay {replay}")
            compare(kept[replay], report)


def noise(bench, runs=5):
    """The bytes that each launch reads from DRAM: the differences among Nsight Compute's own runs, and between these and ours."""
    metric, near, large = "dram__bytes_read.sum", collections.Counter(), 600e3
    for name, flags in (("probe", []), ("defects", ["once"])):
        program = [bench.build(bench.kernels / f"{name}.cu"), *flags]
        theirs, ours = [], []
        for k in range(runs):
            report, _ = bench.ncu(f"noise_{name}_{k}", program, [metric], "--clock-control", "none")
            theirs.append([float(row[metric].replace(",", "")) for row in ncu_rows(report)])
            kept, _, _ = bench.count(f"noise_{name}_{k}", program, "--set", "memory")
            ours.append([values[metric] for _, values in counted(kept)])
        for i, (of_ncu, of_us) in enumerate(zip(zip(*theirs), zip(*ours))):
            middle = statistics.median(of_ncu)
            size = "large" if middle > large else "small"
            near[size, "launches"] += 1
            near[size, "of ours within 2 % of ncu's median"] += abs(statistics.median(of_us) - middle) <= 0.02 * middle
            near[size, "with every run of ncu within 2 % of its median"] += all(abs(value - middle) <= 0.02 * middle for value in of_ncu)
            near[size, "of ours among ncu's runs"] += min(of_ncu) <= statistics.median(of_us) <= max(of_ncu)
            near[size, "of ours at most 12 KB from ncu's median"] += abs(statistics.median(of_us) - middle) <= 12 << 10
            print(f"  {name} {i:2}: ncu {min(of_ncu):>10.0f} to {max(of_ncu):>10.0f}, ours {min(of_us):>10.0f} to {max(of_us):>10.0f}")
    for (size, what), count in sorted(near.items()):
        print(f"{size}: {count} {what}")


def cost(bench):
    program = [bench.build(bench.kernels / "probe.cu")]
    _, bare = run(*program)
    print(f"probe bare {bare:.2f} s")
    for name in ("timing", "report", "full"):
        runs = {replay: bench.count(f"cost_{name}_{replay}", program, "--set", name, "--replay", replay) for replay in REPLAYS}
        metrics = bench.metrics(runs["kernel"][0])
        _, theirs = bench.ncu(f"cost_{name}", program, metrics, "--clock-control", "none")
        ours = ", ".join(f"--replay {replay} {seconds:.2f} s ({seconds / theirs:.2f})" for replay, (_, _, seconds) in runs.items())
        print(f"--set {name}: {ours}, ncu {theirs:.2f} s for the same {len(metrics)} metrics")


def odd(bench):
    program = [bench.build(HERE / "counters_odd.cu")]
    bare, _ = run(*program)
    _, done, _ = bench.count("odd", program, "--replay", "batch")
    print("outputs", "equal" if done.stdout == bare.stdout else f"differ: {bare.stdout!r} {done.stdout!r}")
    for line in (bench.out / "odd.counts").read_text().splitlines():
        row = json.loads(line)
        if "skipped" in row or "end" in row:
            print("  ", row.get("kernel", "end"), row.get("skipped", row))


def meant_stalls(source):
    """kernel -> (stall reason, line), from the comments "here: KERNEL" (which is its reason, too) and "here: KERNEL REASON"."""
    out = {}
    for number, line in enumerate(source.read_text().splitlines(), 1):
        if "// here: " in line:
            words = line.split("// here: ")[1].split()
            out[words[0]] = (words[-1], number)
    return out


def stalls(bench):
    named = right = kernels = 0
    for source in (HERE / "counters_stalls.cu", HERE / "counters_stalls_more.cu"):
        program = [bench.build(source)]
        bench.count(source.stem, program, "--set", "stalls")
        bench.count(f"{source.stem}_lines", program, "--lines")
        by_counter = {launch["kernel"].split("<")[0]: launch["hardware"]["stall_cycles_per_instruction"]
                      for launch in json.load(open(bench.out / f"{source.stem}.json"))["launches"] if "hardware" in launch}
        lines = json.load(open(bench.out / f"{source.stem}_lines.json")).get("sampling", {}).get("lines", [])
        for kernel, (reason, number) in meant_stalls(source).items():
            of = [line for line in lines if line["kernel"].split("<")[0] == kernel]
            sums = collections.Counter()
            for line in of:
                sums.update(line["reasons"])
            first = [name for name, _ in sums.most_common() if name not in ("selected", "not_selected")][:2]
            counter = [name for name in by_counter.get(kernel, {}) if name not in ("selected", "not selected")][:2]
            at = of[0]["line"] if of else None
            kernels += 1
            named += first[:1] == [reason]
            right += first[:1] == [reason] and at == number
            print(f"  {kernel:20} meant {reason} at {number}: sampled {first}, most at {at}; by counters {counter}; {sum(sums.values())} samples")
    print(f"{named} of {kernels} named first, {right} with their line")


LINES = {"executed": "smsp__inst_executed.sum", "threads": "smsp__thread_inst_executed_pred_on.sum",
         "global_sectors": tuple(f"l1tex__t_sectors_pipe_lsu_mem_global_op_{op}.sum" for op in ("ld", "st", "atom", "red")),
         "shared_wavefronts": tuple(f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum" for op in ("ld", "st", "atom"))}


def lines(bench):
    """Sums over lines of --instructions against counters of the same launches, one kernel a run."""
    program = [bench.build(bench.kernels / "probe.cu")]
    bench.count("sums", program)
    sums = collections.defaultdict(collections.Counter)
    for launch in json.load(open(bench.out / "sums.json"))["launches"]:
        for key, metrics in LINES.items():
            for metric in [metrics] if isinstance(metrics, str) else metrics:
                sums[launch["kernel"]][key] += launch["metrics"].get(metric, 0)
    right = collections.Counter()
    for kernel in sums:
        bench.count("instructions", program, "--instructions", "-k", kernel)
        of_lines = collections.Counter()
        for line in json.load(open(bench.out / "instructions.json"))["instructions"]["lines"]:
            of_lines.update({key: line[key] for key in LINES})
        for key in LINES:
            right[key] += of_lines[key] == sums[kernel][key]
            if of_lines[key] != sums[kernel][key]:
                print(f"  {kernel} {key}: {of_lines[key]} by lines, {sums[kernel][key]} counted")
    print(f"of {len(sums)} kernels equal:", dict(right))


def phases(bench):
    bench.count("phases", [bench.build(HERE / "counters_phases.cu")], "--over-time", "--interval", "100us")
    for launch in json.load(open(bench.out / "phases.json"))["over_time"]:
        print(" ", launch["kernel"], launch["duration_ns"], "ns")
        for metric, shares in launch["shares"].items():
            tenths = [shares[k * len(shares) // 10:(k + 1) * len(shares) // 10] for k in range(10)]
            print(f"    {metric:76} {' '.join(f'{sum(part) / max(1, len(part)):.2f}' for part in tenths)}")


def torch(bench):
    program = ["python3", HERE / "counters_net.py"]
    bare, seconds = run(*program, limit=90)
    print(f"bare {seconds:.1f} s: {bare.stdout.strip()}")
    _, done, _ = bench.count("torch", program, "--nvtx", "step 1", "--replay", "batch", limit=90)
    print(done.stdout.strip(), "results", "equal" if done.stdout.split()[:4] == bare.stdout.split()[:4] else "differ")
    launches = json.load(open(bench.out / "torch.json"))["launches"]
    print(len(launches), "launches", sum("skipped" in launch for launch in launches), "skipped")


def main(warplens, kernels, out, *parts):
    print(subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], capture_output=True, text=True).stdout.strip())
    bench = Bench(warplens, kernels, out)
    every = {"equal": equal, "noise": noise, "cost": cost, "odd": odd, "stalls": stalls, "lines": lines, "phases": phases, "torch": torch}
    for name in parts or every:
        print(f"== {name} [{time.strftime('%T')}]", flush=True)
        try:
            every[name](bench)
        except Exception as error:  # one part says nothing of the others
            print(f"{name} failed: {error!r}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
