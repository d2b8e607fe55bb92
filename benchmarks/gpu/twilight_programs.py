#!/usr/bin/env python3
"""Nine programs as those of afternoon_programs.py, written with the rules that their round was to test, and before any of them ran on a GPU. One
more in CUDA C++ is in program_cases.cu (kernels_timed).

    python3 twilight_programs.py list                   their names
    python3 twilight_programs.py run CASE [mended]      as user_programs.py
    python3 twilight_programs.py time OUT [CASE...]     as user_programs.py"""
import functools

import numpy
import torch
import torch.nn as nn
import torch.nn.functional as F

import user_programs
from user_programs import DEVICE, training

CASES = {}
case = functools.partial(user_programs.case, round_of=CASES)
BF16 = torch.bfloat16


@case("expanded-copy")
def keys_expanded(bad):
    """A language model with 4 heads of keys for 16 of queries is trained: keys and values are written out for all heads, or shared."""
    width, batch, length = 1024, 8, 2048
    layers = nn.ModuleList([nn.ModuleDict({"q": nn.Linear(width, width), "kv": nn.Linear(width, 512), "o": nn.Linear(width, width)})
                            for _ in range(4)]).to(DEVICE, BF16)
    optimizer = torch.optim.AdamW(layers.parameters(), lr=1e-4, fused=True)
    x = torch.randn(batch, length, width, device=DEVICE, dtype=BF16)

    def repeat_kv(t):
        return t[:, :, None].expand(batch, 4, 4, length, 64).reshape(batch, 16, length, 64)

    def loss_of(model):
        h = x
        for layer in layers:
            q = layer["q"](h).view(batch, length, 16, 64).transpose(1, 2)
            k, v = (t.view(batch, length, 4, 64).transpose(1, 2) for t in layer["kv"](h).chunk(2, -1))
            if bad:
                y = F.scaled_dot_product_attention(q, repeat_kv(k), repeat_kv(v), is_causal=True)
            else:
                y = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
            h = h + layer["o"](y.transpose(1, 2).reshape(batch, length, width))
        return h.float().square().mean()

    return training(None, optimizer, loss_of)


class Clips(torch.utils.data.Dataset):
    """Sixteen frames of a film, cut out and normalised one by one."""

    def __init__(self):
        self.film = numpy.random.default_rng(0).integers(0, 255, (256, 96, 96, 3), dtype=numpy.uint8)

    def __len__(self):
        return 1 << 20

    def __getitem__(self, index):
        frames = []
        for k in range(16):
            frame = self.film[(3 * index + 2 * k) % 256][8:88, 8:88].astype(numpy.float32) / 255
            frames.append(((frame - 0.5) / 0.25).transpose(2, 0, 1))
        return torch.from_numpy(numpy.stack(frames, 1)), index % 12


@case("input-bound")
def clips_stacked(bad):
    """Clips of a film are put together by the loop that trains, or by six workers ahead of it."""
    workers = {} if bad else {"num_workers": 6, "prefetch_factor": 3, "persistent_workers": True}
    batches = iter(torch.utils.data.DataLoader(Clips(), batch_size=12, pin_memory=True, **workers))
    torch.backends.cudnn.allow_tf32 = True
    net = nn.Sequential(nn.Conv3d(3, 32, 3, stride=2), nn.ReLU(), nn.Conv3d(32, 64, 3, stride=2), nn.ReLU(), nn.AdaptiveAvgPool3d(1),
                        nn.Flatten(), nn.Linear(64, 12)).to(DEVICE)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, fused=True)

    def loss_of(model):
        x, y = next(batches)
        return F.cross_entropy(model(x.to(DEVICE, non_blocking=True)), y.to(DEVICE, non_blocking=True))

    return training(net, optimizer, loss_of)


class Norm32(nn.GroupNorm):
    def forward(self, x):
        return F.group_norm(x.float(), self.num_groups, self.weight.float(), self.bias.float(), self.eps).type(x.dtype)


@case("repeated-cast", marks="profiler")
def norms_in_32_bits(bad):
    """A diffusion model's group norms convert to 32 bits and back, or run on 16 bits; sampling."""
    norm = Norm32 if bad else nn.GroupNorm
    layers = [m for _ in range(8) for m in (norm(32, 128), nn.SiLU(), nn.Conv2d(128, 128, 3, padding=1))]
    net = nn.Sequential(*layers).to(DEVICE, torch.float16).requires_grad_(False)
    x = torch.randn(8, 128, 128, 128, device=DEVICE, dtype=torch.float16)

    @torch.no_grad()
    def step():
        return x - 0.1 * net(x)

    return step


@case("launch-bound", marks="nvtx")
def clips_transformed(bad):
    """Spectra of 48 sounds are computed one after the other, or as one batch, and classified."""
    window, mel = torch.hann_window(400, device=DEVICE), torch.rand(201, 64, device=DEVICE)
    sounds, head = torch.randn(48, 16000, device=DEVICE), nn.Linear(64, 10).to(DEVICE)

    def features(sound):
        spectrum = torch.stft(sound, 400, 160, window=window, return_complex=True).abs().square()
        return torch.log(spectrum.transpose(-1, -2) @ mel + 1e-6).mean(-2)

    @torch.no_grad()
    def step():
        return head(torch.stack([features(sound) for sound in sounds]) if bad else features(sounds))

    return step


@case("many-small-copies", marks="nvtx")
def joints_found(bad):
    """The places of 17 joints in 8 pictures are read from heat maps joint by joint, or together."""
    net = nn.Sequential(nn.Conv2d(3, 64, 7, stride=2, padding=3), nn.ReLU(), nn.Conv2d(64, 17, 3, padding=1)).to(DEVICE)
    x = torch.randn(8, 3, 128, 128, device=DEVICE)

    @torch.no_grad()
    def step():
        maps = net(x).flatten(2)
        if not bad:
            best, place = maps.max(-1)
            return list(zip(place.tolist(), best.tolist()))
        found = []
        for picture in range(8):
            for joint in range(17):
                place = maps[picture, joint].argmax()
                found.append((int(place), float(maps[picture, joint, place])))
        return found

    return step


@case("memory-bound", marks="nvtx")
def triton_of_contiguous(bad):
    """A Triton kernel for rotary positions wants heads outside, for which its caller copies; or it takes strides."""
    import triton
    import triton.language as tl

    @triton.jit
    def rotate(x, c, s, y, length, heads, step_b, step_l, step_h, HALF: tl.constexpr):
        row = tl.program_id(0)
        place, head, batch = row % length, row // length % heads, row // length // heads
        at = tl.arange(0, HALF)
        base = x + batch * step_b + place * step_l + head * step_h
        a, b = tl.load(base + at).to(tl.float32), tl.load(base + HALF + at).to(tl.float32)
        co, si = tl.load(c + place * HALF + at), tl.load(s + place * HALF + at)
        out = y + ((batch * heads + head) * length + place) * 2 * HALF
        tl.store(out + at, (a * co - b * si).to(y.dtype.element_ty))
        tl.store(out + HALF + at, (b * co + a * si).to(y.dtype.element_ty))

    batch, length, heads, half = 8, 2048, 16, 32
    weight = [torch.randn(1024, 1024, device=DEVICE, dtype=BF16) / 32 for _ in range(6)]
    x, angle = torch.randn(batch, length, 1024, device=DEVICE, dtype=BF16), torch.rand(length, half, device=DEVICE)
    co, si = angle.cos(), angle.sin()

    @torch.no_grad()
    def step():
        h = x
        for w in weight:
            t = (h @ w).view(batch, length, heads, 64).transpose(1, 2)
            t = t.contiguous() if bad else t
            out = torch.empty(batch, heads, length, 64, device=DEVICE, dtype=BF16)
            rotate[(batch * heads * length,)](t, co, si, out, length, heads, t.stride(0), t.stride(2), t.stride(1), HALF=half)
            h = out.view(batch, length, 1024)
        return h

    return step


@case("repeated-cast")
def logits_upcast(bad):
    """A language model's 32,768 logits are converted to 32 bits for the loss, or it takes 16 bits; training."""
    table, head = nn.Embedding(32768, 768).to(DEVICE, BF16), nn.Linear(768, 32768, bias=False).to(DEVICE, BF16)
    mix = nn.Sequential(nn.Linear(768, 3072), nn.GELU(), nn.Linear(3072, 768)).to(DEVICE, BF16)
    optimizer = torch.optim.AdamW([*table.parameters(), *mix.parameters(), *head.parameters()], lr=1e-4, fused=True)
    text = torch.randint(0, 32768, (8192,), device=DEVICE)

    def loss_of(model):
        h = table(text)
        logits = head(h + mix(h))
        return F.cross_entropy((logits.float() if bad else logits)[:-1], text[1:])

    return training(None, optimizer, loss_of)


@case("host-sync")
def prefetch_awaited(bad):
    """Batches are uploaded by another stream; the host waits for that stream before it launches, or the device's stream does."""
    net = nn.Sequential(*[m for _ in range(6) for m in (nn.Linear(2048, 2048), nn.ReLU())], nn.Linear(2048, 10)).to(DEVICE)
    torch.backends.cuda.matmul.allow_tf32 = True
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-3, fused=True)
    ready, label = [torch.randn(2048, 2048).pin_memory() for _ in range(3)], torch.randint(0, 10, (2048,), device=DEVICE)
    side, turn = torch.cuda.Stream(), {"k": 0}

    def batch():
        turn["k"] += 1
        with torch.cuda.stream(side):
            x = ready[turn["k"] % 3].to(DEVICE, non_blocking=True)
        if bad:
            side.synchronize()
        else:
            torch.cuda.current_stream().wait_stream(side)
        x.record_stream(torch.cuda.current_stream())
        return x

    return training(net, optimizer, lambda model: F.cross_entropy(model(batch()), label))


@case("host-sync")
def returns_on_host(bad):
    """An actor's returns over 96 ticks of 32 games: rewards come to the host, which sums and uploads them, or a product on the device."""
    policy = nn.Sequential(nn.Linear(128, 512), nn.Tanh(), nn.Linear(512, 512), nn.Tanh(), nn.Linear(512, 6)).to(DEVICE)
    optimizer = torch.optim.Adam(policy.parameters(), lr=3e-4, fused=True)
    seen, action = torch.randn(96, 32, 128, device=DEVICE), torch.randint(0, 6, (96, 32), device=DEVICE)
    rewards = torch.randn(96, 32, device=DEVICE)
    tick = torch.arange(96, device=DEVICE)
    discount = torch.where(tick[None] >= tick[:, None], 0.99 ** (tick[None] - tick[:, None]).float(), 0.0)

    def returns():
        if not bad:
            return discount @ rewards
        paid = rewards.cpu().numpy()
        out, later = numpy.zeros_like(paid), numpy.zeros(32, numpy.float32)
        for t in reversed(range(96)):
            out[t] = later = paid[t] + 0.99 * later
        return torch.from_numpy(out).to(DEVICE)

    def loss_of(model):
        gain = returns()
        gain = (gain - gain.mean()) / (gain.std() + 1e-6)
        chance = F.log_softmax(model(seen), -1).gather(-1, action[..., None]).squeeze(-1)
        return -(chance * gain).mean()

    return training(policy, optimizer, loss_of)


if __name__ == "__main__":
    user_programs.main(CASES)
