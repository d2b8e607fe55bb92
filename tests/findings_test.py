"""Findings on recorded programs: each defect is found first or second, gone once fixed, and its saving comes near the
measured one. Traces without a defect stay silent. Argument: the program."""
import glob
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SHARED = HERE.parent.parent / "shared/data"
MEAN_ERROR = 0.15  # of the saved fraction

# The findings that each trace must have, and must not have. Patterns are files below tests/data/traces.
SAYS = {
    "square": ["pow-for-square"],
    "cuda_graph": ["fp32-gemm"],  # from its kernels' names: a graph's launch has no operators
    "square_h2d": ["pageable-copy", "input-bound"],
    "tiny_ops": ["launch-bound", "fusable-chain"],
    "attention": ["naive-attention"],
    "gpt2_train": ["unaligned-gemm", "repeated-cast"],
    "gpt2_train_stack": ["unaligned-gemm", "repeated-cast"],
    "llama_decode": ["host-sync", "launch-bound"],
}
SILENT = {
    "gpt2_compiled": ["launch-bound", "fusable-chain", "unfused-optimizer", "naive-attention"],
    "cuda_graph": ["launch-bound", "fusable-chain", "host-sync", "input-bound"],
    "gpt2_train": ["launch-bound", "pageable-copy", "input-bound", "naive-attention", "allocator-churn"],
    "square": ["launch-bound", "host-sync", "fusable-chain", "exposed-copy"],
    "streams": ["launch-bound", "exposed-copy", "pageable-copy"],
}


def findings(program, *files):
    done = subprocess.run([program, "findings", "--json", *map(str, files)], check=True, capture_output=True, text=True)
    report = json.loads(done.stdout)
    assert report["schema_version"] == 1
    return report["findings"]


def check_words(program):
    for name in sorted(SAYS.keys() | SILENT.keys()):
        ids = [f["id"] for f in findings(program, HERE / f"data/traces/{name}.pt.trace.json.gz")]
        assert len(ids) == len(set(ids)), (name, ids)
        for wanted in SAYS.get(name, []):
            assert wanted in ids, f"{name}: {wanted} missing among {ids}"
        for unwanted in SILENT.get(name, []):
            assert unwanted not in ids, f"{name}: {unwanted} should not be said"
    vocabulary = next(f for f in findings(program, HERE / "data/traces/gpt2_train.pt.trace.json.gz") if f["id"] == "unaligned-gemm")
    assert vocabulary["evidence"]["dimension"] == 50257 and vocabulary["evidence"]["next_good"] == 50304, vocabulary
    chain = next(f for f in findings(program, HERE / "data/traces/tiny_ops.pt.trace.json.gz") if f["id"] == "fusable-chain")
    assert chain["evidence"]["chains_per_step"] == 200 and chain["saving_fraction"] > 0.3, chain


def check_shape(program):
    for finding in findings(program, HERE / "data/traces/tiny_ops.pt.trace.json.gz"):
        assert finding["severity"] in ("info", "warn", "critical")
        assert all(finding[key] for key in ("id", "title", "advice")), finding
        assert (finding["saving_ns"] is None) == (finding["saving_fraction"] is None)
        assert finding["saving_fraction"] is None or 0 <= finding["saving_fraction"] <= 1


def check_pairs(program, folder):
    done = subprocess.run([sys.executable, HERE.parent / "benchmarks/savings.py", program, folder], capture_output=True, text=True)
    print(done.stdout)
    assert done.returncode == 0, done.stderr
    mean = float(done.stdout.split("mean absolute error ")[1].split(";")[0])
    assert mean <= MEAN_ERROR, mean


def check_ranks(program):
    files = sorted((HERE / "data/rules").glob("ddp_straggler.rank*"))
    assert len(files) == 2, files
    straggler = findings(program, *files)[0]  # a rank that sleeps 30 ms a step
    assert straggler["id"] == "straggler" and straggler["evidence"]["rank"] == 1, straggler
    assert 27e6 < straggler["saving_ns"] < 33e6, straggler
    even = [f["id"] for f in findings(program, *sorted((HERE / "data/rules").glob("ddp.rank*")))]
    assert "straggler" not in even, even


def check_peak(program):
    """The peak is torch.cuda.max_memory_allocated() of the same steps, and its owners are the loss's."""
    facts = json.loads((HERE / "data/rules/peak_of_training.facts.json").read_text())
    peak = next(f for f in findings(program, HERE / "data/rules/peak_of_training.pt.trace.json.zst") if f["id"] == "peak-memory")
    assert peak["evidence"]["peak_bytes"] == facts["peak_allocated_bytes"], peak
    assert "aten::_log_softmax in Model_0 at record_rules.py(" in peak["where"][0], peak
    done = subprocess.run([program, "summary", "--json", HERE / "data/rules/peak_of_training.pt.trace.json.zst"], check=True, capture_output=True, text=True)
    owners = json.loads(done.stdout)["memory_at_peak"]
    assert owners[0]["operator"] == "aten::_log_softmax" and owners[0]["blocks"] == 1, owners
    assert 0 <= owners[0]["bytes"] - 8 * 512 * 50304 * 2 < 2 << 20, owners  # the allocator rounds to 2 MB


def check_exit_codes(program):
    trace = HERE / "data/traces/tiny_ops.pt.trace.json.gz"
    quiet = HERE / "data/traces/streams.pt.trace.json.gz"
    run = lambda *args: subprocess.run([program, "findings", *map(str, args)], capture_output=True).returncode
    assert run(trace, "--fail-on", "critical") == 3
    assert run(quiet, "--fail-on", "critical") == 0
    assert run(trace, "--fail-on", "terrible") == 2
    assert run(HERE / "no such file") == 1


def check_streams(program):
    """A kernel that runs on two streams side by side takes no more than the whole time."""
    launches = [{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 1000 * step + 10 * stream, "dur": 5,
                 "args": {"correlation": 10 * step + stream}} for step in range(5) for stream in (7, 8)]
    kernels = [{"ph": "X", "cat": "kernel", "name": "mystery(float*)", "pid": 0, "tid": call["args"]["correlation"] % 10,
                "ts": 1000 * (call["args"]["correlation"] // 10) + 100, "dur": 900,
                "args": {"device": 0, "stream": call["args"]["correlation"] % 10, "correlation": call["args"]["correlation"],
                         "grid": [1, 1, 1], "block": [32, 1, 1]}} for call in launches]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "streams.json"
        path.write_text(json.dumps({"traceEvents": launches + kernels}))
        hot = next(f for f in findings(program, path) if f["id"] == "hot-kernel")
    assert 0.8 < hot["evidence"]["concerned_fraction"] <= 1, hot


def main(program):
    check_words(program)
    check_shape(program)
    check_ranks(program)
    check_peak(program)
    check_streams(program)
    check_exit_codes(program)
    check_pairs(program, str(HERE / "data/defects"))
    shared = SHARED / "defects"
    if glob.glob(str(shared / "*.truth.json")):
        check_pairs(program, str(shared))
    else:
        print(f"skipped: no recorded pairs in {shared}")


if __name__ == "__main__":
    main(*sys.argv[1:])
