#!/usr/bin/env python3
"""More programs as those of user_programs.py, small enough that `warplens record --emulate` runs them without a GPU.

    python3 third_programs.py list                   their names
    python3 third_programs.py run CASE [mended]      as user_programs.py
    python3 third_programs.py time OUT [CASE...]     as user_programs.py"""
import functools

import numpy
import torch
import torch.nn as nn
import torch.nn.functional as F

import user_programs
from user_programs import DEVICE, Encoder, training

CASES = {}
case = functools.partial(user_programs.case, round_of=CASES)


def perceptron(depth=6, width=256, dtype=torch.float32):
    layers = [m for _ in range(depth) for m in (nn.Linear(width, width), nn.LayerNorm(width), nn.GELU())]
    return nn.Sequential(*layers).to(DEVICE, dtype)


@case("unfused-optimizer")
def averaged_weights(bad):
    """A moving average of all weights is kept in a loop over parameters, or by operators on lists."""
    model, average = perceptron(12), perceptron(12).requires_grad_(False)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    x = torch.randn(256, 256, device=DEVICE)
    step = training(model, optimizer, lambda m: m(x).square().mean())

    def averaged():
        step()
        with torch.no_grad():
            if bad:
                for a, p in zip(average.parameters(), model.parameters()):
                    a.mul_(0.999).add_(p, alpha=0.001)
            else:
                torch._foreach_lerp_(list(average.parameters()), list(model.parameters()), 0.001)

    return averaged


@case("unfused-optimizer")
def momentum_by_hand(bad):
    """A loop written by the user updates the weights; there is no optimizer."""
    model = perceptron(12)
    parameters = list(model.parameters())
    momenta = [torch.zeros_like(p) for p in parameters]
    x = torch.randn(256, 256, device=DEVICE)

    def step():
        for p in parameters:
            p.grad = None
        model(x).square().mean().backward()
        with torch.no_grad():
            if bad:
                for p, m in zip(parameters, momenta):
                    m.mul_(0.9).add_(p.grad)
                    p.add_(m, alpha=-1e-3)
            else:
                torch._foreach_mul_(momenta, 0.9)
                torch._foreach_add_(momenta, [p.grad for p in parameters])
                torch._foreach_add_(parameters, momenta, alpha=-1e-3)

    return step


@case("unfused-optimizer")
def two_optimizers(bad):
    """A generator and a discriminator, each with an optimizer that goes tensor by tensor."""
    make, judge = perceptron(6), perceptron(6)
    options = {"foreach": False} if bad else {"foreach": True}
    first, other = (torch.optim.Adam(m.parameters(), lr=1e-4, **options) for m in (make, judge))
    x = torch.randn(256, 256, device=DEVICE)

    def step():
        first.zero_grad()
        judge(make(x)).mean().backward()
        first.step()
        other.zero_grad()
        (judge(x).mean() - judge(make(x).detach()).mean()).backward()
        other.step()

    return step


@case("host-sync", marks="nvtx")
def hits_counted(bad):
    """Evaluation asks after every batch how many answers were right."""
    model = perceptron(8).requires_grad_(False)
    batches = torch.randn(4, 512, 256, device=DEVICE)
    labels = torch.randint(0, 256, (4, 512), device=DEVICE)

    def step():
        hits = 0
        for x, y in zip(batches, labels):
            right = (model(x).argmax(1) == y).sum()
            hits = hits + (right.item() if bad else right)
        return hits

    return step


@case("host-sync")
def losses_summed(bad):
    """Gradients of eight batches are added up; the loss of each is read for the log."""
    model = perceptron(4)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    x = torch.randn(8, 256, 256, device=DEVICE)

    def step():
        optimizer.zero_grad()
        total = 0
        for batch in x:
            loss = model(batch).square().mean() / 8
            loss.backward()
            total = total + (loss.item() if bad else loss.detach())
        optimizer.step()
        return total

    return step


@case("host-sync")
def gradients_checked(bad):
    """Every gradient is asked whether it holds a number that is none."""
    model = perceptron(12)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    x = torch.randn(256, 256, device=DEVICE)

    def step():
        optimizer.zero_grad()
        model(x).square().mean().backward()
        if bad:
            if any(torch.isnan(p.grad).any().item() for p in model.parameters()):
                return
        optimizer.step()

    return step


@case("host-sync", marks="profiler")
def rows_by_mask(bad):
    """Rows that pass a gate are taken out by a mask in every layer, or multiplied by it."""
    weights = torch.randn(8, 256, 256, device=DEVICE) * 0.05
    x = torch.randn(1024, 256, device=DEVICE)

    def step():
        h = x
        for w in weights:
            gate = h[:, 0] > 0
            if bad:
                out = torch.zeros_like(h)
                out[gate] = h[gate] @ w
            else:
                out = (h @ w) * gate[:, None]
            h = h + out
        return h

    return step


@case("launch-bound", marks="nvtx")
def tokens_one_by_one(bad):
    """A small decoder with a cache of fixed size, a token at a time."""
    from later_cases import graphed
    layers, width, room = 4, 256, 128
    wqkv = torch.randn(layers, width, 3 * width, device=DEVICE) * 0.05
    wo = torch.randn(layers, width, width, device=DEVICE) * 0.05
    keys, values = torch.zeros(2, layers, 4, room, 64, device=DEVICE)
    x = torch.randn(1, width, device=DEVICE)
    place = torch.tensor([5], device=DEVICE)

    def step():
        h = x
        for i in range(layers):
            q, k, v = (F.layer_norm(h, (width,)) @ wqkv[i]).view(3, 4, 1, 64)
            keys[i].index_copy_(1, place, k)
            values[i].index_copy_(1, place, v)
            a = ((q @ keys[i].transpose(1, 2)) * 0.125).softmax(-1) @ values[i]
            h = h + a.reshape(1, width) @ wo[i]
        return h

    return step if bad else graphed(step)


@case("launch-bound")
def rows_gathered(bad):
    """Vectors of words are looked up one by one."""
    table = torch.randn(5000, 256, device=DEVICE)
    words = list(range(0, 256, 2))
    there = torch.tensor(words, device=DEVICE)
    w = torch.randn(256, 256, device=DEVICE)

    def step():
        rows = torch.stack([table[i] for i in words]) if bad else table[there]
        return (rows @ w).tanh().sum()

    return step


@case("input-bound")
def lines_parsed(bad):
    """Numbers are parsed from text by the loop that trains, or beforehand."""
    model = perceptron(4)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    text = [",".join(f"{v:.4f}" for v in numpy.random.default_rng(k).normal(size=256)) for k in range(128)]
    parsed = torch.tensor([[float(v) for v in line.split(",")] for line in text]).pin_memory()

    def loss_of(model):
        batch = torch.tensor([[float(v) for v in line.split(",")] for line in text]) if bad else parsed
        return model(batch.to(DEVICE, non_blocking=True)).square().mean()

    return training(model, optimizer, loss_of)


@case("pageable-copy", marks="profiler")
def arrays_uploaded(bad):
    """Batches come as arrays of numpy."""
    model = perceptron(4).requires_grad_(False)
    array = numpy.random.default_rng(0).normal(size=(4096, 256)).astype(numpy.float32)
    pinned = torch.from_numpy(array).pin_memory()

    def step():
        x = torch.from_numpy(array).to(DEVICE) if bad else pinned.to(DEVICE, non_blocking=True)
        return model(x)

    return step


@case("many-small-copies", marks="nvtx")
def lengths_uploaded(bad):
    """The length of each of 48 sequences goes to the device by itself."""
    x = torch.randn(48, 64, 128, device=DEVICE)
    lengths = numpy.random.default_rng(0).integers(1, 64, 48)
    at = torch.arange(64, device=DEVICE)

    def step():
        if bad:
            n = torch.cat([torch.tensor([v]).to(DEVICE) for v in lengths])
        else:
            n = torch.from_numpy(lengths).to(DEVICE)
        return (x * (at[None, :] < n[:, None])[:, :, None]).sum(1)

    return step


@case("repeated-copy", marks="profiler")
def table_uploaded(bad):
    """A table of angles is made on the host for every layer."""
    x = torch.randn(4, 1024, 256, device=DEVICE)
    w = torch.randn(256, 256, device=DEVICE) * 0.05

    def angles():
        return torch.outer(torch.arange(1024.0), 10000 ** (-torch.arange(0, 256.0) / 256)).cos()

    there = angles().to(DEVICE)

    def step():
        h = x
        for _ in range(6):
            h = (h * (angles().to(DEVICE) if bad else there)) @ w
        return h

    return step


@case("fusable-chain", marks="nvtx")
def swish_by_formula(bad):
    """A gated unit from its formula on large tensors, against the library's."""
    x, gate = torch.randn(2, 4096, 2048, device=DEVICE)

    def step():
        if bad:
            return x * (gate * (1 / (1 + torch.exp(-gate)))) * 0.5 + x
        return torch.addcmul(x, x, F.silu(gate), value=0.5)

    return step


@case("unfused-normalisation")
def norms_by_formula(bad):
    """Layer norms from their formula; training."""
    class Norm(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight, self.bias = nn.Parameter(torch.ones(512)), nn.Parameter(torch.zeros(512))

        def forward(self, x):
            if not bad:
                return F.layer_norm(x, (512,), self.weight, self.bias)
            mean = x.mean(-1, keepdim=True)
            variance = (x - mean).pow(2).mean(-1, keepdim=True)
            return (x - mean) / torch.sqrt(variance + 1e-5) * self.weight + self.bias

    model = nn.Sequential(*[m for _ in range(3) for m in (Norm(), nn.Linear(512, 512))]).to(DEVICE)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    x = torch.randn(4096, 512, device=DEVICE)
    return training(model, optimizer, lambda m: m(x).square().mean())


@case("naive-attention", marks="nvtx")
def masked_attention(bad):
    """Causal attention written out; inference."""
    q, k, v = torch.randn(3, 2, 8, 512, 64, device=DEVICE)
    mask = torch.ones(512, 512, device=DEVICE, dtype=torch.bool).tril()

    def step():
        if bad:
            scores = (q @ k.transpose(-1, -2)) * 0.125
            return scores.masked_fill(~mask, float("-inf")).softmax(-1) @ v
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)

    return step


@case("repeated-cast", marks="profiler")
def types_to_and_fro(bad):
    """An activation is computed in 32 bits between layers of 16."""
    layers = nn.ModuleList([nn.Linear(512, 512) for _ in range(6)]).to(DEVICE, torch.bfloat16).requires_grad_(False)
    x = torch.randn(4096, 512, device=DEVICE, dtype=torch.bfloat16)

    def step():
        h = x
        for layer in layers:
            h = layer(h)
            h = F.silu(h.float()).bfloat16() if bad else F.silu(h)
        return h

    return step


@case("gradient-zeroing")
def gradients_zeroed_in_a_loop(bad):
    """Gradients are filled with zeros one by one before each step."""
    model = perceptron(12)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    x = torch.randn(256, 256, device=DEVICE)

    def step():
        for p in model.parameters():
            if not bad:
                p.grad = None
            elif p.grad is not None:
                p.grad.zero_()
        model(x).square().mean().backward()
        optimizer.step()

    return step


@case("recomputed-forward")
def blocks_checkpointed(bad):
    """Blocks of a small encoder are run again in the backward pass."""
    from torch.utils.checkpoint import checkpoint
    model = Encoder(256, 4, 4).to(DEVICE)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    x = torch.randn(4, 128, 256, device=DEVICE)

    def loss_of(model):
        h = x
        for layer in model.layers:
            h = checkpoint(layer, h, use_reentrant=False) if bad else layer(h)
        return h.square().mean()

    return training(model, optimizer, loss_of)


@case("allocator-churn", marks="nvtx")
def cache_emptied_in_evaluation(bad):
    """Evaluation empties the allocator's cache after each batch."""
    model = perceptron(6, 512).requires_grad_(False)
    x = torch.randn(1024, 512, device=DEVICE)

    def step():
        out = model(x)
        if bad:
            del out
            torch.cuda.empty_cache()

    return step


if __name__ == "__main__":
    user_programs.main(CASES)
