"""Works on the GPU, says so, and waits until it is ended from outside."""
import time

import torch

x = torch.ones(1000, device="cuda")
for _ in range(20):
    x = x + 1
torch.cuda.synchronize()
print(float(x[0]), flush=True)
time.sleep(600)
