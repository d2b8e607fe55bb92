"""A PyTorch step with AdamW, a product by cuBLAS and a Triton kernel; prints a hash of every result. Run by counters.py."""
import sys, time, hashlib, torch, triton, triton.language as tl
@triton.jit
def scale(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, tl.load(x + i, mask=i < n) * 3, mask=i < n)
torch.manual_seed(0)
m = torch.nn.Sequential(torch.nn.Linear(512, 2048), torch.nn.GELU(), torch.nn.Linear(2048, 512)).cuda()
opt = torch.optim.AdamW(m.parameters(), lr=1e-3)
x = torch.randn(256, 512, device="cuda")
t = time.time()
for step in range(2):
    torch.cuda.nvtx.range_push(f"step {step}")
    loss = (m(x) - x).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    torch.cuda.nvtx.range_pop()
a = torch.randn(1024, 1024, device="cuda", dtype=torch.bfloat16)
b = a @ a
y = torch.empty_like(x)
scale[(x.numel() // 1024,)](x, y, x.numel(), B=1024)
torch.cuda.synchronize()
h = hashlib.sha256(b"".join(p.detach().float().cpu().numpy().tobytes() for p in [*m.parameters(), b, y])).hexdigest()[:16]
print("loss", loss.item(), "hash", h, "seconds", round(time.time() - t, 3), flush=True)
if "big" in sys.argv:
    g = [torch.zeros(1 << 30, dtype=torch.uint8, device="cuda") for _ in range(20)]
    torch.cuda.synchronize(); t = time.time()
    y.add_(1); torch.cuda.synchronize(); t1 = time.time(); y.add_(1); torch.cuda.synchronize()
    print("with 20 GB", round(t1 - t, 3), round(time.time() - t1, 3), flush=True)
