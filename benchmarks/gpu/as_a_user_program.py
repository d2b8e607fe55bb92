"""The program that as_a_user.py records and counts: python3 as_a_user_program.py train|graph|slow|packs STEPS; prints the results of its steps."""
import hashlib
import sys
import time
import zlib

import torch

kind, steps = sys.argv[1], int(sys.argv[2])
torch.manual_seed(0)
model = torch.nn.Sequential(*[m for _ in range(4) for m in (torch.nn.Linear(512, 512), torch.nn.GELU())]).cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
x = torch.randn(64, 512, device="cuda")
NUMBERS = bytes(i * i % 251 for i in range(1 << 20))


def train():
    optimizer.zero_grad()
    loss = (model(x) - x).square().mean()
    loss.backward()
    optimizer.step()
    return loss.detach()


if kind == "graph":
    with torch.no_grad():
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            model(x)
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            out = torch.softmax(model(x), -1)

results = []
torch.cuda.cudart().cudaProfilerStart()
for step in range(steps):
    torch.cuda.nvtx.range_push("step")
    if kind == "packs":
        for _ in range(2):  # so that the device waits for it
            x.add_(len(zlib.compress(NUMBERS)) % 2)
            torch.cuda.synchronize()
        results.append(0)
    elif kind == "graph":
        graph.replay()
        results.append(out.argmax().item())
    else:
        results.append(train())
        torch.cuda.synchronize()
    if kind == "slow":
        time.sleep(0.25 if step == steps // 2 else 0.01)
    torch.cuda.nvtx.range_pop()
torch.cuda.cudart().cudaProfilerStop()
parameters = b"".join(p.detach().cpu().numpy().tobytes() for p in model.parameters())
print(kind, steps, hashlib.sha256(parameters + repr([float(r) for r in results]).encode()).hexdigest()[:16], flush=True)
sys.exit(3)
