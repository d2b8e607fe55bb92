#!/usr/bin/env python3
"""More programs as those of third_programs.py, written with the rules that their round was to test, and before it.

    python3 weekday_programs.py list                   their names
    python3 weekday_programs.py run CASE [mended]      as user_programs.py
    python3 weekday_programs.py time OUT [CASE...]     as user_programs.py"""
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


@case("host-sync")
def clipped_by_the_host(bad):
    """Gradients are clipped where the host finds their norm too large, or by a factor that stays on the device."""
    model = nn.Sequential(*[m for _ in range(20) for m in (nn.Linear(1024, 1024), nn.GELU())]).to(DEVICE, BF16)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    x = torch.randn(1024, 1024, device=DEVICE, dtype=BF16)

    def step():
        optimizer.zero_grad()
        model(x).float().square().mean().backward()
        gradients = [p.grad for p in model.parameters()]
        if bad:
            for g in gradients:
                norm = g.norm().item()
                if norm > 1:
                    g.mul_(1 / norm)
        else:
            torch._foreach_mul_(gradients, [1 / n.clamp(min=1) for n in torch._foreach_norm(gradients)])
        optimizer.step()

    return step


@case("fusable-chain", marks="profiler")
def centres_by_norm(bad):
    """The nearest of 1,024 centres is found from the differences to all, or by a library's distances."""
    x, centres = torch.randn(20000, 32, device=DEVICE), torch.randn(1024, 32, device=DEVICE)

    def step():
        distances = (x[:, None] - centres[None]).norm(dim=-1) if bad else torch.cdist(x, centres)
        return distances.argmin(1)

    return step


@case("full-sort", marks="nvtx")
def words_sampled(bad):
    """A word is drawn from the 50 best of a vocabulary, which is sorted for it."""
    hidden, head = torch.randn(64, 1024, device=DEVICE, dtype=BF16), torch.randn(1024, 128000, device=DEVICE, dtype=BF16) * 0.05

    def step():
        logits = (hidden @ head).float()
        if bad:
            ordered, words = torch.sort(logits, dim=-1, descending=True)
            best, words = ordered[:, :50], words[:, :50]
        else:
            best, words = logits.topk(50, -1)
        drawn = torch.multinomial(best.softmax(-1), 1)
        return words.gather(1, drawn)

    return step


@case("growing-tensor", marks="nvtx")
def states_collected(bad):
    """The states of many environments are appended to a collection, or written into reserved space."""
    w, start, turns = torch.randn(256, 256, device=DEVICE) * 0.06, torch.randn(8192, 256, device=DEVICE), 40
    room = torch.empty(turns, 8192, 256, device=DEVICE)

    def step():
        state, seen = start, start[None]
        for turn in range(turns):
            state = torch.tanh(state @ w)
            if bad:
                seen = torch.cat([seen, state[None]])
            else:
                room[turn] = state
        return (seen if bad else room).mean(0)

    return step


class Sentences(torch.utils.data.Dataset):
    """Lines of text that become numbers character by character."""

    def __init__(self):
        letters = numpy.random.default_rng(0).integers(97, 123, (256, 600), dtype=numpy.uint8)
        self.lines = [bytes(row).decode() for row in letters]

    def __len__(self):
        return 1 << 20

    def __getitem__(self, index):
        return torch.tensor([ord(letter) - 96 for letter in self.lines[index % 256]])


@case("input-bound")
def letters_numbered(bad):
    """Text is made into numbers in the loop, or by eight workers."""
    workers = {} if bad else {"num_workers": 8, "prefetch_factor": 4, "persistent_workers": True}
    batches = iter(torch.utils.data.DataLoader(Sentences(), batch_size=96, pin_memory=True, **workers))
    model = nn.Sequential(nn.Embedding(64, 512), nn.Linear(512, 1024), nn.GELU(), nn.Linear(1024, 64)).to(DEVICE, BF16)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)

    def loss_of(model):
        letters = next(batches).to(DEVICE, non_blocking=True)
        return F.cross_entropy(model(letters[:, :-1]).flatten(0, 1).float(), letters[:, 1:].flatten())

    return training(model, optimizer, loss_of)


@case("-", marks="nvtx")
def evaluated_with_gradients(bad):
    """A validation step keeps all that a backward pass would need, or runs without it."""
    model = nn.Sequential(*[m for _ in range(24) for m in (nn.Linear(512, 512), nn.LayerNorm(512), nn.ReLU())]).to(DEVICE, BF16)
    x, y = torch.randn(2048, 512, device=DEVICE, dtype=BF16), torch.randint(0, 512, (2048,), device=DEVICE)

    def step():
        with torch.set_grad_enabled(bad):
            return F.cross_entropy(model(x).float(), y)

    return step


@case("double-precision", marks="profiler")
def signals_in_64_bits(bad):
    """Signals of numpy are filtered and normalised as they come, or in 32 bits."""
    raw = numpy.random.default_rng(0).normal(size=(512, 16384))
    signals = torch.from_numpy(raw if bad else raw.astype(numpy.float32)).to(DEVICE)
    window = torch.hann_window(16384, dtype=signals.dtype, device=DEVICE)

    def step():
        centred = (signals - signals.mean(1, keepdim=True)) * window
        scaled = centred / centred.std(1, keepdim=True).clamp(min=1e-3)
        return torch.tanh(scaled).cumsum(1).square().mean(1)

    return step


@case("many-small-copies")
def settings_uploaded(bad):
    """Each of two dozen settings of a step becomes a tensor of its own, or one tensor has all."""
    model = nn.Sequential(*[m for _ in range(6) for m in (nn.Linear(512, 512), nn.ReLU())]).to(DEVICE)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    x = torch.randn(512, 512, device=DEVICE)
    values = [0.01 * k for k in range(24)]

    def loss_of(model):
        if bad:
            weights = torch.stack([torch.tensor(v, device=DEVICE) for v in values])
        else:
            weights = torch.tensor(values).pin_memory().to(DEVICE, non_blocking=True)
        return (model(x).square().mean() * weights).sum()

    return training(model, optimizer, loss_of)


@case("naive-attention")
def windows_attended(bad):
    """Attention within windows of a picture, with a learnt bias, is written out, or fused."""
    windows, heads, size, tokens = 512, 6, 32, 64
    q, k, v = (nn.Parameter(torch.randn(windows, heads, tokens, size, device=DEVICE, dtype=BF16)) for _ in range(3))
    bias = torch.randn(1, heads, tokens, tokens, device=DEVICE, dtype=BF16)
    optimizer = torch.optim.SGD([q, k, v], lr=1e-3, fused=True)

    def step():
        optimizer.zero_grad()
        if bad:
            scores = (q * size**-0.5) @ k.transpose(-2, -1) + bias
            out = scores.softmax(-1) @ v
        else:
            out = F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        out.float().square().mean().backward()
        optimizer.step()

    return step


@case("launch-bound", marks="nvtx")
def messages_passed(bad):
    """A small graph network is run operator by operator, or as one CUDA graph."""
    nodes, edges, width = 2000, 12000, 64
    source, target = torch.randint(0, nodes, (2, edges), device=DEVICE)
    layers = nn.ModuleList([nn.Linear(2 * width, width) for _ in range(12)]).to(DEVICE).requires_grad_(False)
    x = torch.randn(nodes, width, device=DEVICE)

    def step():
        h = x
        for layer in layers:
            messages = F.relu(layer(torch.cat([h[source], h[target]], 1)))
            h = h + torch.zeros_like(h).index_add_(0, target, messages)
        return h

    return step if bad else graphed(step)


if __name__ == "__main__":
    user_programs.main(CASES)
