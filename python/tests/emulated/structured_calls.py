"""Semi-structured sparse tensors of an emulated GPU against dense products on the CPU: cuSPARSELt by way of PyTorch, and
its pruning by ctypes. Each line names what differs."""
import ctypes
import warnings

import torch
from torch.sparse import SparseSemiStructuredTensor, to_sparse_semi_structured

warnings.filterwarnings("ignore")
torch.manual_seed(0)
SparseSemiStructuredTensor._FORCE_CUTLASS = False
wrong = 0


def compare(name, got, want, tolerance):
    global wrong
    error = ((got.cpu().double() - want.double()).abs() / (want.double().abs() + 1)).max().item()
    if got.shape != want.shape or not error <= tolerance:
        wrong += 1
        print(f"{name}: off by {error:.3g}")


def thin(rows, columns):
    """Two of each four are zero, at any places."""
    dense = torch.randn(rows, columns)
    drop = torch.rand(rows, columns // 4, 4).argsort(-1) < 2
    return dense.masked_fill(drop.reshape(rows, columns), 0)


for dtype in (torch.float16, torch.bfloat16):
    weight, x, bias = thin(64, 128).to(dtype), torch.randn(96, 128).to(dtype), torch.randn(64).to(dtype)
    sparse = to_sparse_semi_structured(weight.cuda())
    compare(f"{dtype} dense", sparse.to_dense(), weight, 0)
    product = x.float() @ weight.float().T
    compare(f"{dtype} linear", torch.nn.functional.linear(x.cuda(), sparse), product, 1e-2)
    compare(f"{dtype} bias", torch.nn.functional.linear(x.cuda(), sparse, bias.cuda()), product + bias.float(), 1e-2)
    compare(f"{dtype} mm", torch.mm(sparse, x.cuda().T.contiguous()), product.T, 1e-2)
    compare(f"{dtype} mm of a view", torch.mm(sparse, x.cuda().T), product.T, 1e-2)
    compare(f"{dtype} x @ sparse.T", x.cuda() @ sparse.t(), product, 1e-2)

weight, x = (thin(64, 128) * 20).round().to(torch.int8), torch.randint(-50, 50, (96, 128), dtype=torch.int8)
sums = weight.int() @ x.T.int()
compressed = torch._cslt_compress(weight.cuda())
for out in (torch.int32, torch.float16, torch.bfloat16):
    scaled = sums if out == torch.int32 else sums / 256
    alpha = None if out == torch.int32 else torch.full((64,), 1 / 256).cuda()
    compare(f"int8 to {out}", torch._cslt_sparse_mm(compressed, x.cuda().T, alpha=alpha, out_dtype=out), scaled, 1e-2)
algorithm = torch._cslt_sparse_mm_search(compressed, x.cuda().T, out_dtype=torch.int32)
compare("searched", torch._cslt_sparse_mm(compressed, x.cuda().T, out_dtype=torch.int32, alg_id=algorithm), sums, 0)

# Captured, and run again on other numbers.
captured, static = torch.cuda.CUDAGraph(), torch.randn(96, 128).half().cuda()
half = thin(64, 128).half()
sparse = to_sparse_semi_structured(half.cuda())
torch.nn.functional.linear(static, sparse)
with torch.cuda.graph(captured):
    out = torch.nn.functional.linear(static, sparse)
static.copy_(torch.ones_like(static))
captured.replay()
compare("graph", out, torch.ones(96, 128) @ half.float().T, 1e-2)

library = ctypes.CDLL("libcusparseLt.so.0")
handle, matrix = (ctypes.c_char * 512)(), (ctypes.c_char * 512)()
assert library.cusparseLtInit(handle) == 0
FLOAT16, ROWS, ALIGNMENT = 2, 2, 16
shape = (ctypes.c_int64(64), ctypes.c_int64(128), ctypes.c_int64(128))
assert library.cusparseLtStructuredDescriptorInit(handle, matrix, *shape, ALIGNMENT, FLOAT16, ROWS, 0) == 0
full = torch.randn(64, 128).half().cuda()
valid = torch.full((1,), 7, dtype=torch.int32, device="cuda")


def checked(tensor):
    assert library.cusparseLtSpMMAPruneCheck2(handle, matrix, 1, 0, ctypes.c_void_p(tensor.data_ptr()), ctypes.c_void_p(valid.data_ptr()), None) == 0
    return valid.item()


for how in (0, 1):
    pruned = torch.full_like(full, 7)
    pointers = (ctypes.c_void_p(full.data_ptr()), ctypes.c_void_p(pruned.data_ptr()))
    assert library.cusparseLtSpMMAPrune2(handle, matrix, 1, 0, *pointers, how, None) == 0
    groups = pruned.cpu().reshape(64, 32, 4)
    if (checked(full), checked(pruned)) != (1, 0) or ((groups != 0).sum(-1) != 2).any():
        wrong += 1
        print(f"pruning {how}")
    if how == 1:
        compare("strips keep the largest", groups.abs().sum(-1), full.cpu().reshape(64, 32, 4).abs().topk(2).values.sum(-1), 1e-2)
    elif ((pruned.cpu() != 0).reshape(16, 4, 128).sum(1) != 2).any():
        wrong += 1
        print("tiles keep two of each column")
print("equal" if wrong == 0 else f"{wrong} differ")
