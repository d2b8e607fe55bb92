"""`ranks` on jobs of eight, made from one recorded rank: who comes late is known, clocks are shifted, a fifth of the
collectives is missing. Argument: the program."""
import copy
import gzip
import json
import pathlib
import random
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
RECORDED = HERE / "data/defects/allreduce_after_backward.bad.rank0.pt.trace.json.gz"
RANKS = 8
EVERY = 6  # one in so many collectives is entered late by one rank
LATE_US = 400.0
CLOCKS_US = [0, 3e3, -5e4, 2e6, 1e5, -7e5, 33, 4e4]
NEAR_US = 60  # how well a clock is put right


def recorded():
    """The recorded rank: devices and calls are enough to show who waits."""
    trace = json.loads(gzip.decompress(RECORDED.read_bytes()))
    events = [e for e in trace["traceEvents"] if e.get("ph") == "X" and e.get("cat") in ("kernel", "cuda_runtime")]
    events.sort(key=lambda e: e["ts"])
    trace["traceEvents"] = events
    return trace


def is_collective(event):
    return event["cat"] == "kernel" and "nccl" in event["name"]


def rank_of(trace, rank, late_rank, clocks, drop, seed):
    """`rank` of a job in which late_rank(i) enters collective i late where i is a multiple of EVERY."""
    out = copy.deepcopy(trace)
    chance = random.Random(seed + rank)
    later, index, kept = 0.0, 0, []
    for event in out["traceEvents"]:
        event["ts"] += later + clocks[rank]
        if is_collective(event):
            if index % EVERY == 0:
                event["ts" if late_rank(index // EVERY) == rank else "dur"] += LATE_US
                later += LATE_US
            index += 1
            if chance.random() < drop:
                continue
        kept.append(event)
    out["traceEvents"] = kept
    out["distributedInfo"].update(rank=rank, world_size=RANKS)
    for group in out["distributedInfo"]["pg_config"]:
        group.update(pg_size=RANKS, ranks=list(range(RANKS)))
    return out


def job(trace, late_rank, clocks=(0,) * RANKS, drop=0.0, seed=1):
    return [rank_of(trace, rank, late_rank, clocks, drop, seed) for rank in range(RANKS)]


def ranks(program, traces, *flags):
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for i, trace in enumerate(traces):
            files.append(str(pathlib.Path(folder) / f"{i}.json"))
            pathlib.Path(files[-1]).write_text(json.dumps(trace), encoding="utf-8")
        return subprocess.run([program, "ranks", *flags, *files], capture_output=True, text=True, check=False)


def check_straggler(program, traces, clocks, what):
    done = ranks(program, traces, "--json")
    assert done.returncode == 0, (what, done.stderr)
    rows = json.loads(done.stdout)["ranks"]
    worst = max(rows, key=lambda row: row["caused_waiting_ns"])
    assert worst["rank"] == 5, (what, worst)
    for row, clock in zip(rows, clocks):
        assert row["clock_sure"] == "yes", (what, row)
        assert abs(row["clock_shift_ns"] / 1e3 + clock) < NEAR_US, (what, row, clock)


def main():
    program = sys.argv[1]
    trace = recorded()
    always = job(trace, lambda i: 5)
    check_straggler(program, always, [0] * RANKS, "as made")
    check_straggler(program, job(trace, lambda i: 5, CLOCKS_US, 0.2), CLOCKS_US, "clocks shifted, a fifth dropped")

    unnamed = copy.deepcopy(always)
    for one in unnamed:
        del one["distributedInfo"]
    check_straggler(program, unnamed, [0] * RANKS, "without distributedInfo")

    in_turn = ranks(program, job(trace, lambda i: i % RANKS))
    assert "no rank stands out" in in_turn.stdout, in_turn.stdout[:400]

    for one in unnamed:
        one["distributedInfo"] = {"rank": 0, "world_size": RANKS}
    same = ranks(program, unnamed)
    assert same.returncode == 1 and "are both rank 0" in same.stderr, same.stderr
    print("ok")


if __name__ == "__main__":
    main()
