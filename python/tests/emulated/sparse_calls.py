"""Sparse tensors of an emulated GPU against the CPU's: cuSPARSE's functions by way of PyTorch, each line what differs."""
import warnings

import torch

warnings.filterwarnings("ignore")
torch.manual_seed(0)
TOLERANCES = {torch.float32: 1e-4, torch.float64: 1e-10, torch.complex64: 1e-4, torch.complex128: 1e-10}


def thin(rows, columns, dtype):
    """Two elements of three are zero; row 1 is empty."""
    dense = torch.randn(rows, columns, dtype=dtype) * (torch.rand(rows, columns) < 0.35)
    dense[1] = 0
    return dense


def triangle(n, dtype):
    return torch.tril(torch.randn(n, n, dtype=dtype) * (torch.rand(n, n) < 0.5)) + 3 * torch.eye(n, dtype=dtype)


def dense(value):
    return value.to_dense() if value.layout != torch.strided else value


CALLS = {
    "coo @ dense": lambda a, b, x: a.to_sparse() @ b,
    "csr @ dense": lambda a, b, x: a.to_sparse_csr() @ b,
    "csc @ dense": lambda a, b, x: a.to_sparse_csc() @ b,
    "bsr @ dense": lambda a, b, x: a.to_sparse_bsr((2, 2)) @ b,
    "dense @ csr": lambda a, b, x: b.mT @ a.to_sparse_csr().to_dense().mT.to_sparse_csr(),
    "csr @ vector": lambda a, b, x: a.to_sparse_csr() @ x,
    "coo @ vector": lambda a, b, x: a.to_sparse() @ x,
    "addmm": lambda a, b, x: torch.addmm(torch.ones_like(a @ b), a.to_sparse_csr(), b, beta=0.5, alpha=2),
    "addmv": lambda a, b, x: torch.addmv(torch.ones_like(a @ x), a.to_sparse_csr(), x, beta=0.5, alpha=2),
    "csr @ csr": lambda a, b, x: a.to_sparse_csr() @ a.mT.contiguous().to_sparse_csr(),
    "coo @ coo": lambda a, b, x: torch.sparse.mm(a.to_sparse(), a.mT.contiguous().to_sparse()),
    "csr + csr": lambda a, b, x: torch.add(a.to_sparse_csr(), (2 * a + 1).to_sparse_csr(), alpha=3),
    "sampled_addmm": lambda a, b, x: torch.sparse.sampled_addmm(a.to_sparse_csr(), a @ b, b.mT.contiguous(), beta=0.5, alpha=2),
    "bmm": lambda a, b, x: torch.bmm(torch.stack([a, 2 * a]).to_sparse(), torch.stack([b, b + 1])),
    "transposed": lambda a, b, x: a.to_sparse().t() @ (a @ b),
}
SOLVES = {
    "lower": lambda t, b: torch.triangular_solve(b, t.to_sparse_csr(), upper=False).solution,
    "upper, transposed": lambda t, b: torch.triangular_solve(b, t.to_sparse_csr(), upper=False, transpose=True).solution,
    "upper": lambda t, b: torch.triangular_solve(b, t.mT.contiguous().to_sparse_csr(), upper=True).solution,
    "unit": lambda t, b: torch.triangular_solve(b, t.to_sparse_csr(), upper=False, unitriangular=True).solution,
    "blocks": lambda t, b: torch.triangular_solve(b, t.to_sparse_bsr((2, 2)), upper=False).solution,
}

wrong = 0


def compare(name, call, *given, tolerance):
    global wrong
    try:
        want, got = (dense(call(*(g.to(device) for g in given))).cpu() for device in ("cpu", "cuda"))
    except Exception as error:  # noqa: BLE001: each call that fails is reported
        wrong += 1
        print(f"{name}: {type(error).__name__}: {str(error).splitlines()[0]}")
        return
    if not torch.allclose(want, got, atol=tolerance, rtol=tolerance):
        wrong += 1
        print(f"{name}: {(want - got).abs().max():.3g} apart")


for dtype, tolerance in TOLERANCES.items():
    a, b, x = thin(6, 8, dtype), torch.randn(8, 5, dtype=dtype), torch.randn(8, dtype=dtype)
    for name, call in CALLS.items():
        if name == "bmm" and dtype.is_complex:  # which PyTorch has not
            continue
        compare(f"{name} {dtype}", call, a, b, x, tolerance=tolerance)
    t, right = triangle(6, dtype), torch.randn(6, 3, dtype=dtype)
    for name, call in SOLVES.items():
        compare(f"solve {name} {dtype}", lambda t, b: call(t, b), t, right, tolerance=tolerance)  # noqa: B023
        compare(f"solve one {name} {dtype}", lambda t, b: call(t, b), t, right[:, :1].contiguous(), tolerance=tolerance)  # noqa: B023
a, b = thin(6, 8, torch.float64), torch.randn(8, 5, dtype=torch.float64)
gradients = []
for device in ("cpu", "cuda"):
    left, right = (t.detach().to(device, copy=True).requires_grad_() for t in (a, b))
    torch.sparse.mm(left.to_sparse(), right).sin().sum().backward()
    gradients.append((left.grad.cpu(), right.grad.cpu()))
for want, got in zip(*gradients):
    if not torch.allclose(want, got):
        wrong += 1
        print(f"gradient: {(want - got).abs().max():.3g} apart")
print("equal" if wrong == 0 else f"{wrong} differ")
