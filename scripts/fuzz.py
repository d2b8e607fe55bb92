#!/usr/bin/env python3
"""Builds the fuzzers with clang and runs them, from fuzz/corpus, the seeds of the bundled data, and what earlier runs found.

    scripts/fuzz.py                            each target for 20 s
    scripts/fuzz.py --seconds 300 isa_ptx_fuzz  one for five minutes
    scripts/fuzz.py --goal 10000000            a turn each, then what is nearest to 10^7 inputs; earlier runs count
    scripts/fuzz.py --report                   docs/results/fuzzing.md from fuzz/executions.csv

Each run adds to fuzz/executions.csv. Inputs that libFuzzer runs only to load its corpus are not counted.
"""
import argparse
import collections
import concurrent.futures
import csv
import dataclasses
import datetime
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = ROOT / "build-fuzz"
LEDGER = ROOT / "fuzz" / "executions.csv"
REPORT = ROOT / "docs" / "results" / "fuzzing.md"
BUILT = BUILD / "built_from"  # the commit that was built last
GOAL = 10_000_000
# `seconds` are of the clock; `processor_s` of the processor, where they were kept.
COLUMNS = ["target", "executions", "seconds", "processor_s", "edges", "date", "commit", "found"]
# The most bytes of an input, turn by turn, and at least those of the smallest seed: small inputs run often, and most faults of a
# parser need few bytes. The last turn is the thorough one.
LENGTHS = [256, 1 << 10, 256, 64 << 10]
# Each byte of such an input becomes a call and a kernel.
SHORT = {"trace_readers_removed_fuzz": 48}
INTERRUPTED = 72  # libFuzzer's exit code when somebody ended it
KEPT_BYTES = 2048  # of an input that fuzz/corpus takes, at most
# Stacks of allocations are not kept, and freed memory goes back soon: both cost more than the parsers. Long turns also look for
# leaks, and for uses of a function's variables after its return. Every second turn sees what is compared (fuzz/comparisons.cpp).
ASAN = "malloc_context_size=0:quarantine_size_mb=2:detect_stack_use_after_return={}:allocator_may_return_null=1"


@dataclasses.dataclass
class Run:
    """One process of a target: what it ran, reached and found."""
    target: str
    executions: int
    seconds: float
    processor_s: float
    edges: int
    found: str
    log: pathlib.Path  # kept if it found something

    @property
    def rate(self):
        return self.executions / max(self.processor_s, 1e-9)


def targets():
    return sorted(path.stem for path in (ROOT / "fuzz").glob("*_fuzz.cpp"))


def newest_clang():
    """The newest clang there is, from 15 on: older ones lack _Float16."""
    for name in ["clang++", *(f"clang++-{version}" for version in range(22, 14, -1))]:
        if shutil.which(name):
            version = subprocess.run([name, "-dumpversion"], capture_output=True, text=True).stdout.split(".")[0]
            if version.isdigit() and int(version) >= 15:
                return name
    sudo = [] if os.geteuid() == 0 else ["sudo"]
    subprocess.run([*sudo, "apt-get", "update", "-qq"], check=True)
    subprocess.run([*sudo, "apt-get", "install", "-y", "-qq", "--no-install-recommends", "clang-16", "libclang-rt-16-dev"], check=True,
                   stdout=subprocess.DEVNULL)
    return "clang++-16"


def build(names):
    compiler = newest_clang()
    subprocess.run(["cmake", "--preset", "fuzz", "-DWARPLENS_TESTS=OFF", f"-DCMAKE_CXX_COMPILER={compiler}",
                    f"-DCMAKE_C_COMPILER={compiler.replace('++', '')}"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    built = commit()
    subprocess.run(["cmake", "--build", BUILD, "--target", *names], check=True)
    BUILT.write_text(built)
    program = ROOT / "build" / "warplens"
    subprocess.run([sys.executable, ROOT / "scripts" / "fuzz_seeds.py", BUILD / "seeds", *([program] if program.exists() else [])], check=True)


def commit():
    """What the sources are; with a plus where they differ from the commit."""
    name = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    same = subprocess.run(["git", "diff", "--quiet", "HEAD", "--", "src", "fuzz/*.cpp", "fuzz/*.h"], cwd=ROOT).returncode == 0
    return name if same else name + "+"


def ledger():
    if not LEDGER.exists():
        return []
    with LEDGER.open(newline="") as file:
        return list(csv.DictReader(file))


def totals(rows):
    out = dict.fromkeys(targets(), 0)
    for row in rows:
        out[row["target"]] = out.get(row["target"], 0) + int(row["executions"])
    return out


def enter(run, built):
    """Adds a run to the ledger: one row for a target, a day and a commit."""
    rows, day = ledger(), datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    row = next((r for r in rows if (r["target"], r["date"], r["commit"]) == (run.target, day, built)), None)
    if row is None:
        row = {"target": run.target, "executions": 0, "seconds": 0, "processor_s": 0, "edges": 0, "date": day, "commit": built, "found": ""}
        rows.append(row)
    row["executions"] = int(row["executions"]) + run.executions
    row["seconds"] = round(float(row["seconds"]) + run.seconds)
    row["processor_s"] = round(float(row["processor_s"] or 0) + run.processor_s)
    row["edges"] = max(int(row["edges"]), run.edges)
    row["found"] = " ".join(filter(None, [row["found"], run.found]))
    rows.sort(key=lambda r: (r["target"], r["date"]))
    with LEDGER.with_suffix(".new").open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    LEDGER.with_suffix(".new").rename(LEDGER)


def folders(name):
    """The working corpus, which a run adds to, and those that it begins with."""
    out = [BUILD / "corpus" / name, BUILD / "seeds" / name, ROOT / "fuzz" / "corpus" / name]
    for folder in out:
        folder.mkdir(parents=True, exist_ok=True)
    return out


def most_bytes(name, turn):
    """Of an input. Smaller ones than the smallest seed would rarely be read at all."""
    if name in SHORT and not is_thorough(turn):
        return SHORT[name]
    seeds = [path.stat().st_size for path in folders(name)[1].iterdir()]
    return min(max(LENGTHS[turn % len(LENGTHS)], min(seeds, default=0) * 5 // 4), max(LENGTHS))


def is_thorough(turn):
    return turn % len(LENGTHS) == len(LENGTHS) - 1


def parsed(name, log, seconds, processor_s, code):
    """What a log of libFuzzer says. `INITED` ends the loading of the corpus."""
    text = log.read_text(errors="replace")
    loaded = [int(n) for n in re.findall(r"^#(\d+)\tINITED", text, re.M)]
    done = [int(n) for n in re.findall(r"^#(\d+)\t", text, re.M)] + [int(n) for n in re.findall(r"number_of_executed_units: (\d+)", text)]
    edges = [int(n) for n in re.findall(r"\bcov: (\d+)", text)]
    made = re.findall(r"Test unit written to (\S+)", text)
    found = pathlib.Path(made[-1]).name.removeprefix(name + "-") if made else "failed" if code not in (0, INTERRUPTED) else ""
    executions = max(done, default=0) - max(loaded, default=0) if loaded else 0
    return Run(name, executions, seconds, processor_s, max(edges, default=0), found, log)


def run(name, seconds, turn, most):
    thorough = is_thorough(turn)
    # Entropic schedules, libFuzzer's default, take longer than the parsers do.
    command = [BUILD / name, f"-max_total_time={seconds}", f"-runs={most}", "-timeout=20", "-rss_limit_mb=4096", f"-max_len={most_bytes(name, turn)}", "-entropic=0",
               "-close_fd_mask=3", "-print_final_stats=1", f"-detect_leaks={int(thorough)}", f"-artifact_prefix={BUILD / name}-", *folders(name)]
    log, begin = BUILD / f"{name}-{turn}.log", time.monotonic()
    environment = {**os.environ, "WARPLENS_THREADS": "1", "ASAN_OPTIONS": ASAN.format(int(thorough)), "FUZZ_COMPARISONS": str(int(turn % 2))}
    # What the target itself prints is of no interest.
    with log.open("wb") as file:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=file, env=environment)
        _, code, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(code)
    result = parsed(name, log, time.monotonic() - begin, used.ru_utime + used.ru_stime, process.returncode)
    if not result.found:
        log.unlink()
    return result


def shown(result):
    print(f"{result.target}: {result.executions:,} in {result.seconds:.0f} s ({result.processor_s:.0f} s of processor), {result.rate:,.0f}/s, {result.edges:,} edges"
          + (f"; FOUND {result.found}, see {BUILD.name}/{result.log.name}" if result.found else ""), flush=True)


def keep(name):
    """Small inputs that reach code which fuzz/corpus does not go there."""
    working, _, kept = folders(name)
    subprocess.run([BUILD / name, "-set_cover_merge=1", "-use_counters=0", f"-max_len={KEPT_BYTES}", "-close_fd_mask=1", kept, working], stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


def campaign(names, options, built):
    """A turn for each target, those with the fewest executions first; to a goal, then those that reach it soonest. With more jobs
    than targets, several jobs run the same target. Gives the names of those that failed."""
    end = time.monotonic() + options.minutes * 60
    failed, turns, finds, busy, rates = set(), dict.fromkeys(names, 0), dict.fromkeys(names, 0), collections.Counter(), {}

    def next_target():
        sums = totals(ledger())
        open_ones = [n for n in names if n not in failed and (sums[n] < options.goal if options.goal else turns[n] == 0)]
        order = {n: (turns[n] > 0, busy[n], (options.goal - sums[n]) / max(rates[n], 1e-9) if n in rates else sums[n]) for n in open_ones}
        return min(open_ones, key=order.get) if open_ones else None

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        running = {}
        while True:
            while len(running) < options.jobs and time.monotonic() < end and (name := next_target()):
                most = max(options.goal - totals(ledger())[name], 1) * 2 if options.goal else -1
                busy[name] += 1
                running[pool.submit(run, name, options.seconds, turns[name], most)] = name
                turns[name] += 1
            if not running:
                return failed
            done, _ = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in done:
                name = running.pop(future)
                busy[name] -= 1
                result = future.result()
                rates[name] = result.rate
                shown(result)
                enter(result, built)
                if result.found:
                    finds[name] += 1
                    failed.update({name} if finds[name] >= options.finds else ())
                elif options.keep:
                    keep(name)


def report():
    rows = ledger()
    lines = ["# Fuzzing\n", "Each target of `fuzz/` runs a parser of warplens under AddressSanitizer and UndefinedBehaviorSanitizer, at `-O2`.",
             f"The aim is {GOAL:,} inputs for each. `make fuzz-campaign` adds runs to `fuzz/executions.csv`; `scripts/fuzz.py --report`",
             "writes this page from it. `fuzz/corpus` keeps small inputs that reach new code, and `make test` runs them again.\n",
             "Inputs: those that libFuzzer made and ran, without those that it ran to load its corpus. Edges: the most that one run",
             "reached. Found: crashes, hangs and false answers, by the names of their inputs; each is fixed and has a test. Processor time, and inputs",
             "a second of it, are those of the runs that kept it. Turns take inputs of at most 256 bytes, 1 KiB, 256 bytes again and 64 KiB, or",
             "as many as the smallest seed has.\n",
             "| target | inputs | of the aim | processor time | inputs a second | edges | last run | found |", "| --- | ---: | ---: | ---: | ---: | ---: | --- | --- |"]
    sums = totals(rows)
    for name, executions in sums.items():
        own = [row for row in rows if row["target"] == name]
        timed = [row for row in own if float(row["processor_s"] or 0)]
        seconds = sum(float(row["processor_s"]) for row in timed)
        rate = f"{sum(int(row['executions']) for row in timed) / seconds:,.0f}" if seconds else "not known"
        found = " ".join(row["found"] for row in own if row["found"]) or ("nothing" if own else "not run yet")
        share = f"{min(executions / GOAL, 1):.0%}" if executions >= GOAL else f"{executions / GOAL:.1%}"
        lines.append(f"| `{name}` | {executions:,} | {share} | {f'{seconds / 60:,.1f} min' if seconds else 'not known'} | {rate} | "
                     f"{max((int(row['edges']) for row in own), default=0):,} | {max((row['date'] for row in own), default='never')} | {found} |")
    reached = sum(executions >= GOAL for executions in sums.values())
    lines.append(f"\n{reached} of {len(sums)} targets have reached the aim; {sum(sums.values()):,} inputs in all.")
    REPORT.write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="targets; all unless named")
    parser.add_argument("--seconds", type=int, default=20, help="of a turn (default: %(default)s)")
    parser.add_argument("--goal", type=int, default=0, help="inputs a target, with those of earlier runs; targets take turns until then")
    parser.add_argument("--minutes", type=float, default=1e6, help="start no turn after so long")
    parser.add_argument("--jobs", type=int, default=1, help="targets at a time (default: %(default)s)")
    parser.add_argument("--finds", type=int, default=1, help="a target ends after so many finds (default: %(default)s)")
    parser.add_argument("--keep", action="store_true", help="put small inputs that reach new code into fuzz/corpus")
    parser.add_argument("--no-build", action="store_true", help=f"run what {BUILD.name} holds")
    parser.add_argument("--report", action="store_true", help="only write the page")
    options = parser.parse_args()
    if options.report:
        return report()
    names = options.names or targets()
    if unknown := set(names) - set(targets()):
        parser.error(f"no such target: {', '.join(sorted(unknown))}; fuzz/ has {', '.join(targets())}")
    if not options.no_build:
        build(names)
    failed = campaign(names, options, BUILT.read_text().strip() if BUILT.exists() else "unknown")
    report()
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
