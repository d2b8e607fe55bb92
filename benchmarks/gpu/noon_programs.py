#!/usr/bin/env python3
"""Twelve programs as those of morning_programs.py, written with the rules that their round was to test, and before any of them ran on a GPU.

    python3 noon_programs.py list                   their names
    python3 noon_programs.py run CASE [mended]      as user_programs.py
    python3 noon_programs.py time OUT [CASE...]     as user_programs.py"""
import functools
import io

import numpy
import torch
import torch.nn as nn
import torch.nn.functional as F

import user_programs
from later_cases import graphed
from user_programs import DEVICE, training

CASES = {}
case = functools.partial(user_programs.case, round_of=CASES)
BF16 = torch.bfloat16


@case("host-sync", marks="nvtx")
def exits_asked(bad):
    """A classifier could stop after each of 24 blocks if it were sure, which the host asks each time; it never is."""
    blocks = nn.ModuleList([nn.Sequential(nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 1024)) for _ in range(24)]).to(DEVICE, BF16)
    head, x = nn.Linear(1024, 100).to(DEVICE, BF16), torch.randn(512, 1024, device=DEVICE, dtype=BF16)

    @torch.no_grad()
    def step():
        h = x
        for block in blocks:
            h = F.layer_norm(h + block(h), (1024,))
            if bad and head(h).softmax(-1).amax(-1).min().item() > 0.99:
                break
        return head(h)

    return step


@case("pageable-copy")
def volumes_uploaded(bad):
    """Scans of numpy go to the device as they are, or through pinned memory, for a network that is trained on them."""
    volume = numpy.random.default_rng(0).normal(size=(4, 1, 96, 128, 128)).astype(numpy.float32)
    room = torch.empty(volume.shape).pin_memory()
    net = nn.Sequential(nn.Conv3d(1, 16, 3, stride=2, padding=1), nn.ReLU(), nn.Conv3d(16, 32, 3, stride=2, padding=1), nn.ReLU(),
                        nn.AdaptiveAvgPool3d(1), nn.Flatten(), nn.Linear(32, 2)).to(DEVICE)
    label = torch.randint(0, 2, (4,), device=DEVICE)
    room.copy_(torch.from_numpy(volume))

    def batch():
        return torch.from_numpy(volume).to(DEVICE) if bad else room.to(DEVICE, non_blocking=True)

    return training(net, torch.optim.SGD(net.parameters(), lr=0.01, fused=True), lambda m: F.cross_entropy(m(batch()), label))


@case("launch-bound", marks="profiler")
def forest_asked(bad):
    """A forest of 12 soft trees of depth 5 is asked, level by level, or as one CUDA graph."""
    x = torch.randn(256, 64, device=DEVICE)
    planes = [[torch.randn(64, 1 << level, device=DEVICE) for level in range(5)] for _ in range(12)]
    leaves = [torch.randn(32, 8, device=DEVICE) for _ in range(12)]

    @torch.no_grad()
    def step():
        votes = torch.zeros(256, 8, device=DEVICE)
        for tree, leaf in zip(planes, leaves):
            reach = torch.ones(256, 1, device=DEVICE)
            for plane in tree:
                left = torch.sigmoid(x @ plane)
                reach = torch.stack([reach * left, reach * (1 - left)], -1).flatten(1)
            votes += reach @ leaf
        return votes.argmax(1)

    return step if bad else graphed(step)


@case("fp32-gemm")
def entities_scored(bad):
    """A knowledge graph's triples are scored against all entities in 32 bits, with TF32 off or on; training."""
    torch.backends.cuda.matmul.allow_tf32 = not bad
    entities, relations = nn.Embedding(40000, 512).to(DEVICE), nn.Embedding(200, 512).to(DEVICE)
    mix = nn.Sequential(nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 512)).to(DEVICE)
    optimizer = torch.optim.Adam([*entities.parameters(), *relations.parameters(), *mix.parameters()], lr=1e-3, fused=True)
    subject, relation, wanted = (torch.randint(0, n, (1024,), device=DEVICE) for n in (40000, 200, 40000))

    def loss_of(model):
        asked = mix(torch.cat([entities(subject), relations(relation)], 1))
        return F.cross_entropy(asked @ entities.weight.T, wanted)

    return training(None, optimizer, loss_of)


@case("naive-attention")
def captions_learned(bad):
    """Words attend to patches of a picture, written out or fused; training in 16 bits."""
    width, heads = 768, 12
    ask, keys, out = nn.Linear(width, width).to(DEVICE, BF16), nn.Linear(width, 2 * width).to(DEVICE, BF16), nn.Linear(width, width).to(DEVICE, BF16)
    words, patches = torch.randn(16, 512, width, device=DEVICE, dtype=BF16), torch.randn(16, 1024, width, device=DEVICE, dtype=BF16)
    optimizer = torch.optim.SGD([*ask.parameters(), *keys.parameters(), *out.parameters()], lr=1e-3, fused=True)

    def loss_of(model):
        h = words
        split = lambda t: t.view(16, -1, heads, 64).transpose(1, 2)
        for _ in range(3):
            q, (k, v) = split(ask(h)), map(split, keys(patches).chunk(2, -1))
            if bad:
                y = torch.matmul((torch.matmul(q, k.transpose(-1, -2)) * 0.125).softmax(-1), v)
            else:
                y = F.scaled_dot_product_attention(q, k, v)
            h = h + out(y.transpose(1, 2).reshape(16, 512, width))
        return h.float().square().mean()

    return training(None, optimizer, loss_of)


@case("unfused-normalisation", marks="nvtx")
def groups_by_formula(bad):
    """A decoder's group norms from their formula, or the library's; inference in 32 bits."""
    torch.backends.cudnn.allow_tf32 = True
    x = torch.randn(8, 128, 128, 128, device=DEVICE)
    layers = nn.ModuleList([nn.Conv2d(128, 128, 1) for _ in range(4)]).to(DEVICE)
    scale, shift = torch.rand(128, device=DEVICE), torch.rand(128, device=DEVICE)

    def norm(h):
        if not bad:
            return F.group_norm(h, 32, scale, shift, 1e-6)
        g = h.view(8, 32, -1)
        mean, var = g.mean(-1, keepdim=True), g.var(-1, keepdim=True, unbiased=False)
        return ((g - mean) / torch.sqrt(var + 1e-6)).view_as(h) * scale.view(1, -1, 1, 1) + shift.view(1, -1, 1, 1)

    @torch.no_grad()
    def step():
        h = x
        for layer in layers:
            h = layer(norm(h))
        return h

    return step


@case("many-small-copies", marks="nvtx")
def sensors_read(bad):
    """The 96 values of a simulated sensor array are read one by one, or as a list."""
    mix = torch.randn(4096, 96, device=DEVICE)
    state = torch.randn(512, 4096, device=DEVICE)

    def step():
        seen = (torch.tanh(state) @ mix).mean(0)
        return [float(one) for one in seen] if bad else seen.tolist()

    return step


class Photos(torch.utils.data.Dataset):
    """Compressed pictures, decoded and cut by Pillow."""

    def __init__(self):
        from PIL import Image
        self.files = []
        for k in range(16):
            noise = numpy.random.default_rng(k).integers(0, 255, (24, 24, 3), dtype=numpy.uint8)
            file = io.BytesIO()
            Image.fromarray(noise).resize((320, 320)).save(file, "JPEG")
            self.files.append(file.getvalue())

    def __len__(self):
        return 1 << 20

    def __getitem__(self, index):
        from PIL import Image
        picture = Image.open(io.BytesIO(self.files[index % 16])).convert("RGB").resize((160, 160))
        return torch.from_numpy(numpy.asarray(picture, dtype=numpy.float32).transpose(2, 0, 1) / 255), index % 10


@case("input-bound")
def photos_decoded(bad):
    """Photos are decoded by the loop that trains, or by eight workers ahead of it."""
    workers = {} if bad else {"num_workers": 8, "prefetch_factor": 4, "persistent_workers": True}
    batches = iter(torch.utils.data.DataLoader(Photos(), batch_size=32, pin_memory=True, **workers))
    model = nn.Sequential(nn.Conv2d(3, 64, 7, stride=4), nn.ReLU(), nn.Conv2d(64, 128, 3, stride=2), nn.ReLU(), nn.AdaptiveAvgPool2d(1),
                          nn.Flatten(), nn.Linear(128, 10)).to(DEVICE)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, fused=True)

    def loss_of(model):
        x, y = next(batches)
        return F.cross_entropy(model(x.to(DEVICE, non_blocking=True)), y.to(DEVICE, non_blocking=True))

    return training(model, optimizer, loss_of)


@case("recomputed-forward")
def memory_saved(bad):
    """A deep residual network of wide layers runs in checkpointed segments, though memory would do."""
    from torch.utils.checkpoint import checkpoint_sequential
    layers = [m for _ in range(12) for m in (nn.Linear(3072, 3072), nn.SiLU())]
    model = nn.Sequential(*layers).to(DEVICE, BF16)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, fused=True)
    x = torch.randn(4096, 3072, device=DEVICE, dtype=BF16, requires_grad=True)

    def loss_of(model):
        return (checkpoint_sequential(model, 6, x, use_reentrant=False) if bad else model(x)).float().square().mean()

    return training(model, optimizer, loss_of)


@case("unfused-optimizer")
def adagrad_in_a_loop(bad):
    """A factorisation machine of 120 small fields is trained by Adagrad, tensor by tensor or by lists."""
    fields = nn.ParameterList([nn.Parameter(torch.randn(500, 16)) for _ in range(120)]).to(DEVICE)
    optimizer = torch.optim.Adagrad(fields.parameters(), lr=0.01, foreach=not bad)
    which, clicked = torch.randint(0, 500, (120, 512), device=DEVICE), torch.rand(512, device=DEVICE)

    def loss_of(model):
        rows = torch.stack([field[one] for field, one in zip(fields, which)])
        score = (rows.sum(0).square() - rows.square().sum(0)).sum(1) / 2
        return F.binary_cross_entropy_with_logits(score * 1e-3, clicked)

    return training(fields, optimizer, loss_of)


@case("layout-conversion")
def edges_found(bad):
    """A small U-net finds edges in 16 bits, in NCHW or channels_last; training."""
    pair = lambda a, b: nn.Sequential(nn.Conv2d(a, b, 3, padding=1), nn.ReLU(), nn.Conv2d(b, b, 3, padding=1), nn.ReLU())
    down, deep, up = pair(3, 64), pair(64, 128), pair(192, 64)
    net = nn.ModuleList([down, deep, up, nn.Conv2d(64, 1, 1)]).to(DEVICE, BF16)
    x, truth = torch.randn(8, 3, 256, 256, device=DEVICE, dtype=BF16), torch.rand(8, 1, 256, 256, device=DEVICE)
    if not bad:
        net, x = net.to(memory_format=torch.channels_last), x.to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, fused=True)

    def loss_of(model):
        fine = down(x)
        coarse = F.interpolate(deep(F.max_pool2d(fine, 2)), scale_factor=2)
        return F.binary_cross_entropy_with_logits(net[3](up(torch.cat([fine, coarse], 1))).float(), truth)

    return training(net, optimizer, loss_of)


@case("exposed-copy", marks="nvtx")
def states_kept(bad):
    """The states of a long simulation are kept in pinned memory: copied on the stream that computes, or on another."""
    state = torch.randn(2048, 2048, device=DEVICE)
    turn, rooms = torch.randn(2048, 2048, device=DEVICE) / 45, [torch.empty(2048, 2048).pin_memory() for _ in range(4)]
    other = torch.cuda.Stream()
    torch.backends.cuda.matmul.allow_tf32 = True

    def step():
        h = state
        for room in rooms:
            for _ in range(3):
                h = torch.tanh(h @ turn)
            if bad:
                room.copy_(h, non_blocking=True)
            else:
                other.wait_stream(torch.cuda.current_stream())
                with torch.cuda.stream(other):
                    room.copy_(h, non_blocking=True)
                h.record_stream(other)
        torch.cuda.current_stream().wait_stream(other)
        return h

    return step


if __name__ == "__main__":
    user_programs.main(CASES)
