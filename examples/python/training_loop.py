"""A training loop with a schedule: it records two warm steps, and prints the results."""

import torch

import warplens

device = "cuda" if torch.cuda.is_available() else "cpu"
model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.GELU(), torch.nn.Linear(128, 10)).to(device)
optimizer = torch.optim.AdamW(model.parameters())


def step():
    batch, labels = torch.randn(32, 64), torch.randint(0, 10, (32,))
    loss = torch.nn.functional.cross_entropy(model(batch.to(device)), labels.to(device))
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()


with warplens.profile(schedule=warplens.schedule(wait=1, warmup=1, active=2, repeat=1)) as p:
    for _ in range(5):
        step()
        p.step()
print(p.result.summary())
print(p.result.ops(limit=10))
if device == "cuda":
    print(p.result.timeline())
    print(p.result.findings())
numbers = warplens.scalars(p.result)  # for wandb.log, mlflow.log_metrics, SummaryWriter.add_scalar
print(f"{len(numbers)} numbers for a tracker, among them", *list(numbers.items())[:2])
