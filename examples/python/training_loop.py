"""A training loop with a schedule: two warm steps recorded, then what they say."""

import torch

import warplens

model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.GELU(), torch.nn.Linear(128, 10))
optimizer = torch.optim.AdamW(model.parameters())
with warplens.profile(schedule=warplens.schedule(wait=1, warmup=1, active=2, repeat=1)) as p:
    for _ in range(5):
        loss = torch.nn.functional.cross_entropy(model(torch.randn(32, 64)), torch.randint(0, 10, (32,)))
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        p.step()
print(p.result.ops(limit=10))
