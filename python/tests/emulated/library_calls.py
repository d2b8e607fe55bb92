"""Operators that stand on cuBLAS, cuBLASLt, cuFFT and cuDNN, on the CPU and on the emulated GPU."""
import torch
import torch.nn.functional as F

torch.manual_seed(0)
torch.backends.cudnn.allow_tf32 = False  # the CPU has none
wrong = []


def compare(name, operator, *inputs, tolerance=1e-4):
    right, got = (operator(*(x.to(device) for x in inputs)).cpu().to(torch.complex128) for device in ("cpu", "cuda"))
    error = float((right - got).abs().max() / right.abs().max().clamp(min=1e-6))
    if not error < tolerance:
        wrong.append(name)
        print(name, error)


def random(*shape, dtype=torch.float32):
    return torch.randn(*shape, dtype=dtype if dtype.is_complex else torch.float32).to(dtype)


TOLERANCES = {torch.float32: 1e-5, torch.float64: 1e-12, torch.float16: 2e-3, torch.bfloat16: 2e-2, torch.complex64: 1e-5, torch.complex128: 1e-12}
for dtype, tolerance in TOLERANCES.items():
    def check(name, operator, *shapes, exact=False):
        inputs = [random(*shape, dtype=dtype) for shape in shapes]
        compare(f"{name} {dtype}", operator, *inputs, tolerance=tolerance)
    check("mm", torch.mm, (33, 47), (47, 21))
    check("mm of transposed", lambda a, b: a.t() @ b.t(), (47, 33), (21, 47))
    check("mm of conjugated", lambda a, b: a.mH @ b, (47, 33), (47, 21))
    check("bmm", torch.bmm, (5, 33, 47), (5, 47, 21))
    check("bmm of transposed", lambda a, b: a.mT @ b, (5, 47, 33), (5, 47, 21))
    check("mv", torch.mv, (33, 47), (47,))
    check("mv of every other", lambda a, x: a @ x[::2], (33, 47), (94,))
    check("dot", torch.dot, (470,), (470,))
    check("addmm", lambda c, a, b: torch.addmm(c, a, b, beta=0.5, alpha=2), (33, 21), (33, 47), (47, 21))
    check("baddbmm", torch.baddbmm, (5, 33, 21), (5, 33, 47), (5, 47, 21))
    check("linear", F.linear, (33, 48), (64, 48), (64,))
    if dtype not in (torch.float16, torch.bfloat16):
        solve = lambda a, b: torch.linalg.solve_triangular(a.triu() + 9 * torch.eye(9, dtype=a.dtype, device=a.device), b, upper=True)
        check("trsm", solve, (9, 9), (9, 4))
        check("trsm of a batch", solve, (3, 9, 9), (3, 9, 4))
    if not dtype.is_complex and dtype is not torch.float64:
        compare(f"attention {dtype}", lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), *(random(1, 2, 40, 32, dtype=dtype) for _ in range(3)), tolerance=2 * tolerance)
compare("relu of addmm", lambda c, a, b: torch.ops.aten._addmm_activation(c, a, b), random(64), random(33, 48), random(48, 64))
whole = [torch.randint(-128, 127, shape, dtype=torch.int8) for shape in ((32, 64), (32, 64))]
compare("bytes", lambda a, b: torch._int_mm(a, b.t()), *whole, tolerance=1e-12)

compare("fft", torch.fft.fft, random(3, 17, dtype=torch.complex64))
compare("ifft of doubles", torch.fft.ifft, random(3, 64, dtype=torch.complex128), tolerance=1e-12)
compare("fftn", torch.fft.fftn, random(2, 3, 6, 8, dtype=torch.complex64))
compare("fft of columns", lambda x: torch.fft.fft(x, dim=0), random(12, 5, dtype=torch.complex64))
compare("rfft", torch.fft.rfft, random(3, 17))
compare("rfft2", torch.fft.rfft2, random(3, 17, 10))
compare("irfftn", torch.fft.irfftn, random(4, 6, 7, dtype=torch.complex64))
compare("stft", lambda x: torch.stft(x, 64, window=torch.hann_window(64, device=x.device), return_complex=True), random(2, 400))

compare("conv1d", F.conv1d, random(2, 3, 20), random(4, 3, 5))
compare("conv2d", lambda x, w, b: F.conv2d(x, w, b, padding=1, stride=2), random(2, 3, 12, 12), random(4, 3, 3, 3), random(4))
compare("dilated", lambda x, w: F.conv2d(x, w, dilation=2), random(2, 3, 12, 12), random(4, 3, 3, 3))
compare("by channel", lambda x, w: F.conv2d(x, w, groups=4), random(2, 4, 12, 12), random(4, 1, 3, 3))
compare("by group", lambda x, w: F.conv2d(x, w, groups=2), random(2, 4, 12, 12), random(6, 2, 3, 3))
compare("conv3d", F.conv3d, random(1, 2, 6, 6, 6), random(3, 2, 3, 3, 3))
compare("transposed", lambda x, w: F.conv_transpose2d(x, w, stride=2), random(2, 3, 6, 6), random(3, 4, 3, 3))
compare("batch norm", lambda x: F.batch_norm(x, None, None, training=True), random(4, 3, 5, 5))

if torch.cuda.get_device_capability() >= (8, 9):
    a, b = random(32, 64).cuda().to(torch.float8_e4m3fn), random(16, 64).cuda().to(torch.float8_e4m3fn)
    right = a.float() @ b.float().t()
    for name, scale_a, scale_b in (("f8", torch.tensor(2.0), torch.tensor(0.25)), ("f8 by row", torch.rand(32, 1) + 1, torch.rand(1, 16) + 1)):
        got = torch._scaled_mm(a, b.t(), scale_a=scale_a.cuda(), scale_b=scale_b.cuda(), out_dtype=torch.bfloat16).float()
        want = right * scale_a.cuda() * scale_b.cuda()
        if not (got - want).abs().max() < 1e-2 * want.abs().max():
            wrong.append(name)

x, y, graph = random(8, 8).cuda(), random(8, 8).cuda(), torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    z = x @ y
x.copy_(torch.eye(8))
graph.replay()
if not torch.allclose(z.cpu(), y.cpu()):
    wrong.append("captured product")
print("equal" if not wrong else f"wrong: {wrong}")
