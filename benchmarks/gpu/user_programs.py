#!/usr/bin/env python3
"""Small PyTorch programs as users write them, each slow by one cause and fixed, recorded whole: loading, first steps and all.

    python3 user_programs.py run CASE [mended]   the slow program as a user runs it; `warplens record` goes in front of it
    python3 user_programs.py time OUT [CASE...]  steps of both halves without a recorder: OUT/slow.csv and OUT/mended.csv

Where a program marks its steps, it does so by itself: an optimizer, an NVTX range, a range of the profiler; some mark none. More rounds are
in second_programs.py and third_programs.py."""
import pathlib
import sys

import numpy
import torch
import torch.nn as nn
import torch.nn.functional as F

from later_pairs import forked, header

DEVICE = "cuda"
STEPS = 20  # of a program that is recorded
FIRST = {}


def case(finding, marks=None, round_of=FIRST):
    def register(make):
        round_of[make.__name__] = (finding, marks, make)
        return make

    return register


def training(model, optimizer, loss_of):
    def step():
        optimizer.zero_grad()
        loss = loss_of(model)
        loss.backward()
        optimizer.step()
        return loss

    return step


class Pictures(torch.utils.data.Dataset):
    """Pictures that are augmented one by one on the host."""

    def __init__(self):
        self.raw = numpy.random.default_rng(0).integers(0, 255, (64, 160, 160, 3), dtype=numpy.uint8)

    def __len__(self):
        return 1 << 20

    def __getitem__(self, index):
        picture = self.raw[index % 64][:, ::-1] if index % 2 else self.raw[index % 64]
        at = index % 32
        picture = picture[at:at + 128, at:at + 128].astype(numpy.float32) / 255
        return torch.from_numpy(((picture - 0.45) / 0.225).transpose(2, 0, 1).copy()), index % 10


def small_resnet(width=64):
    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = (nn.Conv2d(width, width, 3, padding=1, bias=False) for _ in range(2))
            self.na, self.nb = nn.BatchNorm2d(width), nn.BatchNorm2d(width)

        def forward(self, x):
            return F.relu(x + self.nb(self.b(F.relu(self.na(self.a(x))))))

    return nn.Sequential(nn.Conv2d(3, width, 7, stride=2, padding=3), nn.ReLU(), *[Block() for _ in range(4)],
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, 10)).to(DEVICE)


@case("input-bound")
def loader_without_workers(bad):
    """Training on pictures that the loop itself loads, or eight workers ahead of it."""
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    workers = {} if bad else {"num_workers": 8, "prefetch_factor": 4, "persistent_workers": True}
    batches = iter(torch.utils.data.DataLoader(Pictures(), batch_size=128, pin_memory=True, **workers))
    model = small_resnet()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

    def loss_of(model):
        x, y = next(batches)
        return F.cross_entropy(model(x.to(DEVICE, non_blocking=True)), y.to(DEVICE, non_blocking=True))

    return training(model, optimizer, loss_of)


@case("host-sync")
def norms_logged(bad):
    """The norm of each gradient is read for a log in every step, or stays on the device."""
    model = nn.Sequential(*[m for _ in range(16) for m in (nn.Linear(2048, 2048), nn.GELU())]).to(DEVICE, torch.bfloat16)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    x = torch.randn(2048, 2048, device=DEVICE, dtype=torch.bfloat16)

    def step():
        optimizer.zero_grad()
        model(x).float().square().mean().backward()
        if bad:
            log = [p.grad.norm().item() for p in model.parameters()]
        else:
            log = torch._foreach_norm([p.grad for p in model.parameters()])
        optimizer.step()
        return log

    return step


@case("pageable-copy")
def one_hot_on_host(bad):
    """Labels become vectors on the host and travel as such, or as numbers."""
    model = nn.Linear(1024, 8192).to(DEVICE, torch.bfloat16)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    x = torch.randn(4096, 1024, device=DEVICE, dtype=torch.bfloat16)
    labels = torch.randint(0, 8192, (4096,))
    vectors = F.one_hot(labels, 8192).float()

    def loss_of(model):
        y = vectors.to(DEVICE) if bad else F.one_hot(labels.to(DEVICE), 8192).float()
        return -(y * F.log_softmax(model(x).float(), 1)).sum(1).mean()

    return training(model, optimizer, loss_of)


class Encoder(nn.Module):
    def __init__(self, width=1024, heads=16, depth=4):
        super().__init__()
        self.layers = nn.ModuleList([nn.TransformerEncoderLayer(width, heads, 4 * width, batch_first=True, dropout=0, norm_first=True)
                                     for _ in range(depth)])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


@case("unfused-optimizer")
def adamw_in_a_loop(bad):
    """A fine-tuning step whose AdamW goes tensor by tensor."""
    model = Encoder(512, 8, 12).to(DEVICE)
    torch.backends.cuda.matmul.allow_tf32 = True
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, **({"foreach": False} if bad else {"fused": True}))
    x = torch.randn(32, 128, 512, device=DEVICE)
    return training(model, optimizer, lambda m: m(x).square().mean())


@case("fp32-gemm")
def encoder_without_tf32(bad):
    torch.backends.cuda.matmul.allow_tf32 = not bad
    model = Encoder().to(DEVICE)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    x = torch.randn(16, 512, 1024, device=DEVICE)
    return training(model, optimizer, lambda m: m(x).square().mean())


@case("naive-attention", marks="profiler")
def attention_with_bias(bad):
    """Attention with a bias of positions, written out or by the library; inference."""
    qkv = nn.Linear(1024, 3072, bias=False).to(DEVICE, torch.bfloat16).requires_grad_(False)
    out = nn.Linear(1024, 1024, bias=False).to(DEVICE, torch.bfloat16).requires_grad_(False)
    x = torch.randn(4, 2048, 1024, device=DEVICE, dtype=torch.bfloat16)
    bias = torch.randn(16, 2048, 2048, device=DEVICE, dtype=torch.bfloat16)

    def step():
        h = x
        for _ in range(3):
            q, k, v = qkv(h).view(4, 2048, 3, 16, 64).permute(2, 0, 3, 1, 4)
            if bad:
                a = ((q @ k.transpose(-1, -2)) * 0.125 + bias).softmax(-1) @ v
            else:
                a = F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
            h = h + out(a.transpose(1, 2).reshape(4, 2048, 1024))
        return h

    return step


@case("launch-bound")
def policy_network(bad):
    """A reinforcement learner's policy, batch 16, called repeatedly; nothing marks its steps."""
    model = nn.Sequential(*[m for _ in range(24) for m in (nn.Linear(256, 256), nn.LayerNorm(256), nn.SiLU())]).to(DEVICE).requires_grad_(False)
    x = torch.randn(16, 256, device=DEVICE)
    from later_cases import graphed

    def step():
        return model(x).softmax(-1)

    return step if bad else graphed(step)


@case("launch-bound", marks="nvtx")
def sample_by_sample(bad):
    """Evaluation of a batch one sample at a time."""
    model = nn.Sequential(nn.Conv1d(16, 64, 5, padding=2), nn.ReLU(), nn.Conv1d(64, 64, 5, padding=2), nn.ReLU(), nn.AdaptiveAvgPool1d(8), nn.Flatten(),
                          nn.Linear(512, 10)).to(DEVICE).requires_grad_(False)
    x = torch.randn(96, 16, 1024, device=DEVICE)

    def step():
        if bad:
            return torch.cat([model(x[i:i + 1]) for i in range(96)])
        return model(x)

    return step


@case("layout-conversion")
def convolutions_nchw(bad):
    """A convolutional network's training under autocast, in NCHW and channels_last."""
    model, x = small_resnet(128), torch.randn(64, 3, 224, 224, device=DEVICE)
    torch.backends.cudnn.benchmark = True
    if not bad:
        model, x = model.to(memory_format=torch.channels_last), x.to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

    def loss_of(model):
        with torch.autocast(DEVICE, torch.bfloat16):
            return model(x).float().square().mean()

    return training(model, optimizer, loss_of)


@case("recomputed-forward")
def checkpointed(bad):
    """Every layer's forward pass is done again in the backward pass, though memory would do."""
    from torch.utils.checkpoint import checkpoint
    model = Encoder(1024, 16, 6).to(DEVICE, torch.bfloat16)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    x = torch.randn(16, 512, 1024, device=DEVICE, dtype=torch.bfloat16)

    def loss_of(model):
        h = x
        for layer in model.layers:
            h = checkpoint(layer, h, use_reentrant=False) if bad else layer(h)
        return h.float().square().mean()

    return training(model, optimizer, loss_of)


@case("repeated-cast", marks="nvtx")
def autocast_serving(bad):
    """Inference under autocast from 32-bit weights, small batches, against weights converted once."""
    model = nn.Sequential(*[m for _ in range(6) for m in (nn.Linear(4096, 4096), nn.ReLU())]).to(DEVICE).requires_grad_(False)
    x = torch.randn(64, 4096, device=DEVICE, dtype=torch.bfloat16)
    if not bad:
        model = model.to(torch.bfloat16)

    def step():
        with torch.autocast(DEVICE, torch.bfloat16, enabled=bad):
            return model(x)

    return step


@case("allocator-churn")
def cache_emptied_each_step(bad):
    """Training that empties the allocator's cache after each step, lest memory run out."""
    model = Encoder(1024, 16, 4).to(DEVICE, torch.bfloat16)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    x = torch.randn(8, 512, 1024, device=DEVICE, dtype=torch.bfloat16)
    step = training(model, optimizer, lambda m: m(x).float().square().mean())

    def emptied():
        step()
        torch.cuda.empty_cache()

    return emptied if bad else step


@case("repeated-copy", marks="profiler")
def mask_made_in_each_layer(bad):
    """A causal mask is made on the host in every layer, or once on the device."""
    qkv = nn.Linear(768, 2304).to(DEVICE, torch.bfloat16).requires_grad_(False)
    x = torch.randn(8, 1024, 768, device=DEVICE, dtype=torch.bfloat16)
    there = torch.full((1024, 1024), float("-inf")).triu(1).to(DEVICE, torch.bfloat16)

    def step():
        h = x
        for _ in range(6):
            mask = torch.full((1024, 1024), float("-inf")).triu(1).to(DEVICE).to(torch.bfloat16) if bad else there
            q, k, v = qkv(h).view(8, 1024, 3, 12, 64).permute(2, 0, 3, 1, 4)
            h = h + F.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(1, 2).reshape(8, 1024, 768)
        return h

    return step


@case("pageable-copy", marks="nvtx")
def scores_to_numpy(bad):
    """Evaluation copies all scores to the host to count which are right there, or counts on the device."""
    model = nn.Sequential(nn.Linear(1024, 4096), nn.ReLU(), nn.Linear(4096, 16384)).to(DEVICE, torch.bfloat16).requires_grad_(False)
    x = torch.randn(2048, 1024, device=DEVICE, dtype=torch.bfloat16)
    labels = torch.randint(0, 16384, (2048,))
    there, total = labels.to(DEVICE), torch.zeros((), device=DEVICE)

    def step():
        scores = model(x)
        if bad:
            return (scores.float().cpu().numpy().argmax(1) == labels.numpy()).mean()
        return total.add_((scores.argmax(1) == there).float().mean())

    return step


@case("unfused-normalisation")
def rms_by_hand(bad):
    """A language model's blocks with RMS norms from their formula; training."""
    class Norm(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(2048))

        def forward(self, x):
            if not bad:
                return F.rms_norm(x, (2048,), self.weight, 1e-6)
            return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.weight

    model = nn.Sequential(*[m for _ in range(4) for m in (Norm(), nn.Linear(2048, 2048, bias=False))]).to(DEVICE, torch.bfloat16)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    x = torch.randn(8192, 2048, device=DEVICE, dtype=torch.bfloat16)
    return training(model, optimizer, lambda m: m(x).float().square().mean())


@case("launch-bound")
def clipped_one_by_one(bad):
    """Gradients are clipped and noise is added parameter by parameter."""
    model = nn.Sequential(*[m for _ in range(32) for m in (nn.Linear(512, 512), nn.LayerNorm(512), nn.ReLU())]).to(DEVICE, torch.bfloat16)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    x = torch.randn(4096, 512, device=DEVICE, dtype=torch.bfloat16)

    def step():
        optimizer.zero_grad()
        model(x).float().square().mean().backward()
        grads = [p.grad for p in model.parameters()]
        if bad:
            for g in grads:
                g.mul_(torch.clamp(1.0 / (g.norm() + 1e-6), max=1.0))
        else:
            torch._foreach_mul_(grads, torch._foreach_clamp_max(torch._foreach_reciprocal(torch._foreach_add(torch._foreach_norm(grads), 1e-6)), 1.0))
        optimizer.step()

    return step


def run(name, half="slow"):
    """As a user's script: nothing is warmed up, and each step is marked as this program marks it."""
    _, marks, make = FIRST[name]
    torch.manual_seed(0)
    step = make(half == "slow")
    for number in range(STEPS):
        if marks == "nvtx":
            with torch.cuda.nvtx.range(f"step {number}"):
                step()
        elif marks == "profiler":
            with torch.profiler.record_function(f"ProfilerStep#{number}"):
                step()
        else:
            step()
    torch.cuda.synchronize()


def time_both(name, out):
    """Steps of both halves in a process of their own, in turns: a host has slow phases, so the lower of two medians is printed."""
    from record_defects import measure

    def work():
        took = {"slow": [], "mended": []}
        for half in ("slow", "mended") * 2:
            torch.cuda.empty_cache()
            torch.manual_seed(0)
            took[half].append(measure(FIRST[name][2](half == "slow")))
        for half, times in took.items():
            (median, _, _), least, largest = min(times), min(t[1] for t in times), max(t[2] for t in times)
            with open(out / f"{half}.csv", "a") as file:
                file.write(f"{name},{FIRST[name][0]},{median:.0f},{least:.0f},{largest:.0f},{torch.cuda.get_device_name()}\n")

    forked(work)


def time(out, *names):
    out = pathlib.Path(out)
    for half in ("slow", "mended"):
        header(out / f"{half}.csv")
    for name in names:
        time_both(name, out)


def main(own):
    """The command line of a script whose programs are `own`."""
    FIRST.update(own)
    {"list": lambda: print(*own), "run": run, "time": lambda out, *names: time(out, *(names or own))}[sys.argv[1]](*sys.argv[2:])


if __name__ == "__main__":
    main(FIRST)
