#!/usr/bin/env python3
"""More programs as those of user_programs.py: its second round.

    python3 second_programs.py list                   their names
    python3 second_programs.py run CASE [mended]      as user_programs.py
    python3 second_programs.py time OUT [CASE...]     as user_programs.py"""
import functools

import numpy
import torch
import torch.nn as nn
import torch.nn.functional as F

import user_programs
from user_programs import DEVICE, Encoder, small_resnet, training

CASES = {}
case = functools.partial(user_programs.case, round_of=CASES)


@case("gradient-zeroing")
def gradients_filled(bad):
    """Gradients are filled with zeros, and then added to."""
    model = nn.Sequential(*[m for _ in range(8) for m in (nn.Linear(4096, 4096), nn.ReLU())]).to(DEVICE, torch.bfloat16)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    x = torch.randn(256, 4096, device=DEVICE, dtype=torch.bfloat16)

    def step():
        optimizer.zero_grad(set_to_none=not bad)
        model(x).float().square().mean().backward()
        optimizer.step()

    return step


@case("host-sync", marks="nvtx")
def layers_timed(bad):
    """A user who times each layer leaves synchronizations behind."""
    layers = [nn.TransformerEncoderLayer(512, 8, 2048, batch_first=True).to(DEVICE, torch.bfloat16).eval().requires_grad_(False) for _ in range(6)]
    x = torch.randn(32, 256, 512, device=DEVICE, dtype=torch.bfloat16)

    def step():
        h = x
        with torch.enable_grad():  # so that no fused path of inference is taken
            for layer in layers:
                h = layer(h)
                if bad:
                    torch.cuda.synchronize()
        return h

    return step


@case("host-sync")
def loss_by_class(bad):
    """The loss of each class is taken from the rows that a mask selects, or by one sum over classes."""
    model = nn.Sequential(*[m for _ in range(4) for m in (nn.Linear(1024, 1024), nn.ReLU())]).to(DEVICE, torch.bfloat16)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    x = torch.randn(16384, 1024, device=DEVICE, dtype=torch.bfloat16)
    y = torch.randint(0, 24, (16384,), device=DEVICE)

    def loss_of(model):
        error = model(x).float().square().mean(1)
        if bad:
            return sum(error[y == k].mean() for k in range(24)) / 24
        sums = torch.zeros(24, device=DEVICE).index_add(0, y, error)
        return (sums / torch.zeros(24, device=DEVICE).index_add(0, y, torch.ones_like(error))).mean()

    return training(model, optimizer, loss_of)


@case("unfused-optimizer")
def momentum_in_a_loop(bad):
    model = nn.Sequential(*[m for _ in range(40) for m in (nn.Linear(384, 384), nn.BatchNorm1d(384), nn.ReLU())]).to(DEVICE)
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-4, momentum=0.9, foreach=not bad)
    x = torch.randn(2048, 384, device=DEVICE)
    return training(model, optimizer, lambda m: m(x).square().mean())


@case("pageable-copy")
def batches_unpinned(bad):
    """Batches are in memory that is not pinned."""
    model = small_resnet(64).to(torch.bfloat16)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    batch = torch.randn(256, 3, 128, 128)
    batch = batch if bad else batch.pin_memory()
    return training(model, optimizer, lambda m: m(batch.to(DEVICE, non_blocking=True).to(torch.bfloat16)).float().square().mean())


@case("fusable-chain", marks="profiler")
def gelu_by_formula(bad):
    """A feed-forward block whose GELU is written out."""
    up, down = (nn.Linear(a, b).to(DEVICE, torch.bfloat16).requires_grad_(False) for a, b in ((2048, 8192), (8192, 2048)))
    x = torch.randn(8192, 2048, device=DEVICE, dtype=torch.bfloat16)

    def step():
        h = x
        for _ in range(3):
            u = up(h)
            u = 0.5 * u * (1 + torch.tanh(0.7978845608 * (u + 0.044715 * u * u * u))) if bad else F.gelu(u, approximate="tanh")
            h = h + down(u)
        return h

    return step


@case("fp32-gemm")
def convolutions_without_tf32(bad):
    torch.backends.cudnn.allow_tf32 = not bad
    model = small_resnet(128)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x = torch.randn(64, 3, 128, 128, device=DEVICE)
    return training(model, optimizer, lambda m: m(x).square().mean())


@case("many-small-copies", marks="nvtx")
def weights_of_samples(bad):
    """A weight for each of 64 samples goes to the device by itself, or all go together."""
    model = nn.Sequential(*[m for _ in range(4) for m in (nn.Linear(2048, 2048), nn.ReLU())]).to(DEVICE, torch.bfloat16).requires_grad_(False)
    x = torch.randn(64, 256, 2048, device=DEVICE, dtype=torch.bfloat16)
    weights = numpy.random.default_rng(0).random(64).tolist()

    def step():
        h = model(x)
        if bad:
            w = torch.stack([torch.tensor(v, device=DEVICE) for v in weights])
        else:
            w = torch.tensor(weights, device=DEVICE)
        return (h.float().mean((1, 2)) * w).sum()

    return step


@case("input-bound")
def noise_from_the_host(bad):
    """Noise for a denoiser's training is made by the host, or by the device."""
    model = small_resnet(64).to(torch.bfloat16)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x = torch.randn(128, 3, 96, 96, device=DEVICE)

    def loss_of(model):
        noise = torch.randn(128, 3, 96, 96).to(DEVICE) if bad else torch.randn(128, 3, 96, 96, device=DEVICE)
        return model((x + noise).to(torch.bfloat16)).float().square().mean()

    return training(model, optimizer, loss_of)


@case("launch-bound", marks="profiler")
def one_token(bad):
    """One token at a time through a small decoder."""
    model = Encoder(512, 8, 8).to(DEVICE, torch.bfloat16).requires_grad_(False)
    x = torch.randn(1, 16, 512, device=DEVICE, dtype=torch.bfloat16)
    from later_cases import graphed

    def step():
        return model(x)

    return step if bad else graphed(step)


@case("recomputed-forward")
def checkpointed_convolutions(bad):
    """Blocks of a convolutional network are checkpointed, though memory would do."""
    from torch.utils.checkpoint import checkpoint
    model = small_resnet(128).to(torch.bfloat16)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x = torch.randn(128, 3, 128, 128, device=DEVICE, dtype=torch.bfloat16)

    def loss_of(model):
        h = model[1](model[0](x))
        for block in model[2:6]:
            h = checkpoint(block, h, use_reentrant=True) if bad else block(h)
        return model[8](model[7](model[6](h))).float().square().mean()

    return training(model, optimizer, loss_of)


@case("repeated-copy")
def class_weights_uploaded(bad):
    """A table of weights is built from numpy for each of four heads, or once."""
    heads = nn.ModuleList([nn.Linear(512, 32768) for _ in range(4)]).to(DEVICE, torch.bfloat16)
    optimizer = torch.optim.SGD(heads.parameters(), lr=1e-3)
    x = torch.randn(256, 512, device=DEVICE, dtype=torch.bfloat16)
    table = numpy.random.default_rng(0).random((256, 32768), dtype=numpy.float32)
    there = torch.from_numpy(table).to(DEVICE)

    def loss_of(heads):
        return sum((head(x).float().square() * (torch.from_numpy(table).to(DEVICE) if bad else there)).mean() for head in heads)

    return training(heads, optimizer, loss_of)


if __name__ == "__main__":
    user_programs.main(CASES)
