"""How long does a call take? A wrong way to measure it, and a reliable one; on the GPU if there is one."""

import time

import torch

import warplens

device = "cuda" if torch.cuda.is_available() else "cpu"
size = 4096 if device == "cuda" else 256
a, b = torch.randn(size, size, device=device), torch.randn(size, size, device=device)

# A GPU works behind the program's back: this times the launch, and the compilation and allocation of the first call with it.
begin = time.perf_counter()
torch.mm(a, b)
print(f"one call, not waited for: {(time.perf_counter() - begin) * 1e6:.1f} us")

# The median with its confidence interval; outputs checked against float64, inputs changed to catch results that are kept.
measured = warplens.bench(torch.mm, inputs=lambda: (torch.randn(size, size, device=device), torch.randn(size, size, device=device)),
                          reference=torch.mm, flops=2 * size**3, bytes=3 * 4 * size**2, tolerance=1e-3, limit_s=1)
print(measured)
assert measured.valid, measured.errors
print(f"the host needs {measured.host_ns / 1000:.1f} us to issue a call that takes {measured.median_ns / 1000:.1f} us")

# What the caches hold beforehand matters, and so does whether calls overlap: say which one you mean.
for regime in ("cold", "warm", "throughput"):
    print(repr(warplens.bench(torch.add, a, b, regime=regime, limit_s=0.5)))

# Is one faster than the other? A race in one process and one state of the clocks has an answer, or says that it has none.
print(warplens.compare(lambda x: x.t().contiguous().sum(0), lambda x: x.sum(1), a, limit_s=1, tolerance=1e-3))
