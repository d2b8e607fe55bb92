#!/usr/bin/env python3
"""Metrics listed and passes planned by CUPTI itself, for chips that are not here. Skipped where CUPTI is not, or needs a driver."""
import csv
import io
import subprocess
import sys

PROGRAM = sys.argv[1]


def run(*arguments):
    return subprocess.run([PROGRAM, "counters", *arguments], capture_output=True, text=True, timeout=120)


def passes(text):
    words = text.split()
    return int(words[words.index("metrics") + 2])


def main():
    listed = run("--list-metrics", "h200", "--format", "csv")
    if listed.returncode == 1 and ("CUPTI was not found" in listed.stderr or "only where there is a driver" in listed.stderr):
        print(listed.stderr)
        return 77
    assert listed.returncode == 0, listed.stderr
    metrics = {row["metric"]: row for row in csv.DictReader(io.StringIO(listed.stdout))}
    assert len(metrics) > 2000, len(metrics)
    assert metrics["smsp__inst_executed"]["unit"] == "instruction" and metrics["smsp__inst_executed"]["type"] == "counter"
    assert metrics["sm__throughput"]["type"] == "throughput" and metrics["l1tex__t_sector_hit_rate"]["type"] == "ratio"

    counted = {}
    for name in ("timing", "memory", "roofline", "stalls", "report", "full"):
        plan = run("--plan", "GH100", "--set", name, "--format", "csv")
        assert plan.returncode == 0 and "does not have" not in plan.stderr, (name, plan.stderr)
        counted[name] = (len(plan.stdout.splitlines()) - 1, passes(plan.stderr))
    print(counted)
    assert counted["timing"][1] == 1 and counted["report"][0] > 50 and counted["full"][0] > counted["report"][0]
    # All at once, metrics share passes; one by one each would take its own.
    assert counted["report"][1] <= 9 and counted["full"][1] <= 16, counted

    lacking = run("--plan", "a100", "--set", "roofline", "--metric", "sm__nothing.sum")
    assert lacking.returncode == 0 and "GA100 does not have sm__nothing.sum" in lacking.stderr, lacking.stderr
    assert run("--plan", "voodoo").returncode == 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
