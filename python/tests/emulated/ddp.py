"""Two ranks train one model by DistributedDataParallel, each with half of the batch; then one device trains it with the whole."""
import sys
import tempfile

import torch
import torch.distributed as dist
from torch import nn

STEPS, BATCH = 6, 16


def train(model, x, y, count):
    """The mean losses of this rank's share, step by step."""
    optimizer, losses = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9), []
    for step in range(STEPS):
        rows = slice(step * BATCH, (step + 1) * BATCH)
        share = slice(count[0], None, count[1])
        loss = nn.functional.cross_entropy(model(x[rows][share]), y[rows][share])
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.detach())
    return torch.stack(losses)


def prepared(device):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.LayerNorm(64), nn.Linear(64, 10)).to(device)
    x, y = torch.randn(STEPS * BATCH, 32), torch.randint(0, 10, (STEPS * BATCH,))
    return model, x.to(device), y.to(device)


def rank_of_two(rank, folder):
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", init_method=f"file://{folder}/store", rank=rank, world_size=2)
    model, x, y = prepared(f"cuda:{rank}")
    wrapped = nn.parallel.DistributedDataParallel(model, device_ids=[rank], bucket_cap_mb=0.005)
    losses = train(wrapped, x, y, (rank, 2))
    dist.all_reduce(losses, op=dist.ReduceOp.AVG)
    if rank == 0:
        torch.save((losses.cpu(), [p.detach().cpu() for p in model.parameters()]), f"{folder}/losses.pt")
    dist.destroy_process_group()


def main():
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.spawn(rank_of_two, (folder,), nprocs=2)
        losses, weights = torch.load(f"{folder}/losses.pt")
    model, x, y = prepared("cuda:0")
    alone = train(model, x, y, (0, 1)).cpu()
    for step in range(STEPS):
        print(f"step {step}: {losses[step]:.6f} with two, {alone[step]:.6f} alone")
    torch.testing.assert_close(losses, alone, rtol=1e-5, atol=1e-6)
    for two, one in zip(weights, model.parameters()):
        torch.testing.assert_close(two, one.detach().cpu(), rtol=1e-4, atol=1e-6)
    assert alone[-1] < alone[0]
    print("equal")


if __name__ == "__main__":
    sys.exit(main())
