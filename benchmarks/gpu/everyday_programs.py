#!/usr/bin/env python3
"""More programs like those of library_programs.py, written after the results of its round were known.

    python3 everyday_programs.py list                   their names
    python3 everyday_programs.py run CASE [mended]      as user_programs.py
    python3 everyday_programs.py time OUT [CASE...]     as user_programs.py"""
import functools

import numpy
import torch
import torch.nn as nn
import torch.nn.functional as F

import user_programs
from library_programs import BF16, language_training
from user_programs import DEVICE, training

CASES = {}
case = functools.partial(user_programs.case, round_of=CASES)


def gpt2(layers, attention):
    from transformers import GPT2Config, GPT2LMHeadModel
    config = GPT2Config(n_layer=layers, attn_implementation=attention, attn_pdrop=0.0)
    return GPT2LMHeadModel(config).to(DEVICE, BF16)


@case("layout-conversion")
def resnet_nchw(bad):
    """torchvision's ResNet-50 under autocast, as it comes or in channels_last."""
    from torchvision.models import resnet50
    layout = torch.contiguous_format if bad else torch.channels_last
    model, x = resnet50().to(DEVICE, memory_format=layout), torch.randn(64, 3, 192, 192, device=DEVICE).to(memory_format=layout)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    y = torch.randint(0, 1000, (64,), device=DEVICE)

    def loss_of(model):
        with torch.autocast(DEVICE, BF16):
            return F.cross_entropy(model(x), y)

    return training(model, optimizer, loss_of)


@case("one-hot-product", marks="nvtx")
def rows_by_one_hot(bad):
    """Rows of a table are looked up by a product with one-hot vectors."""
    table = torch.randn(20000, 512, device=DEVICE, dtype=BF16)
    words = torch.randint(0, 20000, (8, 512), device=DEVICE)
    w = torch.randn(512, 512, device=DEVICE, dtype=BF16)

    def step():
        h = F.one_hot(words, 20000).to(BF16) @ table if bad else F.embedding(words, table)
        return torch.tanh(h @ w)

    return step


@case("growing-tensor", marks="nvtx")
def cache_grown(bad):
    """The cache of keys and values becomes longer by torch.cat with each token, or lies ready."""
    heads, size, room, tokens = 16, 128, 2048, 12
    q, k, v = torch.randn(3, 32, heads, 1, size, device=DEVICE, dtype=BF16)
    keys, values = torch.randn(2, 32, heads, room, size, device=DEVICE, dtype=BF16)

    def step():
        mine, ours = keys[:, :, :room - tokens], values[:, :, :room - tokens]
        for t in range(room - tokens, room):
            if bad:
                mine, ours = torch.cat([mine, k], 2), torch.cat([ours, v], 2)
            else:
                keys[:, :, t:t + 1], values[:, :, t:t + 1] = k, v
                mine, ours = keys[:, :, :t + 1], values[:, :, :t + 1]
            out = F.scaled_dot_product_attention(q, mine, ours)
        return out

    return step


@case("repeated-cast")
def weights_cast(bad):
    """A layer of the user's own casts its weights in every call; fine-tuning of one head."""
    class Layer(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.weight = nn.Parameter(torch.randn(width, width) * 0.02, requires_grad=False)

        def forward(self, x):
            return F.gelu(F.linear(x, self.weight.to(BF16)))

    body = nn.Sequential(*[Layer(4096) for _ in range(10)]).to(DEVICE)
    if not bad:
        body = body.to(BF16)
    head = nn.Linear(4096, 10).to(DEVICE, BF16)
    optimizer = torch.optim.SGD(head.parameters(), lr=1e-3)
    x = torch.randn(1024, 4096, device=DEVICE, dtype=BF16)
    return training(head, optimizer, lambda m: m(body(x)).float().square().mean())


@case("launch-bound")
def windows_stacked(bad):
    """Windows of a series are cut out one by one, or by unfold."""
    x = torch.randn(64, 8, 600, device=DEVICE)
    model = nn.Sequential(nn.Linear(8 * 24, 256), nn.ReLU(), nn.Linear(256, 1)).to(DEVICE)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

    def loss_of(model):
        if bad:
            windows = torch.stack([x[:, :, i:i + 24] for i in range(0, 576, 2)], 1)
        else:
            windows = x.unfold(2, 24, 2)[:, :, :288].permute(0, 2, 1, 3)
        return model(windows.reshape(-1, 8 * 24)).square().mean()

    return training(model, optimizer, loss_of)


@case("host-sync", marks="nvtx")
def beams_on_host(bad):
    """A beam search sorts its candidates in Python after every token."""
    table, w, head = torch.randn(8000, 512, device=DEVICE), torch.randn(512, 512, device=DEVICE) * 0.04, torch.randn(512, 8000, device=DEVICE)

    def step():
        words, sums = torch.arange(8, device=DEVICE), torch.zeros(8, device=DEVICE)
        for _ in range(16):
            h = table[words]
            for _ in range(4):
                h = torch.tanh(h @ w)
            scores, found = ((h @ head).log_softmax(-1) + sums[:, None]).topk(8)
            if bad:
                pairs = sorted(((s, f) for row, other in zip(scores.tolist(), found.tolist()) for s, f in zip(row, other)), reverse=True)[:8]
                words, sums = torch.tensor([f for _, f in pairs], device=DEVICE), torch.tensor([s for s, _ in pairs], device=DEVICE)
            else:
                sums, at = scores.flatten().topk(8)
                words = found.flatten()[at]
        return words

    return step


@case("launch-bound", marks="nvtx")
def triton_head_by_head(bad):
    """A Triton kernel for the softmax of a matrix is launched for each head, or for all."""
    import triton
    import triton.language as tl

    @triton.jit
    def softmax(x, y, columns, BLOCK: tl.constexpr):
        row, at = tl.program_id(0), tl.arange(0, BLOCK)
        v = tl.load(x + row * columns + at, at < columns, other=float("-inf"))
        e = tl.exp(v - tl.max(v, 0))
        tl.store(y + row * columns + at, e / tl.sum(e, 0), at < columns)

    x = torch.randn(96, 256, 500, device=DEVICE)
    y = torch.empty_like(x)

    def step():
        if bad:
            for h in range(96):
                softmax[(256,)](x[h], y[h], 500, BLOCK=512)
        else:
            softmax[(96 * 256,)](x, y, 500, BLOCK=512)
        return y

    return step


@case("fp32-gemm")
def vit_without_tf32(bad):
    """timm's vision transformer is trained in 32 bits, with TF32 off or on."""
    import timm
    torch.set_float32_matmul_precision("highest" if bad else "high")
    model = timm.create_model("vit_small_patch16_224", num_classes=100).to(DEVICE)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    x, y = torch.randn(48, 3, 224, 224, device=DEVICE), torch.randint(0, 100, (48,), device=DEVICE)
    return training(model, optimizer, lambda m: F.cross_entropy(m(x), y))


@case("naive-attention")
def gpt2_eager(bad):
    """GPT-2 is trained with the attention that its own code writes out."""
    return language_training(gpt2(6, "eager" if bad else "sdpa").train(), torch.randint(0, 50000, (8, 1024), device=DEVICE))


@case("input-bound")
def texts_padded(bad):
    """Lists of words are padded by a loader without workers, or by four of them."""
    sizes = numpy.random.default_rng(0).integers(100, 400, 4096)

    def together(samples):
        out = torch.zeros(len(samples), 400, dtype=torch.long)
        for row, sample in zip(out, samples):
            row[:len(sample)] = torch.tensor([w * 7 % 30000 for w in sample])
        return out

    texts = [list(range(n)) for n in sizes]
    workers = {} if bad else {"num_workers": 4, "prefetch_factor": 4, "persistent_workers": True}
    loader = torch.utils.data.DataLoader(texts, batch_size=128, collate_fn=together, pin_memory=True, **workers)

    def endless():
        while True:
            yield from loader

    batches = endless()
    model = nn.Sequential(nn.Embedding(30000, 512), nn.Linear(512, 2048), nn.GELU(), nn.Linear(2048, 512)).to(DEVICE, BF16)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    return training(model, optimizer, lambda m: m(next(batches).to(DEVICE, non_blocking=True)).float().square().mean())


@case("pageable-copy")
def dictionaries_moved(bad):
    """Each entry of a batch, a dictionary of large arrays, goes to the device as it is, or from pinned memory."""
    sizes = {"image": (64, 3, 224, 224), "depth": (64, 1, 224, 224), "flow": (64, 2, 224, 224)}
    batch = {name: torch.randn(*size) for name, size in sizes.items()}
    if not bad:
        batch = {name: t.pin_memory() for name, t in batch.items()}
    model = nn.Sequential(nn.Conv2d(6, 64, 7, stride=4), nn.ReLU(), nn.Conv2d(64, 128, 3, stride=2), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                          nn.Linear(128, 10)).to(DEVICE)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

    def loss_of(model):
        there = {name: t.to(DEVICE, non_blocking=not bad) for name, t in batch.items()}
        return model(torch.cat(list(there.values()), 1)).square().mean()

    return training(model, optimizer, loss_of)


@case("unfused-optimizer")
def rates_by_layer(bad):
    """Each tensor has a learning rate of its own and so a group of its own, or layers share one."""
    import timm
    model = timm.create_model("vit_tiny_patch16_224", num_classes=10).to(DEVICE)
    parameters = list(model.parameters())
    groups = [{"params": [p], "lr": 1e-4 * 0.99 ** k} for k, p in enumerate(parameters)] if bad else [{"params": parameters, "lr": 1e-4}]
    optimizer = torch.optim.AdamW(groups)
    x = torch.randn(16, 3, 224, 224, device=DEVICE)

    def loss_of(model):
        with torch.autocast(DEVICE, BF16):
            return model(x).float().square().mean()

    return training(model, optimizer, loss_of)


@case("host-sync")
def anomalies_detected(bad):
    """set_detect_anomaly was left on after a search for a NaN."""
    model = nn.Sequential(*[m for _ in range(16) for m in (nn.Linear(1024, 1024), nn.LayerNorm(1024), nn.GELU())]).to(DEVICE, BF16)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    x = torch.randn(4096, 1024, device=DEVICE, dtype=BF16)
    step = training(model, optimizer, lambda m: m(x).float().square().mean())

    def watched():
        with torch.autograd.set_detect_anomaly(bad):
            return step()

    return watched


@case("full-sort", marks="profiler")
def best_by_sort(bad):
    """The five best of many scores are the head of all of them sorted."""
    scores = torch.randn(256, 100000, device=DEVICE)

    def step():
        return scores.sort(-1, descending=True)[0][:, :5].sum() if bad else scores.topk(5, -1)[0].sum()

    return step


@case("host-sync", marks="profiler")
def negatives_masked(bad):
    """A leaky unit writes to the elements that a mask selects."""
    weights = torch.randn(6, 1024, 1024, device=DEVICE, dtype=BF16) * 0.04
    x = torch.randn(4096, 1024, device=DEVICE, dtype=BF16)

    def step():
        h = x
        for w in weights:
            h = h @ w
            if bad:
                h[h < 0] = h[h < 0] * 0.01
            else:
                h = F.leaky_relu(h, 0.01)
        return h

    return step


@case("-")
def gradients_of_a_table(bad):
    """A recommender's table of a million rows has dense gradients, or sparse ones."""
    table = nn.Embedding(1000000, 64, sparse=not bad).to(DEVICE)
    head = nn.Sequential(nn.Linear(64 * 8, 256), nn.ReLU(), nn.Linear(256, 1)).to(DEVICE)
    optimizers = [torch.optim.SGD(table.parameters(), lr=0.1), torch.optim.SGD(head.parameters(), lr=0.1)]
    seen = torch.randint(0, 1000000, (4096, 8), device=DEVICE)

    def step():
        for optimizer in optimizers:
            optimizer.zero_grad()
        head(table(seen).flatten(1)).square().mean().backward()
        for optimizer in optimizers:
            optimizer.step()

    return step


@case("launch-bound", marks="nvtx")
def cupy_row_by_row(bad):
    """Rows are normalised one after the other by CuPy, or all together."""
    import cupy
    x = cupy.random.random((96, 20000), dtype=cupy.float32)
    if bad:
        return lambda: [(row - row.mean()) / row.max() for row in x]
    return lambda: (x - x.mean(1, keepdims=True)) / x.max(1, keepdims=True)


if __name__ == "__main__":
    user_programs.main(CASES)
