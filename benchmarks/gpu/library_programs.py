#!/usr/bin/env python3
"""More programs as those of user_programs.py, on the libraries that users have: transformers, torchvision, timm, torchmetrics.

    python3 library_programs.py list                   their names
    python3 library_programs.py run CASE [mended]      as user_programs.py
    python3 library_programs.py time OUT [CASE...]     as user_programs.py

A case with the finding `-` has a cause that no rule knew when the case was written."""
import functools

import numpy
import torch
import torch.nn as nn
import torch.nn.functional as F

import user_programs
from user_programs import DEVICE, training

CASES = {}
BF16 = torch.bfloat16
case = functools.partial(user_programs.case, round_of=CASES)


def llama(vocabulary, layers, width=1024):
    from transformers import LlamaConfig, LlamaForCausalLM
    config = LlamaConfig(vocab_size=vocabulary, hidden_size=width, intermediate_size=3 * width, num_hidden_layers=layers,
                         num_attention_heads=width // 64, num_key_value_heads=width // 64, max_position_embeddings=2048)
    return LlamaForCausalLM(config).to(DEVICE, BF16)


def language_training(model, tokens):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    return training(model, optimizer, lambda m: m(input_ids=tokens, labels=tokens).loss)


@case("naive-attention", marks="nvtx")
def bert_eager(bad):
    """Sentences of different lengths are embedded by BERT, with the attention that its own code writes out."""
    from transformers import BertConfig, BertModel
    config = BertConfig(num_hidden_layers=6, attn_implementation="eager" if bad else "sdpa")
    model = BertModel(config).to(DEVICE, BF16).eval().requires_grad_(False)
    tokens = torch.randint(0, 30000, (24, 512), device=DEVICE)
    mask = (torch.arange(512, device=DEVICE)[None] < torch.randint(200, 512, (24, 1), device=DEVICE)).long()
    return lambda: model(input_ids=tokens, attention_mask=mask).last_hidden_state[:, 0]


@case("recomputed-forward")
def llama_checkpointing(bad):
    """gradient_checkpointing_enable() of transformers, though memory would do."""
    model = llama(32000, 8)
    if bad:
        model.gradient_checkpointing_enable()
    model.train()
    return language_training(model, torch.randint(0, 32000, (8, 512), device=DEVICE))


@case("unaligned-gemm")
def one_token_added(bad):
    """A padding token is added to a vocabulary of 32000."""
    model = llama(32000, 4)
    model.resize_token_embeddings(32001, **({} if bad else {"pad_to_multiple_of": 64}))
    return language_training(model, torch.randint(0, 32000, (8, 1024), device=DEVICE))


@case("-", marks="nvtx")
def generate_without_cache(bad):
    """generate() computes all tokens again for each new one."""
    from transformers import GPT2Config, GPT2LMHeadModel
    model = GPT2LMHeadModel(GPT2Config(n_layer=6)).to(DEVICE, BF16).eval().requires_grad_(False)
    tokens = torch.randint(0, 50000, (16, 256), device=DEVICE)
    return lambda: model.generate(tokens, max_new_tokens=16, do_sample=False, use_cache=not bad, pad_token_id=50256,
                                  attention_mask=torch.ones_like(tokens))


@case("pageable-copy", marks="nvtx")
def logits_kept_on_host(bad):
    """An evaluation gathers all scores on the host before it selects the best."""
    model = llama(32000, 2).eval().requires_grad_(False)
    tokens = torch.randint(0, 32000, (8, 256), device=DEVICE)

    def step():
        logits = model(input_ids=tokens).logits
        return logits.float().cpu().argmax(-1) if bad else logits.argmax(-1).cpu()

    return step


@case("unfused-normalisation")
def convnext_norms(bad):
    """ConvNeXt's norm over channels of pictures, as its authors wrote it, or by the library's norm."""
    class Norm(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.weight, self.bias = nn.Parameter(torch.ones(width)), nn.Parameter(torch.zeros(width))

        def forward(self, x):
            if not bad:
                return F.layer_norm(x.permute(0, 2, 3, 1), self.weight.shape, self.weight, self.bias, 1e-6).permute(0, 3, 1, 2)
            u = x.mean(1, keepdim=True)
            s = (x - u).pow(2).mean(1, keepdim=True)
            x = (x - u) / torch.sqrt(s + 1e-6)
            return self.weight[:, None, None] * x + self.bias[:, None, None]

    parts = [m for _ in range(4) for m in (Norm(128), nn.Conv2d(128, 128, 1))]
    model = nn.Sequential(nn.Conv2d(3, 128, 4, stride=4), *parts).to(DEVICE, BF16, memory_format=torch.channels_last)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    x = torch.randn(64, 3, 224, 224, device=DEVICE, dtype=BF16).to(memory_format=torch.channels_last)
    return training(model, optimizer, lambda m: m(x).float().square().mean())


@case("fusable-chain", marks="profiler")
def mish_by_formula(bad):
    """A detector's backbone with Mish from its formula."""
    def mish(x):
        return x * torch.tanh(torch.log(1 + torch.exp(x))) if bad else F.mish(x)

    convolutions = [nn.Conv2d(64, 64, 3, padding=1) for _ in range(4)]
    layers = nn.ModuleList([nn.Conv2d(3, 64, 3, padding=1), *convolutions]).to(DEVICE, BF16, memory_format=torch.channels_last).requires_grad_(False)
    x = torch.randn(32, 3, 320, 320, device=DEVICE, dtype=BF16).to(memory_format=torch.channels_last)

    def step():
        h = x
        for layer in layers:
            h = mish(layer(h))
        return h.mean((2, 3))

    return step


@case("host-sync", marks="nvtx")
def boxes_class_by_class(bad):
    """The boxes of each class are cleaned of those that overlap, class after class, or all at once."""
    from torchvision.ops import batched_nms, nms
    corner = torch.rand(3000, 2, device=DEVICE) * 600
    boxes = torch.cat([corner, corner + 20 + torch.rand(3000, 2, device=DEVICE) * 60], 1)
    scores, labels = torch.rand(3000, device=DEVICE), torch.randint(0, 80, (3000,), device=DEVICE)

    def step():
        if not bad:
            return boxes[batched_nms(boxes, scores, labels, 0.5)]
        kept = []
        for c in range(80):
            mine = labels == c
            if mine.any():
                b = boxes[mine]
                kept.append(b[nms(b, scores[mine], 0.5)])
        return torch.cat(kept)

    return step


@case("input-bound")
def transforms_on_host(bad):
    """Pictures are resized and normalised by torchvision on the host, or by the same transforms on the device."""
    from torchvision.models import resnet18
    from torchvision.transforms import v2
    change = v2.Compose([v2.Resize(224, antialias=True), v2.RandomHorizontalFlip(), v2.ToDtype(torch.float32, scale=True),
                         v2.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])])
    model = resnet18().to(DEVICE, memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    raw = torch.randint(0, 255, (64, 3, 288, 288), dtype=torch.uint8).pin_memory()

    def loss_of(model):
        x = change(raw).to(DEVICE) if bad else change(raw.to(DEVICE, non_blocking=True))
        with torch.autocast(DEVICE, BF16):
            return model(x.to(memory_format=torch.channels_last)).float().square().mean()

    return training(model, optimizer, loss_of)


@case("unfused-optimizer")
def average_by_state_dict(bad):
    """A moving average of a model is kept entry by entry of its state."""
    import timm
    model, average = (timm.create_model("mobilenetv3_small_100").to(DEVICE) for _ in range(2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    x = torch.randn(64, 3, 160, 160, device=DEVICE)
    step = training(model, optimizer, lambda m: m(x).square().mean())
    pairs = [(a, m) for a, m in zip(average.state_dict().values(), model.state_dict().values()) if a.is_floating_point()]

    def averaged():
        step()
        with torch.no_grad():
            if bad:
                for a, m in pairs:
                    a.copy_(a * 0.999 + (1 - 0.999) * m)
            else:
                torch._foreach_lerp_([a for a, _ in pairs], [m for _, m in pairs], 0.001)

    return averaged


@case("host-sync")
def metrics_read(bad):
    """A training loop asks its metrics and its loss for numbers after every batch."""
    import timm
    from torchmetrics.classification import MulticlassAccuracy, MulticlassF1Score
    model = timm.create_model("resnet26", num_classes=50).to(DEVICE, memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    metrics = [MulticlassAccuracy(50).to(DEVICE), MulticlassF1Score(50).to(DEVICE)]
    x = torch.randn(32, 3, 128, 128, device=DEVICE).to(memory_format=torch.channels_last)
    y = torch.randint(0, 50, (32,), device=DEVICE)

    def step():
        optimizer.zero_grad()
        with torch.autocast(DEVICE, BF16):
            scores = model(x)
        loss = F.cross_entropy(scores.float(), y)
        loss.backward()
        optimizer.step()
        if bad:
            return [m(scores, y).item() for m in metrics], loss.item()
        for m in metrics:
            m.update(scores, y)

    return step


@case("fusable-chain", marks="profiler")
def distances_broadcast(bad):
    """Distances of all pairs from all differences, or by cdist."""
    a, b = torch.randn(2, 4096, 64, device=DEVICE)

    def step():
        if bad:
            return ((a[:, None, :] - b[None, :, :]) ** 2).sum(-1).sqrt().argmin(1)
        return torch.cdist(a, b).argmin(1)

    return step


@case("double-precision")
def numbers_of_numpy(bad):
    """A physics-informed network is trained in 64 bits, because numpy's numbers have as many."""
    points = numpy.random.default_rng(0).uniform(size=(32768, 3))
    x = torch.from_numpy(points if bad else points.astype(numpy.float32)).to(DEVICE)
    layers = [m for _ in range(5) for m in (nn.Linear(512, 512), nn.Tanh())]
    model = nn.Sequential(nn.Linear(3, 512), nn.Tanh(), *layers, nn.Linear(512, 1)).to(DEVICE, x.dtype)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    return training(model, optimizer, lambda m: m(x).square().mean())


@case("many-small-copies", marks="nvtx")
def samples_from_lists(bad):
    """Each sample of a batch becomes a tensor of the device by itself; a small classifier reads them."""
    model = nn.Sequential(nn.EmbeddingBag(30000, 512), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 20)).to(DEVICE).requires_grad_(False)
    sizes = numpy.random.default_rng(0).integers(40, 200, 128)
    samples = [numpy.random.default_rng(k).integers(0, 30000, n).tolist() for k, n in enumerate(sizes)]

    def step():
        if bad:
            parts = [torch.tensor(s, device=DEVICE) for s in samples]
            words, starts = torch.cat(parts), torch.tensor([0, *(len(s) for s in samples[:-1])], device=DEVICE).cumsum(0)
        else:
            words, starts = torch.tensor([w for s in samples for w in s]).to(DEVICE), torch.from_numpy(numpy.cumsum([0, *sizes[:-1]])).to(DEVICE)
        return model[1:](model[0](words, starts)).argmax(1)

    return step


@case("input-bound")
def spectra_on_host(bad):
    """Spectra of sounds are computed on the host, or on the device."""
    sounds = torch.randn(64, 32000).pin_memory()
    here, there = torch.hann_window(512), torch.hann_window(512, device=DEVICE)
    model = nn.Sequential(nn.Conv2d(1, 32, 3, stride=2), nn.ReLU(), nn.Conv2d(32, 64, 3, stride=2), nn.ReLU(), nn.AdaptiveAvgPool2d(1),
                          nn.Flatten(), nn.Linear(64, 12)).to(DEVICE)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

    def spectra(x, window):
        return torch.stft(x, 512, 160, window=window, return_complex=True).abs().log1p()[:, None]

    def loss_of(model):
        x = spectra(sounds, here).to(DEVICE) if bad else spectra(sounds.to(DEVICE, non_blocking=True), there)
        return model(x).square().mean()

    return training(model, optimizer, loss_of)


@case("launch-bound")
def lstm_by_cells(bad):
    """A tagger trains an LSTM that is a loop over cells, or the library's."""
    width, length = 256, 64
    cell, whole = nn.LSTMCell(width, width).to(DEVICE), nn.LSTM(width, width).to(DEVICE)
    x = torch.randn(length, 64, width, device=DEVICE)
    model = cell if bad else whole
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

    def loss_of(model):
        if not bad:
            return model(x)[0].square().mean()
        h = c = torch.zeros(64, width, device=DEVICE)
        out = []
        for t in range(length):
            h, c = model(x[t], (h, c))
            out.append(h)
        return torch.stack(out).square().mean()

    return training(model, optimizer, loss_of)


if __name__ == "__main__":
    user_programs.main(CASES)
