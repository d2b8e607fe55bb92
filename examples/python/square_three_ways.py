"""torch.square, a * a and a ** 2: the same numbers, at different costs."""

import torch

import warplens

WAYS = {"torch.square": torch.square, "a * a": lambda a: a * a, "a ** 2": lambda a: a**2}
device = "cuda" if torch.cuda.is_available() else "cpu"
sizes = [2**12, 2**18, 2**24] if device == "cuda" else [2**12, 2**16]

# Who calls what: the operators behind each way.
a = torch.randn(1024, 1024, device=device)
with warplens.profile() as p:
    for name, square in WAYS.items():
        with warplens.record_function(name):
            square(a)
for row in p.result.ops(torch=True, sort_by="cpu_time_total", limit=8):
    print(f"{row['name']:32} {row['count']:3} x {row['cpu_time_total_ns'] / 1000:10.1f} us")

# How long each takes, checked, at several sizes.
results = warplens.sweep(WAYS, axes={"n": sizes}, inputs=lambda n: torch.randn(n, device=device), reference=torch.square,
                         bytes=lambda n: 8 * n, flops=lambda n: n, limit_s=0.3)
print(results)
print(results.plot())

# Is there a difference at all?
for name in ("a * a", "a ** 2"):
    print(f"{name} against torch.square: {warplens.compare(torch.square, WAYS[name], a, limit_s=1).verdict}")
