"""Pairs of PyTorch programs, as defect_cases.py has them, whose slow halves alone are recorded before what findings promise is written down."""
import threading
import queue

import torch
import torch.nn as nn
import torch.nn.functional as F

DEVICE = "cuda"
CASES = {}


def case(finding):
    def register(make):
        CASES[make.__name__] = (finding, make)
        return make

    return register


def graphed(step):
    """The step as one CUDA graph."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph.replay


@case("launch-bound")
def sampler(bad):
    """Forty steps of a small diffusion sampler."""
    blocks = nn.Sequential(*[m for _ in range(4) for m in (nn.Conv2d(32, 32, 3, padding=1), nn.GroupNorm(8, 32), nn.SiLU())]).to(DEVICE).requires_grad_(False)
    x = torch.randn(4, 32, 32, 32, device=DEVICE)

    def step():
        h = x
        for t in range(40):
            noise = blocks(h)
            h = (h - 0.02 * noise) * 1.01 + 0.001 * t
        return h

    return step if bad else graphed(step)


@case("launch-bound")
def lstm_cells(bad):
    """A recurrent cell called for each of 96 steps of a sequence."""
    cell = nn.GRUCell(512, 512).to(DEVICE).requires_grad_(False)
    x = torch.randn(96, 64, 512, device=DEVICE)

    def step():
        h = torch.zeros(64, 512, device=DEVICE)
        for t in range(96):
            h = cell(x[t], h)
        return h

    return step if bad else graphed(step)


@case("host-sync")
def decode_until(bad):
    """A decoder that asks after each token whether it was the last."""
    layers = nn.Sequential(*[m for _ in range(6) for m in (nn.Linear(2048, 2048), nn.GELU())]).to(DEVICE, torch.bfloat16).requires_grad_(False)
    head = torch.randn(2048, 16384, device=DEVICE, dtype=torch.bfloat16)
    start = torch.randn(256, 2048, device=DEVICE, dtype=torch.bfloat16)

    def step():
        h = start
        for _ in range(12):
            h = layers(h)
            token = (h @ head).argmax(1)
            if bad and token[0].item() == -1:
                break
            h = h + token[:, None].to(h.dtype) * 1e-5
        return h

    return step


@case("host-sync")
def routed_experts(bad):
    """A mixture of experts that looks up which rows go where, against one that keeps room for each expert."""
    experts = torch.randn(8, 1024, 1024, device=DEVICE, dtype=torch.bfloat16) * 0.03
    gate = torch.randn(1024, 8, device=DEVICE, dtype=torch.bfloat16)
    x = torch.randn(4096, 1024, device=DEVICE, dtype=torch.bfloat16)

    def step():
        h = x
        for _ in range(4):
            score = h @ gate
            if bad:
                out, chosen = torch.zeros_like(h), score.argmax(1)
                for e in range(8):
                    rows = (chosen == e).nonzero()[:, 0]
                    out[rows] = h[rows] @ experts[e]
            else:
                rows = score.topk(512, dim=0).indices.t()
                out = torch.zeros_like(h).index_copy_(0, rows.reshape(-1), torch.bmm(h[rows], experts).reshape(-1, 1024))
            h = h + out
        return h

    return step


@case("pageable-copy")
def video_upload(bad):
    """Frames of a video go to the device and through a convolution."""
    convolution = nn.Conv2d(3, 32, 5, stride=2).to(DEVICE, torch.bfloat16).requires_grad_(False)
    frames = torch.randint(0, 255, (16, 3, 1080, 1920), dtype=torch.uint8)
    frames = frames if bad else frames.pin_memory()

    def step():
        x = frames.to(DEVICE, non_blocking=True)
        return convolution(x.to(torch.bfloat16) / 255).relu_().mean()

    return step


@case("exposed-copy")
def offloaded(bad):
    """A model whose weights come from pinned memory layer by layer, on the stream that computes or on another."""
    weights = [torch.randn(4096, 4096, dtype=torch.bfloat16).pin_memory() for _ in range(12)]
    x = torch.randn(8192, 4096, device=DEVICE, dtype=torch.bfloat16)
    room = [torch.empty(4096, 4096, device=DEVICE, dtype=torch.bfloat16) for _ in range(2)]
    copier, filled, used = torch.cuda.Stream(), [torch.cuda.Event() for _ in range(2)], [torch.cuda.Event() for _ in range(2)]

    def step():
        h = x
        if bad:
            for k, w in enumerate(weights):
                room[k % 2].copy_(w, non_blocking=True)
                h = h @ room[k % 2]
            return h
        main = torch.cuda.current_stream()
        for k, w in enumerate(weights):
            with torch.cuda.stream(copier):
                copier.wait_event(used[k % 2])
                room[k % 2].copy_(w, non_blocking=True)
                filled[k % 2].record()
            main.wait_event(filled[k % 2])
            h = h @ room[k % 2]
            used[k % 2].record()
        return h

    return step


@case("fp32-gemm")
def mixer_training(bad):
    """An MLP-Mixer's training step, with TF32 off and on."""
    first, second = nn.Linear(768, 3072).to(DEVICE), nn.Linear(3072, 768).to(DEVICE)
    norm = nn.LayerNorm(768).to(DEVICE)
    x = torch.randn(64, 196, 768, device=DEVICE)

    def step():
        torch.backends.cuda.matmul.allow_tf32 = not bad
        h = x
        for _ in range(3):
            h = h + second(F.gelu(first(norm(h))))
        h.square().mean().backward()
        for p in (*first.parameters(), *second.parameters(), *norm.parameters()):
            p.grad = None

    return step


@case("fusable-chain")
def gated_units(bad):
    """Mish, a gate and a residual written out, against the same compiled."""
    x, gate, rest = (torch.randn(8192, 4096, device=DEVICE, dtype=torch.bfloat16) for _ in range(3))
    w = torch.randn(4096, 4096, device=DEVICE, dtype=torch.bfloat16) * 0.01

    def units(x, gate, rest):
        return (x * torch.tanh(F.softplus(x))) * torch.sigmoid(gate) * 0.5 + rest

    chain = units if bad else torch.compile(units)
    return lambda: chain(x @ w, gate, rest)


@case("unfused-optimizer")
def many_parameters(bad):
    """A deep and narrow network whose optimizer goes through its tensors one by one."""
    model = nn.Sequential(*[m for _ in range(60) for m in (nn.Linear(512, 512), nn.Tanh())]).to(DEVICE)
    optimizer = torch.optim.NAdam(model.parameters(), foreach=False) if bad else torch.optim.Adam(model.parameters(), fused=True)
    x = torch.randn(2048, 512, device=DEVICE)

    def step():
        model(x).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()

    return step


@case("memory-bound")
def wide_numbers(bad):
    """Physics of a grid in 32-bit or 16-bit numbers."""
    dtype = torch.float32 if bad else torch.bfloat16
    u, v = (torch.rand(8192, 8192, device=DEVICE).to(dtype) for _ in range(2))
    scratch = torch.empty_like(u)

    def step():
        for _ in range(6):
            torch.mul(u, v, out=scratch)
            u.add_(scratch, alpha=0.01)
            v.sub_(scratch, alpha=0.01)

    return step


@case("unfused-normalisation")
def norm_by_hand(bad):
    """A layer norm from its formula, against the library's."""
    x = torch.randn(16384, 2048, device=DEVICE)
    w = torch.randn(2048, 2048, device=DEVICE, dtype=torch.bfloat16) * 0.02

    def step():
        h = x
        for _ in range(4):
            n = (h - h.mean(-1, keepdim=True)) / torch.sqrt(h.var(-1, keepdim=True, unbiased=False) + 1e-5) if bad else F.layer_norm(h, (2048,))
            h = h + (n.bfloat16() @ w).float()
        return h

    return step


@case("repeated-copy")
def positions_uploaded(bad):
    """A table of positions goes to the device again for every layer."""
    table = torch.randn(4096, 2048).pin_memory()
    there = table.to(DEVICE)
    w = torch.randn(2048, 2048, device=DEVICE, dtype=torch.bfloat16) * 0.02
    x = torch.randn(4096, 2048, device=DEVICE)

    def step():
        h = x
        for _ in range(6):
            position = table.to(DEVICE, non_blocking=True) if bad else there
            h = h + ((h + position).bfloat16() @ w).float()
        return h

    return step


@case("input-bound")
def decoded_on_the_way(bad):
    """Batches are made by the host between steps, or by another thread ahead of them."""
    model = nn.Sequential(*[m for _ in range(8) for m in (nn.Linear(4096, 4096), nn.ReLU())]).to(DEVICE, torch.bfloat16).requires_grad_(False)
    raw = torch.rand(1024, 4096)
    ahead = queue.Queue(2)

    def batch():
        return (raw.sqrt() * 2 - 1).to(torch.bfloat16).pin_memory()

    def fill():
        while True:
            ahead.put(batch())

    if not bad:
        threading.Thread(target=fill, daemon=True).start()

    def step():
        with torch.profiler.record_function("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"):
            x = batch() if bad else ahead.get()
        h = x.to(DEVICE, non_blocking=True)
        for _ in range(3):
            h = model(h)
        return h

    return step
