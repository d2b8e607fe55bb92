#!/usr/bin/env python3
"""PyTorch's operators on emulated GPUs against the CPU: every entry of OpInfo, its samples, forward and backward.

  python3 benchmarks/opinfo.py run build/warplens --devices h200,a100 --slice 1/20 -o build/opinfo.jsonl
  python3 benchmarks/opinfo.py table build/opinfo.jsonl > build/opinfo.md

Values may differ by what PyTorch's own test of CPU against CUDA allows (1e-3, absolute and relative; bf16: 1.6e-2; integers:
nothing; bf16 results may also be those of float32, rounded; indices may name any of equal elements). Operators whose values are random on the CPU are compared in shape and type. A run that is repeated with the same
output continues where it ended. It needs torch, numpy and expecttest.
"""
import argparse
import collections
import json
import os
import re
import signal
import subprocess
import sys
import tempfile

KINDS = ("float32", "bfloat16", "int64", "complex64")
OUTCOMES = ("equal", "random", "wrong", "refused", "failed", "stopped", "none")
AT_ONCE = 60    # cases of one process: what is stopped loses no more
UNWRITTEN = ("empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided")  # compared in shape and type alone
TIES = ("argsort", "kthvalue", "median", "mode", "msort", "nanmedian", "sort", "topk")  # which of equal elements they name is open
SECONDS = 60    # of processor time, for one operator and type
WALL_SECONDS = 20 * SECONDS  # what waits for ever ends, too


def tolerance(dtype):
    import torch

    if dtype == torch.bfloat16:
        return {"atol": 1.6e-2, "rtol": 1.6e-2}
    return {"atol": 1e-3, "rtol": 1e-3} if dtype.is_floating_point or dtype.is_complex else {"atol": 0, "rtol": 0}


def operators():
    from torch.testing._internal.common_methods_invocations import op_db

    return sorted(op_db, key=lambda op: op.formatted_name)


def copied(tensor, device):
    """With all of its storage: some samples are views of a part, from which operators go beyond it."""
    import torch

    if tensor.layout != torch.strided or tensor.is_quantized:
        return tensor.to(device, copy=True)
    storage = tensor.untyped_storage()
    if storage.nbytes() <= tensor.numel() * tensor.itemsize and tensor.is_contiguous():
        return tensor.to(device, copy=True)
    whole = torch.empty(0, dtype=tensor.dtype).set_(storage).to(device, copy=True)
    return whole.as_strided(tensor.size(), tensor.stride(), tensor.storage_offset())


def moved(value, device):
    import torch

    if isinstance(value, torch.Tensor):
        return copied(value.detach(), device).requires_grad_(value.requires_grad)
    if isinstance(value, (list, tuple)):
        kind = type(value)
        return kind(moved(v, device) for v in value) if kind in (list, tuple) else value
    return torch.device("cuda") if device == "cuda" and value == torch.device("cpu") and isinstance(value, torch.device) else value


def tensors(value):
    import torch

    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [t for v in value for t in tensors(v)]
    return [torch.as_tensor(value)] if isinstance(value, (bool, int, float, complex)) else []


def call(op, sample, device, backward):
    """Results, then gradients of inputs that require them."""
    import torch

    torch.manual_seed(7)
    given, arguments = moved(sample.input, device), moved(sample.args, "cpu" if op.name == "tensor_split" else device)  # which wants its places there
    named = {key: moved(value, device) for key, value in sample.kwargs.items()}
    if named.get("device") == "cpu":
        named["device"] = device
    out = tensors(sample.output_process_fn_grad(op(given, *arguments, **named)))
    if not backward:
        return [t.detach().cpu() for t in out]
    leaves = [t for t in tensors([given, list(arguments), list(named.values())]) if t.requires_grad]
    sums = [t.abs().double().sum() for t in out if t.requires_grad]
    if not leaves or not sums:
        return []
    gradients = torch.autograd.grad(sum(sums), leaves, allow_unused=True)
    return [g.detach().cpu() for g in gradients if g is not None]


def same(want, got):
    import torch

    if len(want) != len(got):
        return f"{len(got)} results instead of {len(want)}"
    for a, b in zip(want, got):
        if a.shape != b.shape or a.dtype != b.dtype:
            return f"{tuple(b.shape)} {b.dtype} instead of {tuple(a.shape)} {a.dtype}"
        if a.layout != torch.strided:
            a, b = a.to_dense(), b.to_dense()
        try:
            torch.testing.assert_close(b, a, equal_nan=True, **tolerance(a.dtype))
        except AssertionError as error:
            return " ".join(str(error).split())[:200]
    return ""


def is_random(op, sample):
    """By other seeds, also where the operator's entry sets one itself."""
    import torch

    first, seeded = call(op, sample, "cpu", False), torch.manual_seed
    try:
        for more in range(1, 9):
            torch.manual_seed = lambda seed: seeded(seed + more)
            if same(first, call(op, sample, "cpu", False)):
                return True
    finally:
        torch.manual_seed = seeded
    return False


def in_single(value):
    """The same values in float32, in which a GPU adds up what it rounds to bfloat16 in the end."""
    import torch

    if isinstance(value, torch.Tensor):
        return value.float() if value.dtype == torch.bfloat16 else value
    return type(value)(in_single(v) for v in value) if type(value) in (list, tuple) else torch.float32 if value is torch.bfloat16 else value


def same_as_single(op, sample, got, dtype):
    """True if bfloat16 results equal rounded float32 results: the CPU rounds between steps, too."""
    import torch

    if dtype != torch.bfloat16:
        return False
    sample = type(sample)(in_single(sample.input), args=in_single(sample.args), kwargs={k: in_single(v) for k, v in sample.kwargs.items()},
                          output_process_fn_grad=sample.output_process_fn_grad)
    want = [w.to(g.dtype) if w.dtype == torch.float32 else w for w, g in zip(call(op, sample, "cpu", False), got)]
    return not same(want, got)


def names_equal_elements(op, sample, want, got):
    """Whether results differ in indices alone, and these name equal elements along one dimension, each once."""
    import torch

    if op.name not in TIES or not isinstance(sample.input, torch.Tensor):
        return False
    x = sample.input
    for a, b in zip(want, got):
        if torch.equal(a, b) or (a.is_floating_point() and not same([a], [b])):
            continue
        if a.dtype != torch.int64 or a.shape != b.shape:
            return False

        def names_same(dim):
            wide = (a, b) if a.dim() == x.dim() else (a.unsqueeze(dim), b.unsqueeze(dim))
            fits = all(t.dim() == x.dim() and (t < x.shape[dim]).all() and (t >= 0).all() for t in wide)
            fits = fits and all(d == dim or n == x.shape[d] for d, n in enumerate(wide[0].shape))
            return fits and torch.equal(*(torch.take_along_dim(x, t, dim) for t in wide)) and not (wide[1].sort(dim).values.diff(dim=dim) == 0).any()
        if x.dim() == 0 or not any(names_same(dim) for dim in range(x.dim())):
            return False
    return True


def judged(op, dtype, backward, samples):
    """Outcome and cause of one operator, over its samples."""
    ran = 0
    for sample in list(op.sample_inputs("cpu", dtype, requires_grad=backward))[:samples]:
        try:
            want = call(op, sample, "cpu", backward)
        except Exception:  # noqa: BLE001: what the CPU does not do cannot be compared
            continue
        try:
            got = call(op, sample, "cuda", backward)
        except NotImplementedError as error:  # of PyTorch's dispatcher: nothing of ours was asked
            return "none", f"PyTorch has no CUDA code for it: {' '.join(str(error).split())[:80]}"
        except Exception as error:  # noqa: BLE001
            text = " ".join(str(error).split())[:200]
            return ("refused" if "NOT_SUPPORTED" in text or "not supported" in text.lower() else "failed"), f"{type(error).__name__}: {text}"
        ran += 1
        different = same(want, got)
        if different and not backward and (same_as_single(op, sample, got, dtype) or names_equal_elements(op, sample, want, got)):
            continue
        if different:
            alike = len(want) == len(got) and all(a.shape == b.shape and a.dtype == b.dtype for a, b in zip(want, got))
            unwritten = alike and op.name in UNWRITTEN
            return ("random", "") if unwritten or is_random(op, sample) else ("wrong", different)
    return ("equal", "") if ran else ("none", "no sample that the CPU runs")


def inside(todo, output, samples):
    """In the emulated process: one line before each operator, one behind it."""
    import torch

    torch.backends.cudnn.allow_tf32 = False  # the CPU has none; later PyTorch's tests forbid to set it
    by_name = {op.formatted_name: op for op in operators()}
    torch.cuda.init()
    with open(output, "a") as file:
        for name, kind, backward in todo:
            op, dtype = by_name[name], getattr(torch, kind)
            print(json.dumps({"begins": [name, kind, backward]}), file=file, flush=True)
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            signal.alarm(WALL_SECONDS)
            outcome, cause = judged(op, dtype, backward, samples)
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.alarm(0)
            print(json.dumps({"done": [name, kind, backward], "outcome": outcome, "cause": cause}), file=file, flush=True)
            try:
                torch.cuda.synchronize()
            except Exception:  # noqa: BLE001: the process can do no more
                os._exit(3)


def work(selected):
    import torch

    out = []
    for op in selected:
        for kind in KINDS:
            dtype = getattr(torch, kind)
            if dtype in op.supported_dtypes("cpu") and dtype in op.supported_dtypes("cuda"):
                out.append((op.formatted_name, kind, False))
                if kind == "float32" and op.supports_autograd:
                    out.append((op.formatted_name, kind, True))
    return out


def lines(path):
    if not os.path.exists(path):
        return []
    with open(path) as file:
        return [json.loads(line) for line in file]


def run(given):
    part, parts = map(int, given.slice.split("/"))
    selected = operators()[part - 1::parts]
    if given.operators:
        selected = [op for op in operators() if op.formatted_name in given.operators.split(",")]
    everything = [case for case in work(selected) if case[1] in given.kinds.split(",") and not (given.forward and case[2])]
    for device in given.devices.split(","):
        have = {tuple(row["case"]) for row in lines(given.output) if row["device"] == device}
        todo = [case for case in everything if case not in have]
        while todo:
            with tempfile.TemporaryDirectory() as folder:
                told = os.path.join(folder, "told")
                command = [given.program, "emulate", "--device", device, "--", sys.executable, __file__, "inside", json.dumps(todo[:AT_ONCE]), told, str(given.samples)]
                done = subprocess.run(command, capture_output=True, text=True)
                said = lines(told)
            results = [{"device": device, "case": row["done"], "outcome": row["outcome"], "cause": row["cause"]} for row in said if "done" in row]
            begun = [row["begins"] for row in said if "begins" in row]
            if len(begun) > len(results):
                too_long = [number for limit in (signal.SIGPROF, signal.SIGALRM) for number in (-limit, 128 + limit)]
                why = f"took longer than {SECONDS} s of processor time" if done.returncode in too_long else f"the process ended with {done.returncode}"
                results.append({"device": device, "case": begun[-1], "outcome": "stopped", "cause": why})
            if not results:
                sys.exit(f"nothing ran: {done.stderr[-2000:]}")
            with open(given.output, "a") as file:
                for row in results:
                    print(json.dumps(row), file=file)
            ended = {tuple(row["case"]) for row in results}
            todo = [case for case in todo if case not in ended]


# What PyTorch's own CUDA code does otherwise than its code for the CPU, on a real GPU too: by operator, and by what the cause says.
OF_PYTORCH = {
    "native_batch_norm": ("instead of", "in eval, CUDA returns statistics where the CPU returns empty tensors"),
    "_native_batch_norm_legit": ("instead of", "in eval, CUDA returns statistics where the CPU returns empty tensors"),
    "_batch_norm_with_update": ("instead of", "CUDA returns the bytes that cuDNN reserves where the CPU returns an empty tensor"),
    "mode": ("not equal", "of values that are equally frequent, the CPU takes the smallest and CUDA another"),
    "cumsum": ("not close", "its scan adds up in bfloat16, in another order than the CPU"),
}
SHOWN = 12  # operators of a cause


def cause_of(row):
    """Without what differs from case to case."""
    said, why = OF_PYTORCH.get(row["case"][0], ("", ""))
    if why and said in row["cause"]:
        return "of PyTorch itself: " + why
    cause = "values differ" if "not close" in row["cause"] or "not equal" in row["cause"] else row["cause"]
    return re.sub(r"0x[0-9a-f]+|\d+", "N", cause)[:120].replace("|", "\\|")


def table(given):
    import torch

    rows = lines(given.results)
    devices = list(dict.fromkeys(row["device"] for row in rows))
    print("# PyTorch's operators on emulated GPUs\n")
    print(f"Made by `benchmarks/opinfo.py` with PyTorch {torch.__version__}: the first samples of entries of OpInfo, values against the CPU's. A case\n"
          "is one operator and type, with all of its samples. `random` is compared in shape and type alone. The last column has the cases that\n"
          "were not run.\n")
    print("| GPU | type | pass | cases | " + " | ".join(o for o in OUTCOMES[1:-1]) + " | equal or random | not run |\n|" + " --- |" * (len(OUTCOMES) + 4))
    all_cases = collections.Counter((kind, backward) for _, kind, backward in work(operators()))
    for device in devices:
        for kind in KINDS:
            for backward in (False, True):
                counts = collections.Counter(row["outcome"] for row in rows if row["device"] == device and row["case"][1:] == [kind, backward])
                cases = sum(counts.values()) - counts["none"]
                if cases:
                    share = (counts["equal"] + counts["random"]) / cases
                    print(f"| {device} | {kind} | {'backward' if backward else 'forward'} | {cases} | "
                          + " | ".join(str(counts[o]) for o in OUTCOMES[1:-1]) + f" | {100 * share:.1f} % | {all_cases[kind, backward] - sum(counts.values())} |")
    print("\n## Others, by cause\n\n| outcome | cause | cases | operators |\n| --- | --- | --- | --- |")
    groups = collections.defaultdict(list)
    for row in rows:
        if row["outcome"] not in ("equal", "random", "none"):
            groups[row["outcome"], cause_of(row)].append(row)
    for (outcome, cause), cases in sorted(groups.items(), key=lambda group: (OUTCOMES.index(group[0][0]), -len(group[1]))):
        names = list(dict.fromkeys(row["case"][0] + (" backward" if row["case"][2] else "") for row in cases))
        shown = ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")
        print(f"| {outcome} | {cause} | {len(cases)} | {shown} |")


def main():
    if len(sys.argv) > 1 and sys.argv[1] == "inside":
        return inside(json.loads(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(required=True)
    runs = verbs.add_parser("run")
    runs.add_argument("program", help="the warplens program")
    runs.add_argument("--devices", default="h200,a100,b200,rtx5090")
    runs.add_argument("--slice", default="1/1", help="PART/PARTS of the operators")
    runs.add_argument("--operators", default="", help="only these, by OpInfo's names")
    runs.add_argument("--kinds", default=",".join(KINDS), help="types of elements")
    runs.add_argument("--forward", action="store_true", help="leave backward passes out")
    runs.add_argument("--samples", type=int, default=10)
    runs.add_argument("-o", dest="output", default="build/opinfo.jsonl")
    runs.set_defaults(do=run)
    tables = verbs.add_parser("table")
    tables.add_argument("results")
    tables.set_defaults(do=table)
    given = parser.parse_args()
    given.do(given)


if __name__ == "__main__":
    main()
