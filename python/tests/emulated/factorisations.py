"""Linear algebra of an emulated GPU against the CPU's: cuSOLVER's functions by way of PyTorch, forward and backward."""
import torch

torch.manual_seed(0)
TOLERANCES = {torch.float32: 2e-4, torch.float64: 1e-10, torch.complex64: 2e-4, torch.complex128: 1e-10}


def spd(n, dtype, batch=()):
    a = torch.randn(*batch, n, n, dtype=dtype)
    return a @ a.mH + n * torch.eye(n, dtype=dtype)


def parts(result):
    return [result] if isinstance(result, torch.Tensor) else list(result)


def phase_free(result):
    """Singular vectors and eigenvectors are known up to a factor of modulus 1: what they reconstruct is compared."""
    kind = type(result).__name__
    if kind.endswith("linalg_svd"):
        rank = result.S.shape[-1]
        return [result.S, (result.U[..., :rank] * result.S.unsqueeze(-2)) @ result.Vh[..., :rank, :]]
    if kind.endswith("linalg_eigh"):
        return [result.eigenvalues, (result.eigenvectors * result.eigenvalues.unsqueeze(-2)) @ result.eigenvectors.mH]
    if kind.endswith("linalg_eig"):
        return [(result.eigenvectors * result.eigenvalues.unsqueeze(-2)) @ torch.linalg.inv(result.eigenvectors)]
    return parts(result)


CALLS = {
    "cholesky": (torch.linalg.cholesky, lambda d, b: (spd(5, d, b),)),
    "cholesky upper": (lambda a: torch.linalg.cholesky(a, upper=True), lambda d, b: (spd(5, d, b),)),
    "cholesky_solve": (torch.cholesky_solve, lambda d, b: (torch.randn(*b, 5, 3, dtype=d), torch.linalg.cholesky(spd(5, d, b)))),
    "det": (torch.linalg.det, lambda d, b: (torch.randn(*b, 4, 4, dtype=d),)),
    "inv": (torch.linalg.inv, lambda d, b: (spd(6, d, b),)),
    "lu": (torch.linalg.lu, lambda d, b: (torch.randn(*b, 5, 4, dtype=d),)),
    "lu_solve": (lambda a, x: torch.linalg.lu_solve(*torch.linalg.lu_factor(a), x), lambda d, b: (spd(5, d, b), torch.randn(*b, 5, 2, dtype=d))),
    "qr": (torch.linalg.qr, lambda d, b: (torch.randn(*b, 6, 4, dtype=d),)),
    "qr complete": (lambda a: torch.linalg.qr(a, mode="complete"), lambda d, b: (torch.randn(*b, 6, 4, dtype=d),)),
    "ormqr": (lambda a, c: torch.ormqr(*torch.geqrf(a), c), lambda d, b: (torch.randn(5, 3, dtype=d), torch.randn(5, 2, dtype=d))),
    "solve": (torch.linalg.solve, lambda d, b: (spd(5, d, b), torch.randn(*b, 5, 2, dtype=d))),
    "lstsq": (lambda a, c: torch.linalg.lstsq(a, c).solution, lambda d, b: (torch.randn(*b, 6, 3, dtype=d), torch.randn(*b, 6, 2, dtype=d))),
    "svd": (lambda a: torch.linalg.svd(a, full_matrices=False), lambda d, b: (torch.randn(*b, 6, 4, dtype=d),)),
    "svd wide, full": (torch.linalg.svd, lambda d, b: (torch.randn(*b, 3, 5, dtype=d),)),
    "svdvals": (torch.linalg.svdvals, lambda d, b: (torch.randn(*b, 6, 4, dtype=d),)),
    "eigh": (torch.linalg.eigh, lambda d, b: (spd(5, d, b),)),
    "eigvalsh": (torch.linalg.eigvalsh, lambda d, b: (spd(5, d, b),)),
    "eig": (torch.linalg.eig, lambda d, b: (spd(4, d, b) + torch.triu(torch.ones(4, 4, dtype=d)),)),
    "pinv": (torch.linalg.pinv, lambda d, b: (torch.randn(*b, 5, 3, dtype=d),)),
    "ldl": (lambda a: torch.linalg.ldl_factor(a).LD, lambda d, b: (spd(4, d, b).real.to(d),)),
}

wrong = 0
for name, (call, arguments) in CALLS.items():
    for dtype, tolerance in TOLERANCES.items():
        for batch in ((), (2,), (12,)):
            given = arguments(dtype, batch)
            try:
                want, got = (phase_free(call(*(a.to(device) for a in given))) for device in ("cpu", "cuda"))
            except Exception as error:  # noqa: BLE001: each call that fails is reported
                wrong += 1
                print(f"{name} {dtype} {batch}: {type(error).__name__}: {str(error).splitlines()[0]}")
                continue
            for number, (a, b) in enumerate(zip(want, got)):
                if not torch.allclose(a, b.cpu(), atol=tolerance, rtol=tolerance):
                    wrong += 1
                    print(f"{name} {dtype} {batch} result {number}: {(a - b.cpu()).abs().max():.3g} apart")
for call in (torch.linalg.inv, torch.linalg.cholesky, lambda a: torch.linalg.svdvals(a).sum(), lambda a: torch.linalg.eigvalsh(a).sum()):
    grads = []
    a = spd(4, torch.float64)
    for device in ("cpu", "cuda"):
        x = a.detach().clone().to(device).requires_grad_()
        call(x).sum().backward()
        grads.append(x.grad.cpu())
    if not torch.allclose(*grads, atol=1e-9):
        wrong += 1
        print(f"gradient {(grads[0] - grads[1]).abs().max():.3g} apart")
for dtype in TOLERANCES:  # which the CPU has no function for
    a = spd(5, dtype)
    factors = torch.linalg.lu_factor(a.cuda(), pivot=False).LU.cpu()
    if not torch.allclose((factors.tril(-1) + torch.eye(5, dtype=dtype)) @ factors.triu(), a, atol=1e-3):
        wrong += 1
        print(f"LU without pivots, {dtype}")
try:
    torch.linalg.cholesky(-torch.eye(3, device="cuda"))
    wrong += 1
    print("a matrix that is not positive definite was factored")
except torch.linalg.LinAlgError:
    pass
print("equal" if wrong == 0 else f"{wrong} differ")
