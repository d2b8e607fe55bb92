"""Records small programs, one for each rule of `warplens findings` that the pairs of record_defects.py do not show, and programs
of other kinds (inference, FSDP, varied batches) that must not raise false alarms.

Usage: record_rules.py OUT [CASE...]                              one GPU
       torchrun --nproc-per-node 2 record_rules.py OUT [CASE...]  two GPUs: the cases that communicate
writes OUT/NAME.pt.trace.json.gz (NAME.rankN... on several GPUs), and what torch knows of the run to OUT/NAME.facts.json.
"""
import gzip
import json
import os
import pathlib
import sys
import time

import torch
import torch.nn as nn
import torch.nn.functional as F
import triton
import triton.language as tl

RANK, WORLD = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
DEVICE = f"cuda:{RANK}"
CASES = {}


def case(ranks=1, steps=3, **profiler_options):
    def register(make):
        CASES[make.__name__] = (make, ranks, steps, profiler_options)
        return make

    return register


@triton.jit
def repeated_fma(x, y, rounds, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i)
    for _ in range(rounds):
        v = v * 1.0001 + 0.25
    tl.store(y + i, v)


@triton.jit
def wide_softmax(x, y, n, B: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, B)
    v = tl.load(x + row * n + i, mask=i < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(y + row * n + i, e / tl.sum(e, axis=0), mask=i < n)


def mlp(depth, width, dtype=torch.float32):
    layers = [m for _ in range(depth) for m in (nn.Linear(width, width), nn.ReLU())]
    return nn.Sequential(*layers).to(DEVICE, dtype)


@case()
def results_copied_between_kernels():
    """serial-copies: each result goes to pinned memory on the stream that computes."""
    x = torch.randn(4096, 4096, device=DEVICE, dtype=torch.bfloat16)
    host = [torch.empty(4096, 4096, dtype=torch.bfloat16, pin_memory=True) for _ in range(6)]

    def step(_):
        h = x
        for to in host:
            h = h @ x
            to.copy_(h, non_blocking=True)
        torch.cuda.synchronize()

    return step


@case()
def rows_one_by_one():
    """no-tensor-cores: 16-bit products of single rows."""
    x = torch.randn(256, 1, 128, device=DEVICE, dtype=torch.float16)
    w = torch.randn(256, 128, 4096, device=DEVICE, dtype=torch.float16)
    tall, narrow = torch.randn(262144, 64, device=DEVICE, dtype=torch.float16), torch.randn(64, 1, device=DEVICE, dtype=torch.float16)
    odd_a, odd_b = torch.randn(8192, 64, 3, device=DEVICE, dtype=torch.float16), torch.randn(8192, 3, 64, device=DEVICE, dtype=torch.float16)
    row, matrix = torch.randn(1, 8192, device=DEVICE, dtype=torch.bfloat16), torch.randn(8192, 8192, device=DEVICE, dtype=torch.bfloat16)

    def step(_):
        for _ in range(4):
            torch.bmm(x, w)
            torch.mm(tall, narrow)
            torch.bmm(odd_a, odd_b)
            torch.mm(row, matrix)
            torch.mm(row, matrix.t())

    return step


@case()
def one_block_too_many():
    """tail-effect: blocks of 1024 threads, two an SM, and a few more than one wave of them."""
    blocks = 2 * torch.cuda.get_device_properties(0).multi_processor_count + 8
    x = torch.randn(blocks * 1024, device=DEVICE)
    y = torch.empty_like(x)

    def step(_):
        for _ in range(4):
            repeated_fma[(blocks,)](x, y, 4000, B=1024, num_warps=32)

    return step


@case()
def rows_too_wide():
    """low-occupancy: a row of 32768 elements in the registers of four warps."""
    x = torch.randn(4096, 32768, device=DEVICE)
    y = torch.empty_like(x)

    def step(_):
        for _ in range(3):
            wide_softmax[(4096,)](x, y, 32768, B=32768, num_warps=4)

    return step


@case()
def few_long_rows():
    """small-grid: a softmax over a handful of very long rows."""
    x = torch.randn(12, 1 << 20, device=DEVICE)

    def step(_):
        return torch.softmax(x, -1)

    return step


@case()
def tiny_graphs():
    """graph-health: replays of three kernels each."""
    x = torch.randn(1024, 1024, device=DEVICE)
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            x.mul(1.5).relu().add(1)
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        x.mul(1.5).relu().add(1)

    def step(_):
        for _ in range(20):
            graph.replay()

    return step


@case()
def whole_step_graph():
    """A healthy graph: silence."""
    model, x = mlp(20, 1024, torch.bfloat16), torch.randn(2048, 1024, device=DEVICE, dtype=torch.bfloat16)
    with torch.no_grad():
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            for _ in range(3):
                model(x)
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            model(x)

    def step(_):
        for _ in range(4):
            graph.replay()

    return step


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        b, s, w = x.shape
        q, k, v = self.qkv(self.first(x)).view(b, s, 3, self.heads, w // self.heads).permute(2, 0, 3, 1, 4)
        x = x + self.out(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, s, w))
        return x + self.down(F.gelu(self.up(self.second(x))))


@case(profile_memory=True, with_stack=True, steps=1)
def peak_of_training():
    """peak-memory: the vocabulary's logits and their gradient own the peak."""
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.blocks = nn.Embedding(50304, 512), nn.ModuleList(Block(512, 8) for _ in range(2))
            self.head = nn.Linear(512, 50304, bias=False)

        def forward(self, ids):
            x = self.embed(ids)
            for block in self.blocks:
                x = block(x)
            return F.cross_entropy(self.head(x).flatten(0, 1), ids.flatten())

    model = Model().to(DEVICE, torch.bfloat16)
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    ids = torch.randint(0, 50000, (8, 512), device=DEVICE)

    def step(_):
        model(ids).backward()
        optimizer.step()
        optimizer.zero_grad()

    return step


@case()
def inference_prefill():
    """Large prompts through a transformer: the device is the limit."""
    blocks = nn.Sequential(*[Block(2048, 16) for _ in range(8)]).to(DEVICE, torch.bfloat16).eval()
    x = torch.randn(8, 2048, 2048, device=DEVICE, dtype=torch.bfloat16)

    def step(_):
        with torch.inference_mode():
            return blocks(x)

    return step


@case(ranks=2, steps=6)
def uneven_batches():
    """uneven-collective: sequences of different lengths, longest now on one rank, now on the other."""
    model = nn.parallel.DistributedDataParallel(mlp(8, 2048, torch.bfloat16), device_ids=[RANK])
    lengths = [(1024, 24576), (24576, 1024), (1024, 16384), (20480, 1024), (1024, 24576), (24576, 1024)]

    def step(i):
        x = torch.randn(lengths[i % len(lengths)][RANK], 2048, device=DEVICE, dtype=torch.bfloat16)
        model(x).square().mean().backward()
        model.zero_grad(set_to_none=True)

    return step


@case(ranks=2, steps=2)
def fsdp_training():
    """A healthy FSDP step."""
    from torch.distributed.fsdp import fully_shard

    blocks = nn.Sequential(*[Block(2048, 16) for _ in range(4)]).to(DEVICE, torch.bfloat16)
    for block in blocks:
        fully_shard(block)
    fully_shard(blocks)
    optimizer = torch.optim.AdamW(blocks.parameters(), lr=1e-4)
    x = torch.randn(8, 1024, 2048, device=DEVICE, dtype=torch.bfloat16)

    def step(_):
        blocks(x).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()

    return step


def record(out, name, make, steps, options):
    torch.manual_seed(0)
    step = make()
    for i in range(6):
        step(i)
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for i in range(12):
        step(i)
    torch.cuda.synchronize()
    facts = {"step_ns": round((time.perf_counter() - begin) / 12 * 1e9), "device": torch.cuda.get_device_name(), "torch": torch.__version__}
    torch.cuda.reset_peak_memory_stats()
    activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    schedule = torch.profiler.schedule(wait=1, warmup=1, active=steps, repeat=1)
    with torch.profiler.profile(activities=activities, schedule=schedule, **{"record_shapes": True, **options}) as profiler:
        for i in range(steps + 2):
            step(i)
            profiler.step()
    facts["peak_allocated_bytes"] = torch.cuda.max_memory_allocated()
    path = f"{out}/{name}{f'.rank{RANK}' if WORLD > 1 else ''}.pt.trace.json"
    profiler.export_chrome_trace(path)
    with gzip.open(path + ".gz", "wb", 9) as packed:
        packed.write(pathlib.Path(path).read_bytes())
    os.remove(path)
    if RANK == 0:
        pathlib.Path(f"{out}/{name}.facts.json").write_text(json.dumps(facts, indent=1))
        print(f"{name:34} step {facts['step_ns'] / 1e3:9.1f} us  {os.path.getsize(path + '.gz') / 1e3:7.0f} KB", flush=True)


def main(out, *only):
    os.makedirs(out, exist_ok=True)
    torch.cuda.set_device(RANK)
    if WORLD > 1:
        torch.distributed.init_process_group("nccl", device_id=torch.device(DEVICE))
    failed = 0
    for name, (make, ranks, steps, options) in CASES.items():
        if (only and name not in only) or ranks != WORLD:
            continue
        try:
            record(out, name, make, steps, options)
        except Exception as error:  # one case that does not run here leaves the others their turn
            print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
            failed += 1
    if WORLD > 1:
        torch.distributed.destroy_process_group()
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
