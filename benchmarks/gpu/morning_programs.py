#!/usr/bin/env python3
"""Ten programs as those of evening_programs.py, on subjects that no earlier set has, written before any of them ran on a GPU. Two more in
CUDA C++ are in program_cases.cu (settings_each, waves_in_64_bits).

    nvcc -O3 -arch=sm_90 -shared -Xcompiler -fPIC -o scan_extension.so scan_extension.cu
    python3 morning_programs.py list                   their names
    python3 morning_programs.py run CASE [mended]      as user_programs.py
    python3 morning_programs.py time OUT [CASE...]     as user_programs.py"""
import ctypes
import functools
import pathlib

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


class Spike(torch.autograd.Function):
    """A step function whose gradient is that of a steep sigmoid."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return (x > 0).float()

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        return gradient / (1 + 10 * x.abs()) ** 2


@case("launch-bound")
def spikes_in_time(bad):
    """A network of spiking neurons is trained over 32 ticks, operator by operator or as one CUDA graph."""
    first, second = nn.Linear(784, 256).to(DEVICE), nn.Linear(256, 10).to(DEVICE)
    parameters = [*first.parameters(), *second.parameters()]
    optimizer = torch.optim.SGD(parameters, lr=1e-3, fused=True)
    seen, label = (torch.rand(32, 128, 784, device=DEVICE) < 0.2).float(), torch.randint(0, 10, (128,), device=DEVICE)

    def step():
        optimizer.zero_grad(set_to_none=False)
        charge, out = torch.zeros(128, 256, device=DEVICE), torch.zeros(128, 10, device=DEVICE)
        for tick in range(32):
            charge = 0.9 * charge + first(seen[tick])
            spike = Spike.apply(charge - 1)
            charge = charge - spike.detach()
            out = out + second(spike)
        F.cross_entropy(out / 32, label).backward()
        optimizer.step()

    if bad:
        return step
    for p in parameters:
        p.grad = torch.zeros_like(p)
    return graphed(step)


@case("host-sync", marks="nvtx")
def rounds_until_accepted(bad):
    """Points are drawn inside a shape until all are accepted, which is asked after each round, or for as many rounds as it ever takes."""
    centre = torch.randn(24, 3, device=DEVICE)

    def step():
        points, open_ = torch.zeros(65536, 3, device=DEVICE), torch.ones(65536, dtype=torch.bool, device=DEVICE)
        for _ in range(32):
            drawn = torch.rand(65536, 3, device=DEVICE) * 4 - 2
            inside = (torch.cdist(drawn, centre).amin(1) < 1.0) & open_
            points = torch.where(inside[:, None], drawn, points)
            open_ = open_ & ~inside
            if bad and not open_.any().item():
                break
        return points

    return step


class Sounds(torch.utils.data.Dataset):
    """Half a second of sound each, cut, mixed with noise and turned into a logarithmic spectrum by numpy."""

    def __init__(self):
        self.raw = numpy.random.default_rng(0).normal(size=(32, 16000)).astype(numpy.float32)
        self.window = numpy.hanning(400).astype(numpy.float32)

    def __len__(self):
        return 1 << 20

    def __getitem__(self, index):
        sound = self.raw[index % 32][index % 4000:index % 4000 + 8000]
        sound = sound + 0.01 * numpy.random.normal(size=8000).astype(numpy.float32)
        frames = numpy.lib.stride_tricks.sliding_window_view(sound, 400)[::160] * self.window
        return torch.from_numpy(numpy.log(numpy.abs(numpy.fft.rfft(frames)) ** 2 + 1e-6).astype(numpy.float32)), index % 35


@case("input-bound")
def sounds_heard(bad):
    """Words are recognised in sounds that the loop itself prepares, or eight workers ahead of it."""
    workers = {} if bad else {"num_workers": 8, "prefetch_factor": 4, "persistent_workers": True}
    batches = iter(torch.utils.data.DataLoader(Sounds(), batch_size=64, pin_memory=True, **workers))
    model = nn.Sequential(nn.Conv1d(201, 256, 5, padding=2), nn.ReLU(), nn.Conv1d(256, 256, 5, padding=2), nn.ReLU(), nn.AdaptiveAvgPool1d(1),
                          nn.Flatten(), nn.Linear(256, 35)).to(DEVICE)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)

    def loss_of(model):
        x, y = next(batches)
        return F.cross_entropy(model(x.to(DEVICE, non_blocking=True).transpose(1, 2)), y.to(DEVICE, non_blocking=True))

    return training(model, optimizer, loss_of)


@case("repeated-cast", marks="profiler")
def weights_dequantised(bad):
    """Weights of 8 bits are made into 16 bits for every token that is decoded, or once."""
    width, blocks = 4096, 12
    small = [torch.randint(-127, 128, (width, width), dtype=torch.int8, device=DEVICE) for _ in range(blocks)]
    scale = [torch.rand(width, 1, device=DEVICE, dtype=BF16) * 1e-3 for _ in range(blocks)]
    ready = [] if bad else [w.to(BF16) * s for w, s in zip(small, scale)]
    x = torch.randn(8, width, device=DEVICE, dtype=BF16)

    @torch.no_grad()
    def step():
        h = x
        for k in range(blocks):
            weight = small[k].to(BF16) * scale[k] if bad else ready[k]
            h = F.silu(F.linear(h, weight)) + h
        return h

    return step


@case("exposed-copy")
def frames_prefetched(bad):
    """Pinned frames go to the device on the stream that trains, or on another while the batch before is trained."""
    torch.backends.cudnn.allow_tf32 = True
    net = nn.Sequential(nn.Conv3d(3, 32, 3, stride=2, padding=1), nn.ReLU(), nn.Conv3d(32, 64, 3, stride=2, padding=1), nn.ReLU(),
                        nn.AdaptiveAvgPool3d(1), nn.Flatten(), nn.Linear(64, 20)).to(DEVICE)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, fused=True)
    ready = [torch.rand(8, 3, 16, 160, 160).pin_memory() for _ in range(3)]
    label = torch.randint(0, 20, (8,), device=DEVICE)
    other, state = torch.cuda.Stream(), {"turn": 0, "next": None}

    def upload():
        state["turn"] += 1
        return ready[state["turn"] % 3].to(DEVICE, non_blocking=True)

    def batch():
        if bad:
            return upload()
        now = state["next"] if state["next"] is not None else upload()
        torch.cuda.current_stream().wait_stream(other)
        with torch.cuda.stream(other):
            state["next"] = upload()
        now.record_stream(torch.cuda.current_stream())
        return now

    return training(net, optimizer, lambda model: F.cross_entropy(model(batch()), label))


@case("launch-bound", marks="nvtx")
def scan_by_extension(bad):
    """A recurrence over 400 ticks by the user's own CUDA extension, which is called for every tick or once."""
    library = ctypes.CDLL(str(pathlib.Path(__file__).with_name("scan_extension.so")))
    pointer = lambda t: ctypes.c_void_p(t.data_ptr())
    x, gate = (torch.rand(400, 64 * 512, device=DEVICE) for _ in range(2))
    head = nn.Linear(512, 64).to(DEVICE)
    state, out = torch.zeros(64 * 512, device=DEVICE), torch.empty(400, 64 * 512, device=DEVICE)

    @torch.no_grad()
    def step():
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        if bad:
            for tick in range(400):
                library.scan(pointer(x[tick]), pointer(gate[tick]), pointer(state), pointer(out[tick]), 1, 64 * 512, stream)
        else:
            library.scan(pointer(x), pointer(gate), pointer(state), pointer(out), 400, 64 * 512, stream)
        return head(out.view(400 * 64, 512))

    return step


@case("fusable-chain", marks="nvtx")
def triton_one_by_one(bad):
    """A bias, an activation, a scale and a residual, each by a Triton kernel of its own, or all by one."""
    import triton
    import triton.language as tl

    @triton.jit
    def add_bias(x, b, y, columns, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(y + at, tl.load(x + at) + tl.load(b + at % columns))

    @triton.jit
    def swish(x, y, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        v = tl.load(x + at)
        tl.store(y + at, v / (1 + tl.exp(-v)))

    @triton.jit
    def scale(x, y, by, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(y + at, tl.load(x + at) * by)

    @triton.jit
    def add(x, r, y, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(y + at, tl.load(x + at) + tl.load(r + at))

    @triton.jit
    def all_of_them(x, b, r, y, columns, by, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        v = tl.load(x + at) + tl.load(b + at % columns)
        tl.store(y + at, v / (1 + tl.exp(-v)) * by + tl.load(r + at))

    torch.backends.cuda.matmul.allow_tf32 = True
    x, weight = torch.randn(8192, 2048, device=DEVICE), torch.randn(2048, 2048, device=DEVICE) / 45
    bias = torch.randn(2048, device=DEVICE)
    grid = (x.numel() // 1024,)

    @torch.no_grad()
    def step():
        h = x
        for _ in range(3):
            product = h @ weight
            if bad:
                biased, active, scaled, out = (torch.empty_like(product) for _ in range(4))
                add_bias[grid](product, bias, biased, 2048, BLOCK=1024)
                swish[grid](biased, active, BLOCK=1024)
                scale[grid](active, scaled, 0.7, BLOCK=1024)
                add[grid](scaled, h, out, BLOCK=1024)
            else:
                out = torch.empty_like(product)
                all_of_them[grid](product, bias, h, out, 2048, 0.7, BLOCK=1024)
            h = out
        return h

    return step


class Adapted(nn.Module):
    """A product with a large weight and with the small ones of an adapter."""

    def __init__(self, width, frozen):
        super().__init__()
        self.base, self.down, self.up = nn.Linear(width, width), nn.Linear(width, 16, bias=False), nn.Linear(16, width, bias=False)
        self.base.requires_grad_(not frozen)

    def forward(self, x):
        return F.gelu(self.base(x) + self.up(self.down(x))) + x


@case("unused-gradients")
def adapters_trained(bad):
    """Adapters of a large network are trained; its own weights, which no optimizer has, get gradients, too."""
    model = nn.Sequential(*[Adapted(2048, not bad) for _ in range(8)]).to(DEVICE, BF16)
    optimizer = torch.optim.AdamW([p for name, p in model.named_parameters() if "base" not in name], lr=1e-4, fused=True)
    x = torch.randn(8192, 2048, device=DEVICE, dtype=BF16)
    return training(model, optimizer, lambda m: m(x).float().square().mean())


@case("full-sort", marks="nvtx")
def medians_of_clients(bad):
    """The weights that 64 clients send are combined by their median, after all were sorted, or by a selection."""
    sent = torch.randn(1 << 18, 64, device=DEVICE)
    weight = torch.randn(1 << 18, device=DEVICE)

    def step():
        middle = sent.sort(dim=1).values[:, 31] if bad else sent.kthvalue(32, dim=1).values
        return weight.add_(middle - weight, alpha=0.1)

    return step


@case("unfused-optimizer")
def signs_of_momentum(bad):
    """Lion's rule is applied to a convolutional network parameter by parameter, or by operators on lists."""
    torch.backends.cudnn.allow_tf32 = True
    layers = [m for _ in range(24) for m in (nn.Conv2d(48, 48, 3, padding=1), nn.GroupNorm(8, 48), nn.SiLU())]
    model = nn.Sequential(nn.Conv2d(3, 48, 3, padding=1), *layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(48, 10)).to(DEVICE)
    parameters = list(model.parameters())
    momentum = [torch.zeros_like(p) for p in parameters]
    x, label = torch.randn(32, 3, 32, 32, device=DEVICE), torch.randint(0, 10, (32,), device=DEVICE)

    def step():
        for p in parameters:
            p.grad = None
        loss = F.cross_entropy(model(x), label)
        loss.backward()
        with torch.no_grad():
            if bad:
                for p, m in zip(parameters, momentum):
                    update = (m * 0.9 + p.grad * 0.1).sign()
                    p.mul_(1 - 1e-4).add_(update, alpha=-1e-4)
                    m.mul_(0.99).add_(p.grad, alpha=0.01)
            else:
                gradients = [p.grad for p in parameters]
                update = torch._foreach_mul(momentum, 0.9)
                torch._foreach_add_(update, gradients, alpha=0.1)
                torch._foreach_sign_(update)
                torch._foreach_mul_(parameters, 1 - 1e-4)
                torch._foreach_add_(parameters, update, alpha=-1e-4)
                torch._foreach_mul_(momentum, 0.99)
                torch._foreach_add_(momentum, gradients, alpha=0.01)
        return loss

    return step


if __name__ == "__main__":
    user_programs.main(CASES)
