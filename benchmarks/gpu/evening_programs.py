#!/usr/bin/env python3
"""Twelve programs as those of weekday_programs.py, on subjects that no earlier set has, written before any of them ran on a GPU.

    python3 evening_programs.py list                   their names
    python3 evening_programs.py run CASE [mended]      as user_programs.py
    python3 evening_programs.py time OUT [CASE...]     as user_programs.py"""
import functools

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


@case("launch-bound")
def cloth_simulated(bad):
    """The springs of a cloth pull its points in twenty small steps, operator by operator or as one CUDA graph."""
    place = torch.stack(torch.meshgrid(*[torch.linspace(0, 1, 64, device=DEVICE)] * 2, indexing="ij"), -1)
    place = torch.cat([place, torch.zeros(64, 64, 1, device=DEVICE)], -1)
    speed, gravity = torch.zeros_like(place), torch.tensor([0.0, 0.0, -9.8], device=DEVICE)

    def pull(place, axis):
        along = place.diff(dim=axis)
        length = along.norm(dim=-1, keepdim=True)
        force = 900 * (length - 1 / 63) * along / length
        pad = (0, 0, 0, 0, 0, 1) if axis == 0 else (0, 0, 0, 1)
        back = (0, 0, 0, 0, 1, 0) if axis == 0 else (0, 0, 1, 0)
        return F.pad(force, pad) - F.pad(force, back)

    def step():
        for _ in range(20):
            speed.add_(0.0005 * (pull(place, 0) + pull(place, 1) + gravity))
            speed[0].zero_()
            place.add_(0.0005 * speed)
        return place

    return step if bad else graphed(step)


@case("host-sync", marks="nvtx")
def classes_counted(bad):
    """The overlap of predicted and true classes of a picture is counted class by class, or by one histogram."""
    net = nn.Sequential(nn.Conv2d(3, 64, 3, padding=1), nn.ReLU(), nn.Conv2d(64, 21, 1)).to(DEVICE, BF16).eval()
    pictures, truth = torch.randn(4, 3, 256, 256, device=DEVICE, dtype=BF16), torch.randint(0, 21, (4, 256, 256), device=DEVICE)

    @torch.no_grad()
    def step():
        seen = net(pictures).argmax(1)
        if bad:
            scores = []
            for k in range(21):
                both, either = ((seen == k) & (truth == k)).sum().item(), ((seen == k) | (truth == k)).sum().item()
                scores.append(both / max(either, 1))
            return sum(scores) / 21
        table = torch.bincount((truth * 21 + seen).flatten(), minlength=441).view(21, 21).float()
        both = table.diagonal()
        return (both / (table.sum(0) + table.sum(1) - both).clamp(min=1)).mean()

    return step


class Clouds(torch.utils.data.Dataset):
    """Points of scanned objects, turned and shaken each time."""

    def __init__(self):
        self.points = numpy.random.default_rng(0).normal(size=(128, 8192, 3))

    def __len__(self):
        return 1 << 20

    def __getitem__(self, index):
        points = self.points[index % 128]
        a = index * 0.37
        turn = numpy.array([[numpy.cos(a), -numpy.sin(a), 0], [numpy.sin(a), numpy.cos(a), 0], [0, 0, 1]])
        points = points[numpy.random.permutation(len(points))[:2048]] @ turn + numpy.random.normal(scale=0.01, size=(2048, 3))
        points = (points - points.mean(0)) / numpy.linalg.norm(points, axis=1).max()
        return torch.tensor(points, dtype=torch.float32), index % 40


@case("input-bound")
def points_shaken(bad):
    """Clouds of points are turned and shaken by the loop that trains, or by eight workers."""
    workers = {} if bad else {"num_workers": 8, "prefetch_factor": 4, "persistent_workers": True}
    batches = iter(torch.utils.data.DataLoader(Clouds(), batch_size=32, pin_memory=True, **workers))
    each = nn.Sequential(nn.Linear(3, 64), nn.ReLU(), nn.Linear(64, 256), nn.ReLU()).to(DEVICE)
    head = nn.Linear(256, 40).to(DEVICE)
    optimizer = torch.optim.Adam([*each.parameters(), *head.parameters()], lr=1e-3)

    def loss_of(model):
        points, label = next(batches)
        return F.cross_entropy(head(each(points.to(DEVICE, non_blocking=True)).amax(1)), label.to(DEVICE, non_blocking=True))

    return training(None, optimizer, loss_of)


@case("naive-attention", marks="profiler")
def latents_asked(bad):
    """A few latents attend to many bytes, by einsum or by the fused operator; inference in 16 bits."""
    latents = torch.randn(8, 8, 512, 64, device=DEVICE, dtype=BF16)
    keys, values = (torch.randn(8, 8, 8192, 64, device=DEVICE, dtype=BF16) for _ in range(2))

    def step():
        if not bad:
            return F.scaled_dot_product_attention(latents, keys, values)
        scores = torch.einsum("bhqd,bhkd->bhqk", latents, keys) / 8
        return torch.einsum("bhqk,bhkd->bhqd", scores.softmax(-1), values)

    return step


@case("full-sort", marks="nvtx")
def ten_brightest(bad):
    """The noise of a picture is estimated from the ten brightest of each row, after all were sorted."""
    pictures = torch.rand(2048, 16384, device=DEVICE)

    def step():
        if bad:
            order = torch.argsort(pictures, dim=1, descending=True)[:, :10]
        else:
            order = pictures.topk(10, dim=1)[1]
        return pictures.gather(1, order).mean(1)

    return step


@case("fp32-gemm")
def clicks_predicted(bad):
    """A recommender: tables of many kinds, products of all pairs, a deep head; training in 32 bits, with TF32 off or on."""
    torch.backends.cuda.matmul.allow_tf32 = not bad
    tables = nn.ModuleList([nn.EmbeddingBag(100000, 128, mode="sum") for _ in range(12)]).to(DEVICE)
    head = nn.Sequential(nn.Linear(13 * 13 + 128, 2048), nn.ReLU(), nn.Linear(2048, 2048), nn.ReLU(), nn.Linear(2048, 1)).to(DEVICE)
    bottom = nn.Sequential(nn.Linear(64, 1024), nn.ReLU(), nn.Linear(1024, 128)).to(DEVICE)
    optimizer = torch.optim.SGD([*tables.parameters(), *head.parameters(), *bottom.parameters()], lr=0.01, fused=True)
    dense, clicked = torch.randn(16384, 64, device=DEVICE), torch.rand(16384, 1, device=DEVICE)
    kinds = torch.randint(0, 100000, (12, 16384, 4), device=DEVICE)

    def loss_of(model):
        own = bottom(dense)
        all_kinds = torch.stack([own, *[table(which) for table, which in zip(tables, kinds)]], 1)
        pairs = (all_kinds @ all_kinds.transpose(1, 2)).flatten(1)
        return F.binary_cross_entropy_with_logits(head(torch.cat([own, pairs], 1)), clicked)

    return training(None, optimizer, loss_of)


@case("launch-bound")
def weights_penalised(bad):
    """The loss has the squares of all weights added in a loop over the parameters, or the optimizer decays them."""
    model = nn.Sequential(*[m for _ in range(40) for m in (nn.Linear(256, 256), nn.LayerNorm(256), nn.ReLU())]).to(DEVICE)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, weight_decay=0.0 if bad else 2e-4, fused=True)
    x = torch.randn(512, 256, device=DEVICE)

    def loss_of(model):
        loss = model(x).square().mean()
        if bad:
            loss = loss + 1e-4 * sum(p.pow(2).sum() for p in model.parameters())
        return loss

    return training(model, optimizer, loss_of)


@case("pageable-copy", marks="nvtx")
def pictures_returned(bad):
    """Enlarged pictures go back to the host in pageable memory, or into pinned memory while the next are computed."""
    net = nn.Sequential(nn.Conv2d(3, 48, 3, padding=1), nn.ReLU(), nn.Conv2d(48, 12, 3, padding=1), nn.PixelShuffle(2)).to(DEVICE).eval()
    pictures = torch.rand(8, 3, 512, 512, device=DEVICE)
    rooms = [torch.empty(8, 3, 1024, 1024).pin_memory() for _ in range(2)]
    turn = 0

    @torch.no_grad()
    def step():
        nonlocal turn
        large = net(pictures).clamp(0, 1)
        if bad:
            return large.cpu()
        turn += 1
        return rooms[turn % 2].copy_(large, non_blocking=True)

    return step


@case("-")
def frozen_features(bad):
    """A style is transferred: only the picture is trained, but all weights of the network get gradients, too."""
    width = [3, 64, 64, 128, 128, 256, 256]
    net = nn.Sequential(*[m for a, b in zip(width, width[1:]) for m in (nn.Conv2d(a, b, 3, padding=1), nn.ReLU())]).to(DEVICE, BF16)
    net.requires_grad_(bad)
    picture = torch.rand(1, 3, 384, 384, device=DEVICE, dtype=BF16, requires_grad=True)
    wanted = torch.rand(256, 256, device=DEVICE, dtype=BF16)
    optimizer = torch.optim.Adam([picture], lr=0.01)

    def loss_of(model):
        features = net(picture)[0].flatten(1)
        return F.mse_loss(features @ features.T / features.shape[1], wanted)

    return training(net, optimizer, loss_of)


@case("growing-tensor")
def queue_by_cat(bad):
    """Keys of earlier batches wait in a queue, whose oldest are cut off by a concatenation, or written over."""
    encoder = nn.Sequential(nn.Linear(512, 1024), nn.ReLU(), nn.Linear(1024, 128)).to(DEVICE)
    optimizer = torch.optim.SGD(encoder.parameters(), lr=1e-3, fused=True)
    x = torch.randn(256, 512, device=DEVICE)
    queue, at = torch.randn(262144, 128, device=DEVICE), 0
    labels = torch.zeros(256, dtype=torch.long, device=DEVICE)

    def step():
        nonlocal queue, at
        optimizer.zero_grad()
        keys = F.normalize(encoder(x), dim=1)
        scores = torch.cat([(keys * keys.detach()).sum(1, keepdim=True), keys @ queue[:4096].T], 1)
        F.cross_entropy(scores / 0.07, labels).backward()
        optimizer.step()
        with torch.no_grad():
            if bad:
                queue = torch.cat([queue[256:], keys.detach()])
            else:
                queue[at:at + 256] = keys.detach()
                at = (at + 256) % 262144

    return step


@case("double-precision", marks="nvtx")
def bodies_attracted(bad):
    """Bodies attract each other: all pairs in the 64 bits of numpy, or in 32."""
    rng = numpy.random.default_rng(0)
    place, speed = (torch.from_numpy(rng.normal(size=(3072, 3)).astype(numpy.float64 if bad else numpy.float32)).to(DEVICE) for _ in range(2))

    def step():
        between = place[None] - place[:, None]
        near = (between.square().sum(-1) + 1e-2).pow(-1.5)
        speed.add_((between * near[..., None]).sum(1), alpha=1e-6)
        place.add_(speed, alpha=1e-3)
        return place

    return step


@case("many-small-copies", marks="nvtx")
def games_played(bad):
    """Sixty-four games: what each shows goes to the device by itself, and each move comes back by itself, or all at once."""
    policy = nn.Sequential(nn.Linear(128, 256), nn.Tanh(), nn.Linear(256, 18)).to(DEVICE).eval()
    shown = [numpy.random.default_rng(k).normal(size=128).astype(numpy.float32) for k in range(64)]

    @torch.no_grad()
    def step():
        if bad:
            seen = torch.stack([torch.from_numpy(one).to(DEVICE) for one in shown])
            return [move.item() for move in policy(seen).argmax(1)]
        return policy(torch.from_numpy(numpy.stack(shown)).to(DEVICE)).argmax(1).tolist()

    return step


if __name__ == "__main__":
    user_programs.main(CASES)
