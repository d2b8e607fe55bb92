"""Features of PyTorch as users call them, one function a program: python features.py NAME.

Each prints `loss` or `value` lines. They run on whatever device there is, from the same numbers of the CPU's generator.
"""
import copy
import sys

import torch
from torch import nn
from torch.nn import functional as F

device = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
torch.backends.cudnn.allow_tf32 = False


def show(*tensors):
    """Sums that weigh each element otherwise, so that swapped elements show."""
    for t in tensors:
        t = t.detach().cpu()
        t = torch.view_as_real(t).flatten() if t.is_complex() else t.flatten()
        t = t.double()
        print("value", (t * torch.cos(torch.arange(t.numel(), dtype=torch.double))).sum().item(), t.abs().mean().item())


def attention():
    """Every backend that the device offers, causal or not, with a mask, grouped heads, forward and backward."""
    from torch.nn.attention import SDPBackend, sdpa_kernel

    q, k, v = (torch.randn(2, 4, s, 64).to(device, torch.bfloat16) for s in (96, 160, 160))
    kinds = [SDPBackend.MATH, SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.CUDNN_ATTENTION]
    mask = torch.randn(2, 4, 96, 160).to(device, torch.bfloat16)
    for kind in kinds:
        for extra in ({}, {"is_causal": True}, {"attn_mask": mask}, {"grouped": True}):
            mine = [t.clone().requires_grad_() for t in (q, k, v)]
            given = dict(extra)
            if given.pop("grouped", False):
                mine[1:] = [t[:, :2].detach().clone().requires_grad_() for t in mine[1:]]
                given["enable_gqa"] = True
            refuses = {SDPBackend.FLASH_ATTENTION: ("attn_mask", "is_causal"), SDPBackend.EFFICIENT_ATTENTION: ("enable_gqa",)}.get(kind, ())
            if device == "cpu" or any(option in given for option in refuses):
                out = F.scaled_dot_product_attention(*mine, **given)
            else:
                with sdpa_kernel(kind):
                    out = F.scaled_dot_product_attention(*mine, **given)
            out.float().square().mean().backward()
            show(out, *(t.grad for t in mine))


def attention_dropout():
    """Half of the weights are dropped: the mean over many heads stays."""
    q, k, v = (torch.randn(8, 16, 64, 64).to(device, torch.bfloat16).requires_grad_() for _ in range(3))
    out = F.scaled_dot_product_attention(q, k, torch.ones_like(v), dropout_p=0.5)
    print("value", round(out.float().mean().item(), 1))


def flex():
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    q, k, v = (torch.randn(1, 2, 128, 32).to(device) for _ in range(3))
    mask = create_block_mask(lambda b, h, i, j: i >= j, None, None, 128, 128, device=device)
    show(torch.compile(flex_attention)(q, k, v, score_mod=lambda s, b, h, i, j: s + 0.01 * (i - j), block_mask=mask))


def fp8():
    a, b = torch.randn(32, 64), torch.randn(48, 64)
    scales = [t.abs().max() / 448 for t in (a, b)]
    x, y = ((t / s).to(torch.float8_e4m3fn).to(device) for t, s in zip((a, b), scales))
    show(torch._scaled_mm(x, y.t(), scale_a=scales[0].to(device), scale_b=scales[1].to(device), out_dtype=torch.bfloat16))


def fourier():
    x = torch.randn(4, 30, 16).to(device).requires_grad_()
    y = torch.fft.rfft2(x)
    z = torch.fft.irfft2(y * torch.fft.fftshift(y), s=(30, 16))
    z.square().sum().backward()
    w = torch.stft(torch.randn(2, 400).to(device), 64, 16, window=torch.hann_window(64).to(device), return_complex=True)
    show(y, z, x.grad, w, torch.istft(w, 64, 16, window=torch.hann_window(64).to(device)), torch.fft.hfft(y[0]), torch.fft.fftn(y))


def linear_algebra():
    a = torch.randn(3, 12, 12, dtype=torch.double).to(device).requires_grad_()
    s = a @ a.mT + 12 * torch.eye(12, dtype=torch.double).to(device)
    low = torch.linalg.cholesky(s)
    values, _ = torch.linalg.eigh(s)
    (low.sum() + values.sum() + torch.linalg.slogdet(s)[1].sum()).backward()
    show(low, values, a.grad, torch.linalg.inv(a), torch.linalg.svdvals(a), torch.linalg.solve(a, s), torch.linalg.lstsq(a, s).solution,
         torch.linalg.qr(a)[1].abs(), torch.linalg.matrix_exp(a / 4), torch.linalg.pinv(a), torch.linalg.eigvals(s).real.sort().values,
         torch.lobpcg(s.detach(), k=2)[0], torch.linalg.norm(a, 2, (-2, -1)))


def sparse():
    dense = torch.randn(40, 30) * (torch.rand(40, 30) < 0.2)
    other = torch.randn(30, 8)
    coo, csr = dense.to_sparse().to(device), dense.to_sparse_csr().to(device)
    x = other.to(device).requires_grad_()
    (torch.sparse.mm(coo, x).sum() + (csr @ x).square().sum()).backward()
    show(torch.sparse.mm(coo, x), csr @ x, x.grad, coo.t().coalesce().values(), torch.sparse.softmax(coo, 1).to_dense(),
         torch.sparse.sampled_addmm(csr, torch.ones(40, 4).to(device), torch.ones(4, 30).to(device)).to_dense(), torch.sparse.mm(coo, coo.t()).to_dense())


def nested():
    parts = [torch.randn(n, 4, 32) for n in (5, 17, 9)]
    x = torch.nested.nested_tensor(parts, layout=torch.jagged).to(device, torch.bfloat16)
    q = x.transpose(1, 2)
    out = F.scaled_dot_product_attention(q, q, q)
    layer = nn.Linear(32, 8).to(device, torch.bfloat16)
    show(out.transpose(1, 2).values(), layer(x).values(), F.softmax(x, -1).values())


def nested_training():
    parts = [torch.randn(n, 32) for n in (5, 17, 9)]
    x = torch.nested.nested_tensor(parts, layout=torch.jagged).to(device)
    head = nn.Linear(32, 32).to(device)
    q, k, v = (t.unflatten(-1, [2, 16]).transpose(1, 2) for t in (head(x), head(2 * x), head(3 * x)))
    out = F.scaled_dot_product_attention(q, k, v)
    out.transpose(1, 2).values().square().mean().backward()
    show(head.weight.grad, head.bias.grad)


def exported():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.last = nn.Conv1d(4, 8, 3), nn.Linear(8, 2)

        def forward(self, x):
            return self.last(F.relu(self.first(x)).mean(-1))
    net = Net().to(device).eval()
    x = torch.randn(2, 4, 10).to(device)
    program = torch.export.export(net, (x,), dynamic_shapes=({0: torch.export.Dim("batch", min=1, max=8)},))
    show(program.module()(x), program.module()(torch.cat([x, x])))


def graphed():
    model = nn.Sequential(nn.Linear(16, 32), nn.Dropout(0.0), nn.ReLU(), nn.Linear(32, 4)).to(device)
    x, y = torch.randn(8, 16), torch.randint(0, 4, (8,))
    run = model
    if device == "cuda":
        run = torch.cuda.make_graphed_callables(model, (torch.randn(8, 16, device=device, requires_grad=False),))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for _ in range(4):
        loss = F.cross_entropy(run(x.to(device)), y.to(device))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        print("loss", loss.item())


def whole_step_graph():
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 36, 4)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), 1e-2, capturable=device == "cuda")
    x, y = torch.randn(8, 3, 8, 8).to(device), torch.randint(0, 4, (8,)).to(device)

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        return loss
    if device == "cpu":
        for _ in range(6):
            print("loss", step().item())
        return
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            print("loss", step().item())
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        loss = step()
    for _ in range(3):
        graph.replay()
        print("loss", loss.item())


def memory():
    if device == "cpu":
        return print("value 4194304 8388608 1 1 1")
    torch.cuda.reset_peak_memory_stats()
    a = torch.zeros(1024, 1024, device=device)
    used = torch.cuda.memory_allocated()
    b = a + 1
    peak = torch.cuda.max_memory_allocated()
    del a, b
    torch.cuda.empty_cache()
    free, total = torch.cuda.mem_get_info()
    torch.cuda.memory._record_memory_history(max_entries=100)
    kept = torch.ones(10, device=device)
    snapshot = torch.cuda.memory._snapshot()
    torch.cuda.memory._record_memory_history(enabled=None)
    stats = torch.cuda.memory_stats()
    print("value", used, peak, int(free <= total), int(len(snapshot["segments"]) > 0), int(stats["num_ooms"] == 0))
    assert kept.sum() == 10 and "Allocated memory" in torch.cuda.memory_summary()
    try:
        torch.empty(1 << 44, device=device)
    except torch.cuda.OutOfMemoryError as error:
        assert "out of memory" in str(error)


def custom():
    """A user's own autograd function over a CUDA extension and a Triton kernel."""
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(context, x):
            context.save_for_backward(x)
            return squared(x)

        @staticmethod
        def backward(context, gradient):
            x, = context.saved_tensors
            return doubled(x) * gradient
    if device == "cpu":
        squared, doubled = (lambda x: x * x), (lambda x: 2 * x)
    else:
        import triton
        import triton.language as tl
        from torch.utils.cpp_extension import load_inline

        source = """__global__ void square(const float* x, float* y, int n) { int i = blockIdx.x * 256 + threadIdx.x; if (i < n) y[i] = x[i] * x[i]; }
        torch::Tensor squared(torch::Tensor x) { auto y = torch::empty_like(x); int n = x.numel();
          square<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n); return y; }"""
        squared = load_inline("squares", "torch::Tensor squared(torch::Tensor x);", source, functions=["squared"]).squared

        @triton.jit
        def double(x, y, n, BLOCK: tl.constexpr):
            i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
            tl.store(y + i, 2 * tl.load(x + i, i < n), i < n)

        def doubled(x):
            y = torch.empty_like(x)
            double[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), BLOCK=128)
            return y
    x = torch.randn(1000).to(device).requires_grad_()
    out = Square.apply(x)
    out.sum().backward()
    show(out, x.grad)


def profiled():
    from torch.profiler import ProfilerActivity, profile, schedule

    net = nn.Linear(64, 64).to(device)
    kinds = [ProfilerActivity.CPU] + ([ProfilerActivity.CUDA] if device == "cuda" else [])
    with profile(activities=kinds, schedule=schedule(wait=1, warmup=1, active=2), record_shapes=True, profile_memory=True, with_stack=True) as p:
        for _ in range(4):
            net(torch.randn(8, 64).to(device)).relu().sum().backward()
            p.step()
    rows = {row.key: row for row in p.key_averages()}
    print("value", rows["aten::linear"].count, rows["aten::relu"].count)
    if device == "cuda":
        assert sum(row.self_device_time_total for row in rows.values()) > 0


def streams():
    x = torch.randn(256, 256).to(device)
    if device == "cpu":
        return show(x @ x + (x * 2) @ x)
    first, second = torch.cuda.Stream(), torch.cuda.Stream(priority=-1)
    for s in (first, second):
        s.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(first):
        a = x @ x
    with torch.cuda.stream(second):
        b = (x * 2) @ x
        done = torch.cuda.Event(enable_timing=True)
        done.record()
    first.wait_event(done)
    with torch.cuda.stream(first):
        out = a + b
    torch.cuda.synchronize()
    show(out)


def functional():
    from torch.func import functional_call, grad, jacrev, vmap

    net = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 1)).to(device)
    parameters = dict(net.named_parameters())
    x = torch.randn(5, 6).to(device)
    each = vmap(grad(lambda p, row: functional_call(net, p, row[None]).squeeze()), (None, 0))(parameters, x)
    show(*each.values(), jacrev(lambda y: net(y).sum(0))(x))
    a = torch.randn(4, 4).to(device)
    show(torch.autograd.functional.hessian(lambda y: (y @ a @ y).sin(), torch.randn(4).to(device)))


def indexing():
    x = torch.randn(50, 20).to(device)
    i = torch.randint(0, 50, (30,)).to(device)
    out = torch.zeros_like(x).index_add_(0, i, x[:30]).scatter_reduce(0, i[:, None].expand(30, 20), x[:30], "amax")
    show(out, x.sort(0).values, x.topk(5, 1).values, torch.unique(i).float(), x[x > 0.5], x.cumsum(0), x.median(1).values, torch.histc(x, 10),
         torch.bincount(i).float(), torch.searchsorted(x[0].sort().values, x[1]).float(), x.kthvalue(3, 1).values, torch.cdist(x, x[:7]),
         torch.einsum("ij,kj->ik", x, x[:4]), F.grid_sample(x[None, None], torch.rand(1, 8, 8, 2).to(device) * 2 - 1, align_corners=False),
         F.interpolate(x[None, None], scale_factor=2, mode="bicubic"), F.unfold(x[None, None], 3), x.nonzero().float(), torch.trapezoid(x))


def losses():
    x, y = torch.randn(8, 6).to(device).requires_grad_(), torch.randint(0, 6, (8,)).to(device)
    text = torch.randint(1, 6, (8, 3)).to(device)
    parts = [F.cross_entropy(x, y, label_smoothing=0.1), F.kl_div(F.log_softmax(x, 1), F.softmax(x.detach() * 2, 1), reduction="batchmean"),
             F.ctc_loss(F.log_softmax(x[:, None].expand(8, 8, 6), -1), text, torch.full((8,), 8), torch.full((8,), 3)), F.huber_loss(x, x.detach() + 1),
             F.triplet_margin_loss(x[:2], x[2:4], x[4:6]), F.multi_margin_loss(x, y), F.binary_cross_entropy_with_logits(x, torch.rand(8, 6).to(device)),
             F.gaussian_nll_loss(x, x.detach() + 1, torch.ones_like(x)), F.cosine_embedding_loss(x[:4], x[4:], torch.ones(4).to(device))]
    for part in parts:
        print("loss", part.item())
    sum(parts).backward()
    show(x.grad)


def convolutions():
    """Kinds of convolutions under each type, forward and backward."""
    for dtype in (torch.float32, torch.bfloat16, torch.float16):
        for last in (False, True):
            for name, layer, shape in (("grouped", nn.Conv2d(8, 8, 3, padding=1, groups=4), (2, 8, 9, 9)), ("depthwise", nn.Conv2d(8, 8, 5, 2, groups=8), (2, 8, 11, 11)),
                                       ("transposed", nn.ConvTranspose2d(8, 6, 3, 2, 1, 1, groups=2), (2, 8, 7, 7)), ("dilated", nn.Conv2d(8, 4, 3, dilation=2), (2, 8, 9, 9)),
                                       ("odd", nn.Conv2d(3, 5, (3, 1), (2, 1), (1, 0)), (1, 3, 9, 7)), ("3d", nn.Conv3d(2, 4, 3, 2, 1), (2, 2, 6, 6, 6)),
                                       ("3d transposed", nn.ConvTranspose3d(2, 4, 3, 2), (1, 2, 4, 4, 4)), ("pointwise", nn.Conv2d(16, 32, 1), (2, 16, 5, 5))):
                if last and len(shape) == 5:
                    continue
                print(name, dtype, last)
                layer = copy.deepcopy(layer).to(device, dtype)
                x = torch.randn(shape).to(dtype).to(device)
                if last:
                    layer, x = layer.to(memory_format=torch.channels_last), x.to(memory_format=torch.channels_last)
                out = layer(x.requires_grad_())
                out.float().square().mean().backward()
                show(out, x.grad, layer.weight.grad, layer.bias.grad)


if __name__ == "__main__":
    globals()[sys.argv[1]]()
