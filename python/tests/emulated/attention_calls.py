"""cuDNN's attention on an emulated GPU against attention in float32 on the CPU: results and gradients; each line what differs."""
import math

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

torch.manual_seed(0)
TOLERANCES = {torch.float16: 2e-3, torch.bfloat16: 1e-2}  # of the norm
wrong = 0


def told(name, far):
    global wrong
    wrong += 1
    print(f"{name}: {far}")


def plain(q, k, v, causal, mask):
    k, v = (t.repeat_interleave(q.shape[1] // t.shape[1], 1) for t in (k, v))
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    if causal:
        scores = scores.masked_fill(~torch.ones(scores.shape[-2:], dtype=torch.bool).tril(), -math.inf)
    return (scores if mask is None else scores + mask).softmax(-1) @ v


def compare(name, heads, of_keys, queries, keys, dtype, causal=False, mask=None):
    given = [torch.randn(2, h, s, 64).to(dtype) for h, s in ((heads, queries), (of_keys, keys), (of_keys, keys))]
    ours = [t.float().requires_grad_() for t in given]
    theirs = [t.transpose(1, 2).contiguous().transpose(1, 2).cuda().requires_grad_() for t in given]  # as a linear layer leaves them
    mask = None if mask is None else torch.randn(mask).to(dtype)
    want = plain(*ours, causal, None if mask is None else mask.float())
    with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
        got = F.scaled_dot_product_attention(*theirs, None if mask is None else mask.cuda(), is_causal=causal, enable_gqa=heads != of_keys)
    gradient = torch.randn_like(want)
    want.backward(gradient)
    got.backward(gradient.to(dtype).cuda())
    for place, a, b in zip(("result", "dQ", "dK", "dV"), [want, *(t.grad for t in ours)], [got, *(t.grad for t in theirs)]):
        far = ((b.detach().float().cpu() - a).norm() / a.norm()).item()
        if not far <= TOLERANCES[dtype]:
            told(f"{name} {dtype} {place}", far)


for dtype in TOLERANCES:
    compare("plain", 4, 4, 96, 160, dtype)
    compare("causal", 4, 4, 128, 128, dtype, causal=True)
    compare("causal, more keys", 4, 4, 40, 72, dtype, causal=True)
    compare("two queries a key", 4, 2, 64, 64, dtype)
    compare("a mask", 4, 4, 64, 72, dtype, mask=(2, 4, 64, 72))
    compare("one mask for all", 4, 4, 64, 72, dtype, mask=(1, 1, 64, 72))

q, k = (torch.randn(4, 8, 64, 64, dtype=torch.bfloat16, device="cuda") for _ in range(2))
v = torch.ones_like(q).requires_grad_()
with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
    dropped = F.scaled_dot_product_attention(q, k, v, dropout_p=0.5)
    dropped.sum().backward()
    mean, gradient = dropped.float().mean().item(), v.grad.float().mean().item()  # each weight's part comes and goes with the same mask
    if abs(mean - 1) > 0.05 or abs(mean - gradient) > 1e-2 or torch.equal(dropped, F.scaled_dot_product_attention(q, k, v, dropout_p=0.5)):
        told("dropout", (mean, gradient))

lengths = (5, 17, 9)
rows = [torch.randn(n, 4, 64) for n in lengths]
jagged = torch.nested.nested_tensor([r.bfloat16() for r in rows], layout=torch.jagged, device="cuda").transpose(1, 2)
got = F.scaled_dot_product_attention(jagged, jagged, jagged).transpose(1, 2).values().float().cpu()  # by the backend that PyTorch chooses
halves = [r.bfloat16().float().transpose(0, 1)[None] for r in rows]
want = torch.cat([plain(t, t, t, False, None)[0].transpose(0, 1) for t in halves])
if not (got - want).norm() / want.norm() <= TOLERANCES[torch.bfloat16]:
    told("sequences of three lengths", ((got - want).norm() / want.norm()).item())

graph = torch.cuda.CUDAGraph()
kept = q.clone()
with torch.cuda.graph(graph), sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
    out = F.scaled_dot_product_attention(kept, k, k)
kept.copy_(q * 2)
graph.replay()
with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
    if not torch.equal(out, F.scaled_dot_product_attention(kept, k, k)):
        told("a captured graph", "another result")
print("equal" if wrong == 0 else f"{wrong} differ")
