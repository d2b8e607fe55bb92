"""torch.square, a * a and a ** 2: the same numbers, and what each asks of the machine."""

import torch

import warplens

a = torch.randn(1024, 1024)
with warplens.profile() as p:
    for name, square in {"torch.square": torch.square, "a * a": lambda a: a * a, "a ** 2": lambda a: a**2}.items():
        with warplens.record_function(name):
            square(a)
for row in p.result.ops(torch=True, sort_by="cpu_time_total", limit=8):
    print(f"{row['name']:32} {row['count']:3} x {row['cpu_time_total_ns'] / 1000:10.1f} us")
