"""Two steps in NVTX ranges with a loader that pins memory, gradient scaling and a summary of memory; losses equal the CPU's."""
import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)


def model():
    return torch.nn.Sequential(torch.nn.Linear(24, 32), torch.nn.LayerNorm(32), torch.nn.GELU(), torch.nn.Linear(32, 5))


on_cpu = model()
on_gpu = model()
on_gpu.load_state_dict(on_cpu.state_dict())
on_gpu.cuda()
data = TensorDataset(torch.randn(16, 24), torch.randint(0, 5, (16,)))
losses = {}
for device, network in (("cpu", on_cpu), ("cuda", on_gpu)):
    optimizer = torch.optim.AdamW(network.parameters(), lr=1e-3)
    losses[device] = []
    for number, (x, y) in enumerate(DataLoader(data, 8, pin_memory=device == "cuda")):
        if device == "cuda":
            torch.cuda.nvtx.range_push(f"training step {number}")
        loss = torch.nn.functional.cross_entropy(network(x.to(device, non_blocking=True)), y.to(device, non_blocking=True))
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses[device].append(loss.item())
        if device == "cuda":
            torch.cuda.nvtx.range_pop()
assert all(abs(a - b) < 1e-4 for a, b in zip(losses["cpu"], losses["cuda"])), losses
scaler = torch.amp.GradScaler("cuda")
with torch.autocast("cuda", dtype=torch.float16):
    loss = torch.nn.functional.cross_entropy(on_gpu(x.cuda()), y.cuda())
scaler.scale(loss).backward()
scaler.step(torch.optim.SGD(on_gpu.parameters(), lr=0.01))
scaler.update()
assert "Allocated memory" in torch.cuda.memory_summary(abbreviated=True)
print("equal")
