#!/usr/bin/env python3
"""Twelve programs as those of user_programs.py, small enough for an emulated GPU. All halves were written before any was recorded. They test
whether the cause is found, not its time.

    python3 emulated_programs.py list                   their names
    warplens record --emulate --sample --torch-shapes -o CASE.wlens -- python3 emulated_programs.py run CASE [mended]"""
import functools

import torch
import torch.nn as nn
import torch.nn.functional as F

import user_programs
from user_programs import DEVICE, training

CASES = {}
case = functools.partial(user_programs.case, round_of=CASES)
BF16 = torch.bfloat16
user_programs.STEPS = 8


@case("launch-bound", marks="nvtx")
def crops_scored(bad):
    """Twelve crops of a picture are scored one after the other, or as one batch."""
    crops, filters = torch.randn(12, 3, 16, 16, device=DEVICE), torch.randn(8, 48, device=DEVICE)

    @torch.no_grad()
    def step():
        if not bad:
            return torch.tanh(crops.flatten(2).transpose(1, 2).reshape(12, -1, 48) @ filters.t()).amax(1)
        out = []
        for i in range(len(crops)):
            pieces = crops[i].flatten(1).transpose(0, 1).reshape(-1, 48)
            out.append(torch.tanh(pieces @ filters.t()).amax(0))
        return torch.stack(out)

    return step


@case("host-sync", marks="nvtx")
def peaks_of_channels(bad):
    """The loudest moment of 16 channels is read channel by channel, or all at once."""
    sound = torch.randn(16, 2048, device=DEVICE)

    @torch.no_grad()
    def step():
        if not bad:
            return sound.abs().amax(1).tolist()
        return [sound[k].abs().max().item() for k in range(16)]

    return step


@case("repeated-cast", marks="nvtx")
def scores_in_32_bits(bad):
    """Attention's scores of 16 bits become 32 bits for their softmax and 16 bits again, or stay as they are."""
    q, k, v = (torch.randn(4, 128, 64, device=DEVICE, dtype=BF16) for _ in range(3))

    @torch.no_grad()
    def step():
        x = v
        for _ in range(4):
            scores = (q @ k.transpose(1, 2)) / 8
            weights = torch.softmax(scores.float(), -1).to(BF16) if bad else torch.softmax(scores, -1)
            x = weights @ x
        return x

    return step


@case("repeated-cast")
def loss_in_32_bits(bad):
    """Logits of 16 bits become 32 bits for the loss; training."""
    net, head = nn.Linear(64, 64).to(DEVICE, BF16), nn.Linear(64, 2048).to(DEVICE, BF16)
    optimizer = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.01, fused=True)
    x, y = torch.randn(128, 64, device=DEVICE, dtype=BF16), torch.randint(0, 2048, (128,), device=DEVICE)

    def loss_of(model):
        logits = head(F.relu(net(x)))
        return F.cross_entropy(logits.float() if bad else logits, y)

    return training(None, optimizer, loss_of)


@case("growing-tensor", marks="nvtx")
def history_kept(bad):
    """An agent's history grows by one row a tick, by concatenation or in place."""
    policy = nn.Linear(64, 64).to(DEVICE).requires_grad_(False)

    @torch.no_grad()
    def step():
        seen = torch.randn(1, 64, device=DEVICE)
        kept = torch.empty(17, 64, device=DEVICE)
        history = seen
        kept[0] = seen[0]
        for tick in range(16):
            seen = torch.tanh(policy(seen))
            if bad:
                history = torch.cat([history, seen])
            else:
                kept[tick + 1] = seen[0]
        return history if bad else kept

    return step


@case("one-hot-product", marks="nvtx")
def atoms_embedded(bad):
    """Kinds of atoms become vectors by a product with their one-hot codes, or by looking them up."""
    table, kinds = torch.randn(96, 64, device=DEVICE), torch.randint(0, 96, (512,), device=DEVICE)

    @torch.no_grad()
    def step():
        rows = F.one_hot(kinds, 96).float() @ table if bad else table[kinds]
        return F.silu(rows).sum(0)

    return step


@case("full-sort", marks="nvtx")
def neighbours_by_sort(bad):
    """The four nearest of 256 points come from a whole sort, or from a selection."""
    points = torch.randn(64, 256, device=DEVICE)

    @torch.no_grad()
    def step():
        near = points.argsort(-1)[:, :4] if bad else points.topk(4, -1, largest=False).indices
        return torch.gather(points, 1, near).mean(1)

    return step


@case("unfused-optimizer")
def shadow_weights(bad):
    """A diffusion model's shadow weights follow tensor by tensor, or by lists; training."""
    net = nn.Sequential(*[m for k in range(6) for m in (nn.Linear(32 + 8 * k, 40 + 8 * k), nn.SiLU())]).to(DEVICE)
    shadow = [p.detach().clone() for p in net.parameters()]
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, foreach=True)
    x = torch.randn(16, 32, device=DEVICE)

    def loss_of(model):
        with torch.no_grad():
            if bad:
                for s, p in zip(shadow, net.parameters()):
                    s.mul_(0.99).add_(p, alpha=0.01)
            else:
                torch._foreach_mul_(shadow, 0.99)
                torch._foreach_add_(shadow, list(net.parameters()), alpha=0.01)
        return net(x).square().mean()

    return training(None, optimizer, loss_of)


@case("unused-gradients")
def backbone_frozen(bad):
    """Only the head of a network is in the optimizer, and the rest gets gradients, or none; training."""
    body = nn.Sequential(*[m for _ in range(6) for m in (nn.Linear(64, 64), nn.ReLU())]).to(DEVICE).requires_grad_(bad)
    head = nn.Linear(64, 8).to(DEVICE)
    optimizer = torch.optim.SGD(head.parameters(), lr=0.01, foreach=True)
    x, y = torch.randn(32, 64, device=DEVICE), torch.randint(0, 8, (32,), device=DEVICE)
    return training(None, optimizer, lambda model: F.cross_entropy(head(body(x)), y))


@case("double-precision", marks="nvtx")
def window_in_64_bits(bad):
    """A window of numpy makes a sound's frames 64 bits wide, or it is converted before."""
    import numpy
    window = torch.from_numpy(numpy.hanning(256)).to(DEVICE)
    window = window if bad else window.float()
    frames = torch.randn(64, 256, device=DEVICE)

    @torch.no_grad()
    def step():
        x = frames * window
        return (x * x).mean(1).sqrt() + x.abs().amax(1)

    return step


@case("unfused-normalisation", marks="nvtx")
def rows_normalised(bad):
    """Rows are normalised by formula, or by the library; a graph network's inference."""
    nodes, weight = torch.randn(512, 256, device=DEVICE), torch.randn(256, 256, device=DEVICE) / 16

    @torch.no_grad()
    def step():
        h = nodes
        for _ in range(3):
            h = h @ weight
            if bad:
                mean = h.mean(-1, keepdim=True)
                h = (h - mean) / torch.sqrt((h - mean).pow(2).mean(-1, keepdim=True) + 1e-5)
            else:
                h = F.layer_norm(h, (256,))
        return h

    return step


@case("many-small-copies", marks="nvtx")
def actions_uploaded(bad):
    """Twenty-four players' actions are uploaded one by one, or as one tensor."""
    value = nn.Linear(8, 1).to(DEVICE).requires_grad_(False)
    actions = [[float(k + j) for j in range(8)] for k in range(24)]

    @torch.no_grad()
    def step():
        if bad:
            return value(torch.stack([torch.tensor(action, device=DEVICE) for action in actions]))
        return value(torch.tensor(actions, device=DEVICE))

    return step


if __name__ == "__main__":
    user_programs.main(CASES)
