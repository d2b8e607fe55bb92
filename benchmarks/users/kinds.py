"""Kinds of models and products beyond those of training.py, one function a program: python kinds.py NAME.

Each prints `loss` or `value` lines. They run on whatever device there is, from the same numbers of the CPU's generator.
"""
import math
import os
import sys

import torch
from features import device, show
from torch import nn
from torch.nn import functional as F

torch.backends.cuda.matmul.allow_tf32 = False


def trained(model, loss_of, steps=3):
    """Losses of a few steps, and the first parameters after them."""
    model.to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    for _ in range(steps):
        optimizer.zero_grad()
        loss = loss_of(model)
        loss.backward()
        optimizer.step()
        print("loss", loss.item())
    show(*list(model.parameters())[:4])


class Residual(nn.Module):
    def __init__(self, before, after, time):
        super().__init__()
        self.norms = nn.ModuleList([nn.GroupNorm(4, before), nn.GroupNorm(4, after)])
        self.first, self.second = nn.Conv2d(before, after, 3, padding=1), nn.Conv2d(after, after, 3, padding=1)
        self.time, self.skip = nn.Linear(time, after), nn.Conv2d(before, after, 1)

    def forward(self, x, time):
        hidden = self.first(F.silu(self.norms[0](x))) + self.time(F.silu(time))[:, :, None, None]
        return self.second(F.silu(self.norms[1](hidden))) + self.skip(x)


class UNet(nn.Module):
    """Predicts the noise of an image at a step of diffusion, with attention where the image is smallest."""

    def __init__(self):
        super().__init__()
        self.enter, self.leave = nn.Conv2d(3, 16, 3, padding=1), nn.Conv2d(16, 3, 3, padding=1)
        self.outer, self.inner, self.joined = Residual(16, 16, 32), Residual(16, 32, 32), Residual(32, 16, 32)
        self.down, self.up = nn.Conv2d(16, 16, 3, 2, 1), nn.ConvTranspose2d(32, 16, 4, 2, 1)
        self.qkv, self.time = nn.Conv2d(32, 96, 1), nn.Linear(32, 32)

    def attend(self, x):
        q, k, v = self.qkv(x).reshape(x.shape[0], 3, 2, 16, -1).transpose(-1, -2).unbind(1)
        return x + F.scaled_dot_product_attention(q, k, v).transpose(-1, -2).reshape(x.shape)

    def forward(self, x, step):
        angles = step[:, None].float() * torch.exp(torch.arange(16, device=x.device) * -(math.log(1e4) / 16))
        time = self.time(torch.cat([angles.sin(), angles.cos()], 1))
        outer = self.outer(self.enter(x), time)
        inner = self.attend(self.inner(self.down(outer), time))
        return self.leave(self.joined(torch.cat([outer, self.up(inner)], 1), time))


def kept_signal():
    return torch.cumprod(1 - torch.linspace(1e-4, 0.02, 1000), 0).to(device)


def diffusion():
    image, noise, step = torch.randn(2, 3, 16, 16).to(device), torch.randn(2, 3, 16, 16).to(device), torch.tensor([3, 700]).to(device)
    kept = kept_signal()[step][:, None, None, None]
    trained(UNet(), lambda model: F.mse_loss(model(kept.sqrt() * image + (1 - kept).sqrt() * noise, step), noise))


@torch.no_grad()
def diffusion_sampling():
    """DDIM in four steps."""
    model, x, kept = UNet().to(device).eval(), torch.randn(1, 3, 16, 16).to(device), kept_signal()
    steps = [999, 749, 499, 249, 0]
    for now, then in zip(steps, steps[1:]):
        noise = model(x, torch.full((1,), now, device=device))
        image = ((x - (1 - kept[now]).sqrt() * noise) / kept[now].sqrt()).clamp(-3, 3)
        x = kept[then].sqrt() * image + (1 - kept[then]).sqrt() * noise
    show(x)


class StateSpace(nn.Module):
    """A selective scan as Mamba has it, step by step."""

    def __init__(self, width=16, states=8):
        super().__init__()
        self.states = states
        self.enter, self.leave = nn.Linear(width, 4 * width), nn.Linear(2 * width, width)
        self.conv = nn.Conv1d(2 * width, 2 * width, 4, groups=2 * width, padding=3)
        self.chosen, self.rate = nn.Linear(2 * width, 1 + 2 * states), nn.Linear(1, 2 * width)
        self.decay = nn.Parameter(torch.log(torch.arange(1, states + 1).float().repeat(2 * width, 1)))

    def forward(self, u):
        x, gate = self.enter(u).chunk(2, -1)
        x = F.silu(self.conv(x.mT)[..., :u.shape[1]].mT)
        rate, to_state, to_output = self.chosen(x).split([1, self.states, self.states], -1)
        rate = F.softplus(self.rate(rate))[..., None]
        keeps, adds = torch.exp(-rate * self.decay.exp()), rate * to_state[:, :, None] * x[..., None]
        state, outputs = torch.zeros_like(adds[:, 0]), []
        for t in range(u.shape[1]):
            state = keeps[:, t] * state + adds[:, t]
            outputs.append((state * to_output[:, t, None]).sum(-1))
        return self.leave(torch.stack(outputs, 1) * F.silu(gate))


def state_space():
    x = torch.randn(2, 12, 16).to(device)
    trained(StateSpace(), lambda model: (model(x) - x).square().mean())


def graph_attention():
    """Messages along edges by scatter_reduce and index_add, and a sum for each graph."""
    x, (source, target) = torch.randn(40, 8).to(device), torch.randint(0, 40, (2, 200)).to(device)
    graph, labels = torch.arange(40).mul(3).floor_divide(40).to(device), torch.tensor([0, 1, 2]).to(device)

    class Graph(nn.Module):
        def __init__(self):
            super().__init__()
            self.enter, self.score, self.leave = nn.Linear(8, 16), nn.Linear(32, 1), nn.Linear(16, 4)

        def forward(self):
            hidden = self.enter(x)
            score = F.leaky_relu(self.score(torch.cat([hidden[source], hidden[target]], -1))).squeeze(-1)
            most = torch.full((40,), -1e9, device=device).scatter_reduce(0, target, score, "amax")
            weight = (score - most[target]).exp()
            total = torch.zeros(40, device=device).index_add(0, target, weight)
            weight = weight / total[target]
            received = torch.zeros_like(hidden).index_add(0, target, hidden[source] * weight[:, None])
            pooled = torch.zeros(3, 16, device=device).scatter_add(0, graph[:, None].expand(-1, 16), F.elu(received))
            return self.leave(pooled / torch.bincount(graph, minlength=3)[:, None])

    trained(Graph(), lambda model: F.cross_entropy(model(), labels))
    lengths = torch.tensor([5, 1, 14, 20]).to(device)
    show(*(torch.segment_reduce(x, kind, lengths=lengths) for kind in ("sum", "mean", "max", "min")))


def packed_sequences():
    words, lengths = torch.randint(1, 50, (4, 9)), torch.tensor([9, 3, 7, 1])
    words = words.masked_fill(torch.arange(9) >= lengths[:, None], 0).to(device)

    class Tagger(nn.Module):
        def __init__(self):
            super().__init__()
            self.words, self.out = nn.Embedding(50, 12, padding_idx=0), nn.Linear(32, 50)
            self.rnn = nn.LSTM(12, 16, 2, bidirectional=True, batch_first=True)

        def forward(self):
            packed = nn.utils.rnn.pack_padded_sequence(self.words(words), lengths, batch_first=True, enforce_sorted=False)
            return self.out(nn.utils.rnn.pad_packed_sequence(self.rnn(packed)[0], batch_first=True)[0])

    trained(Tagger(), lambda model: F.cross_entropy(model().flatten(0, 1), words.flatten(), ignore_index=0))


def mixture_of_experts():
    x = torch.randn(30, 16).to(device)

    class Experts(nn.Module):
        def __init__(self):
            super().__init__()
            self.gate = nn.Linear(16, 4)
            self.up, self.down = nn.Parameter(torch.randn(4, 16, 32) / 4), nn.Parameter(torch.randn(4, 32, 16) / 4)

        def forward(self):
            weight, expert = self.gate(x).softmax(-1).topk(2)
            out = torch.zeros_like(x)
            for e in range(4):
                row, place = torch.where(expert == e)
                out.index_add_(0, row, F.gelu(x[row] @ self.up[e]) @ self.down[e] * weight[row, place, None])
            return out

    trained(Experts(), lambda model: (model() - x).square().mean())


def fourier_operator():
    x = torch.randn(2, 4, 18, 18).to(device)

    class Operator(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight, self.local = nn.Parameter(torch.randn(4, 4, 5, 5, dtype=torch.cfloat) / 10), nn.Conv2d(4, 4, 1)

        def forward(self):
            waves = torch.fft.rfft2(x)
            kept = torch.zeros_like(waves)
            kept[..., :5, :5] = torch.einsum("bixy,ioxy->boxy", waves[..., :5, :5], self.weight)
            return F.gelu(torch.fft.irfft2(kept, s=x.shape[-2:]) + self.local(x))

    trained(Operator(), lambda model: model().square().mean())


def gradient_penalty():
    """Gradients of gradients through convolutions under a spectral norm."""
    critic = nn.Sequential(nn.utils.parametrizations.spectral_norm(nn.Conv2d(3, 8, 4, 2, 1)), nn.LeakyReLU(0.2), nn.Conv2d(8, 1, 4))
    x = torch.randn(4, 3, 8, 8).to(device).requires_grad_()

    def loss_of(model):
        slope = torch.autograd.grad(model(x).sum(), x, create_graph=True)[0].flatten(1).norm(2, 1)
        return (slope - 1).square().mean() + model(x).mean()

    trained(critic, loss_of)


def semi_structured():
    """Weights of which two of each four elements are zero."""
    from torch.sparse import to_sparse_semi_structured

    weight = torch.randn(64, 64).half()
    weight = weight.masked_fill(weight.reshape(64, 16, 4).float().abs().argsort(-1).argsort(-1).reshape(64, 64) < 2, 0).to(device)
    x, bias = torch.randn(48, 64).half().to(device), torch.randn(64).half().to(device)
    show(F.linear(x, weight if device == "cpu" else to_sparse_semi_structured(weight), bias).float().softmax(-1))


def jagged_attention():
    parts = [[torch.randn(n, 2, 16).to(device) for n in (5, 9, 3)] for _ in range(3)]
    q, k, v = (torch.nested.nested_tensor(part, layout=torch.jagged).transpose(1, 2) for part in parts)
    if device == "cpu":
        outs = [F.scaled_dot_product_attention(*(t[i].transpose(0, 1) for t in parts)).transpose(0, 1) for i in range(3)]
        return show(torch.cat(outs))
    return show(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).values())


def own_kernels():
    """CUDA C++ that PyTorch compiles while the program runs."""
    x = torch.randn(100).to(device)
    if device == "cpu":
        return show(x * x + 2 * x, 2 * x)
    square = torch.cuda.jiterator._create_jit_fn("template <typename T> T square(T x, T a) { return x * x + a * x; }", a=2.0)
    double = torch.cuda._compile_kernel('extern "C" __global__ void twice(float* x, int n) { int i = threadIdx.x; if (i < n) x[i] *= 2; }', "twice")
    doubled = x.clone()
    double((1, 1, 1), (128, 1, 1), (doubled, 100))
    return show(square(x), doubled)


def sharded():
    """FSDP2 on two devices, the losses of their halves averaged; then layers split by columns and rows."""
    import torch.distributed as dist
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard
    from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

    model, x = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 16)), torch.randn(8, 16)
    if device == "cpu":
        optimizer, mine = torch.optim.SGD(model.parameters(), 0.1), x
    else:
        rank = int(os.environ["RANK"])
        torch.cuda.set_device(rank)
        dist.init_process_group("nccl", device_id=torch.device("cuda", rank))
        fully_shard(model.cuda())
        optimizer, mine = torch.optim.SGD(model.parameters(), 0.1), x.chunk(2)[rank].cuda()
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        loss = model(mine).square().mean()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.detach().clone())
    torch.manual_seed(1)
    split = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 16)).to(device)
    if device == "cuda":
        for loss in losses:
            dist.all_reduce(loss, dist.ReduceOp.AVG)
        parallelize_module(split, init_device_mesh("cuda", (2,)), {"0": ColwiseParallel(), "2": RowwiseParallel()})
    out = split(x.to(device))
    if device == "cpu" or rank == 0:
        for loss in losses:
            print("loss", loss.item())
        show(out)
    if device == "cuda":
        dist.destroy_process_group()


if __name__ == "__main__":
    globals()[sys.argv[1]]()
