"""What limits a decode loop? One token at a time the GPU waits for the host; on a GPU, a CUDA graph fixes that."""

import torch
import torch.nn.functional as F

import warplens

device = "cuda" if torch.cuda.is_available() else "cpu"
layers, heads, width, length = 6, 8, 512, 256


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.qkv, self.out = torch.nn.LayerNorm(width), torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)
        self.mlp = torch.nn.Sequential(torch.nn.LayerNorm(width), torch.nn.Linear(width, 4 * width), torch.nn.GELU(), torch.nn.Linear(4 * width, width))
        self.register_buffer("keys", torch.randn(1, heads, length, width // heads))
        self.register_buffer("values", torch.randn(1, heads, length, width // heads))

    def forward(self, x):
        q, k, v = (t.view(1, 1, heads, -1).transpose(1, 2) for t in self.qkv(self.norm(x)).chunk(3, -1))
        self.keys[:, :, -1:], self.values[:, :, -1:] = k, v
        attended = F.scaled_dot_product_attention(q, self.keys, self.values)
        x = x + self.out(attended.transpose(1, 2).reshape(1, 1, width))
        return x + self.mlp(x)


model = torch.nn.Sequential(*(Layer() for _ in range(layers))).to(device).eval()
token = torch.randn(1, 1, width, device=device)
weights = sum(p.numel() * p.element_size() for p in model.parameters())


@torch.no_grad()
def decode():
    return model(token)


# Every weight is read once a token: bytes a second says how far this is from what memory allows.
measured = warplens.bench(decode, bytes=weights, regime="warm", limit_s=1, name="decode")
print(measured)
print(f"a token: {measured.host_ns / 1000:.0f} us of the host's time, {measured.median_ns / 1000:.0f} us of the device's")
with warplens.profile(schedule=warplens.schedule(wait=1, warmup=1, active=4, repeat=1)) as p:
    for _ in range(7):
        decode()
        p.step()
print(p.result.ops(limit=6))
print(p.result.findings())

if device == "cuda":
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        decode()
    print(warplens.bench(graph.replay, bytes=weights, regime="warm", limit_s=1, name="replayed graph", device="cuda"))
    print(warplens.compare(decode, graph.replay, regime="warm", device="cuda"))
