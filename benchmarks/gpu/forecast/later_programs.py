"""Eight more programs to forecast, of other kinds than those in programs.py, and with the same arguments: later_programs.py MODEL [STEPS] [--profile OUT.json]."""
import programs
import torch
from torch import nn
from torch.nn import functional as F

cuda = programs.cuda


def graphed(step):
    """The step as one CUDA graph."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph.replay


class Double(nn.Sequential):
    """A pair of convolutions of a U-Net."""

    def __init__(self, inputs, outputs):
        super().__init__(nn.Conv2d(inputs, outputs, 3, 1, 1), nn.GroupNorm(8, outputs), nn.SiLU(),
                         nn.Conv2d(outputs, outputs, 3, 1, 1), nn.GroupNorm(8, outputs), nn.SiLU())


def unet():
    """Training of a U-Net under AMP, channels last."""
    widths = [3, 32, 64, 128]
    down = nn.ModuleList(Double(a, b) for a, b in zip(widths, widths[1:]))
    up = nn.ModuleList(Double(a + b, b) for a, b in ((128, 64), (64, 32)))
    model = nn.ModuleList([down, up, nn.Conv2d(32, 3, 1)]).to(cuda, memory_format=torch.channels_last)
    x = torch.randn(8, 3, 64, 64, device=cuda).to(memory_format=torch.channels_last)

    def run(y):
        kept = []
        for i, one in enumerate(down):
            y = one(y if i == 0 else F.max_pool2d(y, 2))
            kept.append(y)
        for one, beside in zip(up, (kept[1], kept[0])):
            y = one(torch.cat([F.interpolate(y, scale_factor=2.0), beside], 1))
        return model[2](y)
    return programs.trained(model, lambda: F.mse_loss(run(x).float(), x), autocast=True)


def translate():
    """Training of PyTorch's own encoder and decoder in float32."""
    model = nn.ModuleList([nn.Embedding(1024, 256), nn.Transformer(256, 4, 2, 2, 1024, dropout=0.0, batch_first=True), nn.Linear(256, 1024)]).to(cuda)
    x, y = torch.randint(0, 1024, (16, 48), device=cuda), torch.randint(0, 1024, (16, 33), device=cuda)
    mask = nn.Transformer.generate_square_subsequent_mask(32, device=cuda)

    def loss():
        out = model[1](model[0](x), model[0](y[:, :-1]), tgt_mask=mask, tgt_is_causal=True)
        return F.cross_entropy(model[2](out).flatten(0, 1), y[:, 1:].flatten())
    return programs.trained(model, loss)


class Gated(nn.Module):
    """A block of Llama."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norms = nn.ModuleList(nn.RMSNorm(width) for _ in range(2))
        self.qkv, self.out = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width, bias=False)
        self.gate, self.up, self.down = (nn.Linear(*s, bias=False) for s in ((width, 3 * width), (width, 3 * width), (3 * width, width)))

    def forward(self, x, turn):
        batch, length, width = x.shape
        q, k, v = (t.view(batch, length, self.heads, -1).transpose(1, 2) for t in self.qkv(self.norms[0](x)).split(width, 2))
        q, k = (t * turn[0] + torch.cat([-t[..., t.shape[-1] // 2:], t[..., :t.shape[-1] // 2]], -1) * turn[1] for t in (q, k))
        x = x + self.out(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(batch, length, width))
        y = self.norms[1](x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


def llama():
    """Training in bfloat16, compiled."""
    width, heads, length = 512, 8, 256
    blocks = nn.ModuleList(Gated(width, heads) for _ in range(3))
    model = nn.ModuleList([nn.Embedding(4096, width), blocks, nn.RMSNorm(width), nn.Linear(width, 4096, bias=False)]).to(cuda, torch.bfloat16)
    angles = torch.outer(torch.arange(length, device=cuda), 1e4 ** -(torch.arange(0, 32, device=cuda) / 32)).repeat(1, 2)
    turn, x = (angles.cos().bfloat16(), angles.sin().bfloat16()), torch.randint(0, 4096, (4, length + 1), device=cuda)

    @torch.compile
    def run(x):
        y = model[0](x)
        for block in blocks:
            y = block(y, turn)
        return model[3](model[2](y))
    return programs.trained(model, lambda: F.cross_entropy(run(x[:, :-1]).float().flatten(0, 1), x[:, 1:].flatten()))


def experts():
    """A layer of eight experts, two for each token, in bfloat16 without gradients: the host learns the sizes."""
    gate = nn.Linear(512, 8).to(cuda, torch.bfloat16)
    all_experts = nn.ModuleList(nn.Sequential(nn.Linear(512, 1536), nn.SiLU(), nn.Linear(1536, 512)) for _ in range(8)).to(cuda, torch.bfloat16)
    x = torch.randn(1024, 512, device=cuda, dtype=torch.bfloat16)

    @torch.no_grad()
    def step():
        weights, chosen = gate(x).float().softmax(-1).topk(2)
        out = torch.zeros_like(x)
        for i, expert in enumerate(all_experts):
            token, place = torch.where(chosen == i)
            out.index_add_(0, token, expert(x[token]) * weights[token, place, None].bfloat16())
        return out
    return step


def mobile():
    """Inference of depthwise convolutions in float16, channels last, as a CUDA graph."""
    def block(inputs, outputs, stride):
        return [nn.Conv2d(inputs, inputs, 3, stride, 1, groups=inputs, bias=False), nn.BatchNorm2d(inputs), nn.ReLU6(),
                nn.Conv2d(inputs, outputs, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU6()]
    layers = [nn.Conv2d(3, 32, 3, 2, 1), *block(32, 64, 1), *block(64, 128, 2), *block(128, 128, 1), *block(128, 256, 2), *block(256, 512, 2)]
    model = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 100)).to(cuda, torch.float16, memory_format=torch.channels_last).eval()
    x = torch.randn(8, 3, 96, 96, device=cuda, dtype=torch.float16).to(memory_format=torch.channels_last)

    @torch.no_grad()
    def step():
        return model(x)
    return graphed(step)


def recommend():
    """Training of embedding bags and dense layers, compiled, with Adagrad."""
    bags = nn.ModuleList(nn.EmbeddingBag(5000, 32, mode="sum") for _ in range(6))
    below, above = nn.Sequential(nn.Linear(13, 128), nn.ReLU(), nn.Linear(128, 32)), nn.Sequential(nn.Linear(53, 256), nn.ReLU(), nn.Linear(256, 1))
    model = nn.ModuleList([bags, below, above]).to(cuda)
    dense, wanted = torch.randn(1024, 13, device=cuda), torch.rand(1024, 1, device=cuda)
    ids = torch.randint(0, 5000, (6, 1024, 4), device=cuda)
    rows, columns = torch.triu_indices(7, 7, 1, device=cuda)

    @torch.compile
    def run(dense, ids):
        all_bags = torch.stack([below(dense), *(bag(i) for bag, i in zip(bags, ids))], 1)
        return above(torch.cat([all_bags[:, 0], (all_bags @ all_bags.mT)[:, rows, columns]], 1))
    return programs.trained(model, lambda: F.binary_cross_entropy_with_logits(run(dense, ids), wanted), torch.optim.Adagrad(model.parameters(), 0.01))


def molecules():
    """Training of messages along the edges of a graph in float32."""
    layers = nn.ModuleList(nn.Sequential(nn.Linear(192, 128), nn.SiLU(), nn.Linear(128, 96)) for _ in range(3)).to(cuda)
    model = nn.ModuleList([nn.Linear(16, 96), layers, nn.Linear(96, 1)]).to(cuda)
    atoms, ends = torch.randn(2000, 16, device=cuda), torch.randint(0, 2000, (2, 8000), device=cuda)

    def loss():
        h = model[0](atoms)
        for layer in layers:
            messages = layer(torch.cat([h[ends[0]], h[ends[1]]], 1))
            h = h + torch.zeros_like(h).index_add(0, ends[1], messages)
        return model[2](h).square().mean()
    return programs.trained(model, loss, torch.optim.Adam(model.parameters(), 1e-3, fused=True))


def speech():
    """Training of a GRU over convolutions of sound, in float32."""
    front = nn.Sequential(nn.Conv1d(40, 128, 5, 2, 2), nn.BatchNorm1d(128), nn.ReLU())
    layers, head = nn.GRU(128, 256, num_layers=2, batch_first=True, bidirectional=True), nn.Linear(512, 64)
    model, x, y = nn.ModuleList([front, layers, head]).to(cuda), torch.randn(16, 40, 128, device=cuda), torch.randint(0, 64, (16, 64), device=cuda)
    return programs.trained(model, lambda: F.cross_entropy(head(layers(front(x).transpose(1, 2))[0]).flatten(0, 1), y.flatten()))


MODELS = {f.__name__: f for f in (unet, translate, llama, experts, mobile, recommend, molecules, speech)}

if __name__ == "__main__":
    programs.main(MODELS)
