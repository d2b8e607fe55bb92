#!/usr/bin/env python3
"""Ten programs as those of noon_programs.py, on subjects that no earlier set has, written before any of them ran on a GPU. Two more in
CUDA C++ are in program_cases.cu (signals_beside_a_counter, largest_by_sort).

    nvcc -O3 -arch=sm_90 -shared -Xcompiler -fPIC -o scan_extension.so scan_extension.cu
    python3 afternoon_programs.py list                   their names
    python3 afternoon_programs.py run CASE [mended]      as user_programs.py
    python3 afternoon_programs.py time OUT [CASE...]     as user_programs.py"""
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


@case("host-sync")
def noise_gathered(bad):
    """A diffusion model is trained; the schedule of its noise lies on the host, where each batch's times are brought to read it."""
    where = "cpu" if bad else DEVICE
    alphas = torch.cumprod(1 - torch.linspace(1e-4, 0.02, 1000), 0).to(where)
    keep, mix = alphas.sqrt(), (1 - alphas).sqrt()
    block = lambda a, b: nn.Sequential(nn.Conv2d(a, b, 3, padding=1), nn.GroupNorm(8, b), nn.SiLU())
    net = nn.Sequential(block(3, 64), block(64, 64), block(64, 64), block(64, 64), nn.Conv2d(64, 3, 3, padding=1)).to(DEVICE)
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-4, fused=True)
    pictures = torch.randn(16, 3, 32, 32, device=DEVICE)

    def extract(values, t):
        return values.gather(-1, t.cpu() if bad else t).reshape(-1, 1, 1, 1).to(t.device)

    def loss_of(model):
        t, noise = torch.randint(0, 1000, (16,), device=DEVICE), torch.randn_like(pictures)
        return F.mse_loss(model(extract(keep, t) * pictures + extract(mix, t) * noise), noise)

    return training(net, optimizer, loss_of)


@case("launch-bound")
def advantages_in_turn(bad):
    """Generalised advantages over 128 ticks of 64 games on the device, tick by tick or as one CUDA graph, then one update of the policy."""
    policy = nn.Sequential(nn.Linear(64, 256), nn.Tanh(), nn.Linear(256, 256), nn.Tanh(), nn.Linear(256, 1)).to(DEVICE)
    optimizer = torch.optim.Adam(policy.parameters(), lr=3e-4, fused=True)
    seen = torch.randn(128, 64, 64, device=DEVICE)
    rewards, values, done = torch.randn(128, 64, device=DEVICE), torch.randn(129, 64, device=DEVICE), (torch.rand(129, 64, device=DEVICE) < 0.02).float()
    advantages = torch.zeros(128, 64, device=DEVICE)

    @torch.no_grad()
    def estimate():
        last = torch.zeros(64, device=DEVICE)
        for t in reversed(range(128)):
            goes_on = 1.0 - done[t + 1]
            delta = rewards[t] + 0.99 * values[t + 1] * goes_on - values[t]
            advantages[t] = last = delta + 0.99 * 0.95 * goes_on * last

    estimate = estimate if bad else graphed(estimate)

    def loss_of(model):
        estimate()
        return F.mse_loss(model(seen).squeeze(-1), advantages + values[:-1])

    return training(policy, optimizer, loss_of)


@case("launch-bound", marks="nvtx")
def vocoder_with_weight_norm(bad):
    """A vocoder's convolutions compute their normalised weights anew for every sound, or had them removed before inference."""
    norm = nn.utils.parametrizations.weight_norm if bad else lambda layer: layer
    layers = [m for k in range(24) for m in (nn.LeakyReLU(0.1), norm(nn.Conv1d(64, 64, 3, padding=1 + k % 3, dilation=1 + k % 3)))]
    net = nn.Sequential(norm(nn.Conv1d(80, 64, 7, padding=3)), *layers, norm(nn.Conv1d(64, 1, 7, padding=3))).to(DEVICE).requires_grad_(False)
    spectrum = torch.randn(1, 80, 400, device=DEVICE)

    @torch.no_grad()
    def step():
        return torch.tanh(net(spectrum))

    return step


@case("memory-bound", marks="nvtx")
def norms_unfolded(bad):
    """A detector's batch norms run after their convolutions, or are folded into them; inference in 16 bits, channels_last."""
    convs = [nn.Conv2d(3 if k == 0 else 64, 64, 3, padding=1, bias=False) for k in range(8)]
    layers = []
    for conv in convs:
        conv, norm = conv.eval(), nn.BatchNorm2d(64).eval()
        layers += [conv, norm, nn.ReLU()] if bad else [nn.utils.fusion.fuse_conv_bn_eval(conv, norm), nn.ReLU()]
    net = nn.Sequential(*layers).eval().to(DEVICE, torch.float16, memory_format=torch.channels_last)
    x = torch.randn(16, 3, 320, 320, device=DEVICE, dtype=torch.float16).to(memory_format=torch.channels_last)

    @torch.no_grad()
    def step():
        return net(x)

    return step


@case("memory-bound", marks="profiler")
def heads_repeated(bad):
    """Tokens are decoded with 8 heads of keys for 32 of queries: the cache is written out for each of these, or read as it is."""
    layers, width = 8, 2048
    weight = [torch.randn(width, width, device=DEVICE, dtype=BF16) * 0.02 for _ in range(layers)]
    keys, values = ([torch.randn(16, 8, 4096, 64, device=DEVICE, dtype=BF16) for _ in range(layers)] for _ in range(2))
    x = torch.randn(16, 1, width, device=DEVICE, dtype=BF16)

    @torch.no_grad()
    def step():
        h = x
        for w, k, v in zip(weight, keys, values):
            q = (h @ w).view(16, 1, 32, 64).transpose(1, 2)
            if bad:
                y = F.scaled_dot_product_attention(q, k.repeat_interleave(4, 1), v.repeat_interleave(4, 1))
            else:  # the queries of one head of keys are rows of one product
                y = F.scaled_dot_product_attention(q.reshape(16, 8, 4, 64), k, v).reshape(16, 32, 1, 64)
            h = h + y.transpose(1, 2).reshape(16, 1, width)
        return h

    return step


@case("unaligned-gemm")
def words_of_300(bad):
    """A language model on word vectors of 300 elements and 30,001 words, or padded to 304 and 30,016; training in 16 bits."""
    wide, words = (300, 30001) if bad else (304, 30016)
    table, head = nn.Embedding(words, wide).to(DEVICE, BF16), nn.Linear(wide, words, bias=False).to(DEVICE, BF16)
    mix = nn.Sequential(nn.Linear(wide, 1200), nn.GELU(), nn.Linear(1200, wide)).to(DEVICE, BF16)
    optimizer = torch.optim.SGD([*table.parameters(), *mix.parameters(), *head.parameters()], lr=0.1, fused=True)
    text = torch.randint(0, 30000, (4096,), device=DEVICE)

    def loss_of(model):
        h = table(text)
        return F.cross_entropy(head(h + mix(h))[:-1], text[1:])

    return training(None, optimizer, loss_of)


class Molecules(torch.utils.data.Dataset):
    """Molecules of 10 to 40 atoms with their bonds."""

    def __init__(self):
        draw = numpy.random.default_rng(0)
        self.all = []
        for _ in range(256):
            atoms = int(draw.integers(10, 40))
            self.all.append((draw.normal(size=(atoms, 16)).astype(numpy.float32), draw.integers(0, atoms, (2, 3 * atoms)), draw.normal()))

    def __len__(self):
        return 1 << 20

    def __getitem__(self, index):
        atoms, bonds, energy = self.all[index % 256]
        order = numpy.random.permutation(len(atoms))
        place = numpy.argsort(order)
        far = numpy.linalg.norm(atoms[:, None] - atoms[None], axis=-1)
        return atoms[order], place[bonds], far.max(1)[order], energy


def joined(molecules):
    """A batch of molecules as one graph."""
    atoms, bonds, far, owner, energy, first = [], [], [], [], [], 0
    for k, (a, b, f, e) in enumerate(molecules):
        atoms.append(torch.from_numpy(a))
        bonds.append(torch.from_numpy(b + first))
        far.append(torch.from_numpy(f))
        owner.append(torch.full((len(a),), k))
        energy.append(e)
        first += len(a)
    return torch.cat(atoms), torch.cat(bonds, 1), torch.cat(far), torch.cat(owner), torch.tensor(energy, dtype=torch.float32)


@case("input-bound")
def molecules_joined(bad):
    """Molecules are shuffled and joined to one graph by the loop that trains, or by six workers ahead of it."""
    workers = {} if bad else {"num_workers": 6, "prefetch_factor": 4, "persistent_workers": True}
    batches = iter(torch.utils.data.DataLoader(Molecules(), batch_size=96, collate_fn=joined, pin_memory=True, **workers))
    embed, out = nn.Linear(17, 128).to(DEVICE), nn.Linear(128, 1).to(DEVICE)
    layers = nn.ModuleList([nn.Linear(256, 128) for _ in range(3)]).to(DEVICE)
    optimizer = torch.optim.Adam([*embed.parameters(), *layers.parameters(), *out.parameters()], lr=1e-3, fused=True)

    def loss_of(model):
        atoms, bonds, far, owner, energy = (t.to(DEVICE, non_blocking=True) for t in next(batches))
        h = embed(torch.cat([atoms, far[:, None]], 1))
        for layer in layers:
            told = torch.zeros_like(h).index_add_(0, bonds[1], h[bonds[0]])
            h = h + F.silu(layer(torch.cat([h, told], 1)))
        total = torch.zeros(96, 1, device=DEVICE).index_add_(0, owner, out(h))
        return F.mse_loss(total.squeeze(1), energy)

    return training(layers, optimizer, loss_of)


@case("host-sync", marks="nvtx")
def experts_asked(bad):
    """A mixture of 16 experts in 4 layers: each expert asks which tokens are its own, or takes an equal share of room for them."""
    torch.backends.cuda.matmul.allow_tf32 = True
    tokens, width, experts = 1024, 512, 16
    layers = [(torch.randn(width, experts, device=DEVICE), torch.randn(experts, width, 1024, device=DEVICE) * 0.03,
               torch.randn(experts, 1024, width, device=DEVICE) * 0.03) for _ in range(4)]
    x, room = torch.randn(tokens, width, device=DEVICE), 192

    @torch.no_grad()
    def step():
        h = x
        for gate, up, down in layers:
            weight, chosen = (h @ gate).softmax(-1).topk(2, -1)
            out = torch.zeros_like(h)
            if bad:
                mask = F.one_hot(chosen, experts).permute(2, 1, 0)
                for e in range(experts):
                    place, token = torch.where(mask[e])
                    y = F.silu(h[token] @ up[e]) @ down[e]
                    out.index_add_(0, token, y * weight[token, place, None])
            else:
                share = torch.zeros(tokens, experts, device=DEVICE).scatter_(1, chosen, weight)
                most, token = share.topk(room, 0)
                token = token.T
                y = torch.bmm(F.silu(torch.bmm(h[token], up)), down) * most.T[..., None]
                out.index_add_(0, token.reshape(-1), y.view(-1, width))
            h = h + out
        return h

    return step


@case("host-sync", marks="nvtx")
def extension_checked(bad):
    """The user's own CUDA extension waits for the device after each of its calls to see errors, or once at the end."""
    library = ctypes.CDLL(str(pathlib.Path(__file__).with_name("scan_extension.so")))
    pointer = lambda t: ctypes.c_void_p(t.data_ptr())
    layers = 24
    gates, x = [torch.rand(16, 16384, device=DEVICE) for _ in range(layers)], torch.rand(16, 16384, device=DEVICE)
    mixes = nn.ModuleList([nn.Linear(512, 512) for _ in range(layers)]).to(DEVICE)
    state = torch.zeros(16384, device=DEVICE)

    def scanned(h, gate):
        out = torch.empty_like(h)
        library.scan(pointer(h), pointer(gate), pointer(state.zero_()), pointer(out), 16, 16384, ctypes.c_void_p(torch.cuda.current_stream().cuda_stream))
        if bad and library.wait_for_device() != 0:
            raise RuntimeError("scan failed")
        return out

    @torch.no_grad()
    def step():
        h = x
        for gate, mix in zip(gates, mixes):
            h = torch.tanh(mix(scanned(h, gate).view(-1, 512))).view(16, 16384)
        if library.wait_for_device() != 0:
            raise RuntimeError("scan failed")
        return h

    return step


@case("repeated-cast", marks="nvtx")
def triton_in_32_bits(bad):
    """A Triton kernel is given 32 bits, for which its caller converts the 16 bits of a model to and fro; or it converts by itself."""
    import triton
    import triton.language as tl

    @triton.jit
    def rms(x, g, y, WIDTH: tl.constexpr):
        at = tl.program_id(0) * WIDTH + tl.arange(0, WIDTH)
        v = tl.load(x + at).to(tl.float32)
        v = v * tl.rsqrt(tl.sum(v * v) / WIDTH + 1e-6) * tl.load(g + tl.arange(0, WIDTH))
        tl.store(y + at, v.to(y.dtype.element_ty))

    width, rows = 2048, 16384
    x, gain = torch.randn(rows, width, device=DEVICE, dtype=BF16), torch.rand(width, device=DEVICE)
    weight = [torch.randn(width, width, device=DEVICE, dtype=BF16) / 45 for _ in range(6)]

    def norm(h):
        h = h.float() if bad else h
        out = torch.empty_like(h)
        rms[(rows,)](h, gain, out, WIDTH=width)
        return out.to(BF16)

    @torch.no_grad()
    def step():
        h = x
        for w in weight:
            h = norm(h) @ w
        return h

    return step


if __name__ == "__main__":
    user_programs.main(CASES)
