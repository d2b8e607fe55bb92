"""Programs to record, with the peers' profilers inside where they have to be: prints one line of JSON.

    python3 record_workloads.py {tiny,gpt2} [--profiler none|torch-cuda|torch|torch-shapes|proton] [--trace FILE]
"""
import argparse
import contextlib
import json
import statistics
import time

import torch


def tiny_steps():
    """The launch-bound loop: one small kernel an operator, nothing else."""
    x = torch.ones(1024, device="cuda")

    def step():
        for _ in range(5000):
            x.add_(1)

    return step, 5000


def gpt2_steps():
    from transformers import GPT2Config, GPT2LMHeadModel

    torch.manual_seed(0)
    with torch.device("cuda"):
        model = GPT2LMHeadModel(GPT2Config()).to(torch.bfloat16)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    tokens = torch.randint(0, 50257, (8, 1024), device="cuda")

    def step():
        optimizer.zero_grad(set_to_none=True)
        model(tokens, labels=tokens).loss.backward()
        optimizer.step()

    return step, 1


def small_layers():
    from torch import nn

    model = nn.Sequential(*[m for _ in range(48) for m in (nn.Linear(128, 128), nn.ReLU())]).cuda().requires_grad_(False)
    x = torch.randn(32, 128, device="cuda")
    return lambda: model(x)


def small_layer_steps():
    """48 small layers, inference: twenty calls."""
    call = small_layers()

    def step():
        for _ in range(20):
            call()

    return step, 20


def hugging_face_steps():
    """Two steps of training that the host bounds: many operators a launch."""
    from transformers import GPT2Config, GPT2LMHeadModel

    model = GPT2LMHeadModel(GPT2Config(n_embd=256, n_head=8, vocab_size=1000)).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, foreach=True)
    tokens = torch.randint(0, 1000, (2, 64), device="cuda")

    def step():
        for _ in range(2):
            optimizer.zero_grad(set_to_none=True)
            model(tokens, labels=tokens).loss.backward()
            optimizer.step()

    return step, 2


WORKLOADS = {"tiny": tiny_steps, "gpt2": gpt2_steps, "small_layers": small_layer_steps, "hugging_face": hugging_face_steps}


def prepare(workload):
    """Work that forked processes share: imports, but nothing on the GPU."""
    if workload in ("gpt2", "hugging_face"):
        import transformers  # noqa: F401
        from transformers import GPT2LMHeadModel  # noqa: F401


@contextlib.contextmanager
def profiler(name, trace):
    if name == "none":
        yield
    elif name == "proton":
        import triton.profiler as proton

        proton.start("/tmp/proton_record", context="shadow")
        yield
        proton.finalize()
    else:
        from torch.profiler import ProfilerActivity, profile

        activities = [ProfilerActivity.CUDA] if name == "torch-cuda" else [ProfilerActivity.CPU, ProfilerActivity.CUDA]
        with profile(activities=activities, record_shapes=name == "torch-shapes") as p:
            yield
        if trace:
            p.export_chrome_trace(trace)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("workload", choices=WORKLOADS)
    parser.add_argument("--profiler", default="none")
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--trace", help="where torch.profiler's trace goes")
    options = parser.parse_args()
    step, launches = WORKLOADS[options.workload]()
    for _ in range(3):
        step()
    torch.cuda.synchronize()
    times = []
    with profiler(options.profiler, options.trace):
        torch.cuda.nvtx.range_push("measured")
        for _ in range(options.steps):
            start = time.perf_counter()
            step()
            torch.cuda.synchronize()
            times.append(time.perf_counter() - start)
        torch.cuda.nvtx.range_pop()
    print(json.dumps({"us": statistics.median(times) * 1e6 / launches, "least_us": min(times) * 1e6 / launches}))


if __name__ == "__main__":
    main()
