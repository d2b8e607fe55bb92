"""Pairs of PyTorch programs, one with a known defect and one with it fixed: CASES gives for each name the finding that should
name the defect, what makes a step of either, and torch.profiler's options."""
import torch
import torch.nn as nn
import torch.nn.functional as F

DEVICE = "cuda"
CASES = {}


def case(finding, **profiler_options):
    def register(make):
        CASES[make.__name__] = (finding, make, profiler_options)
        return make

    return register


def mlp(depth, width, dtype=torch.float32):
    layers = [m for _ in range(depth) for m in (nn.Linear(width, width), nn.ReLU())]
    return nn.Sequential(*layers).to(DEVICE, dtype)


@case("host-sync")
def boolean_mask(bad):
    x = torch.randn(4096, 1024, device=DEVICE)
    weights = [torch.randn(1024, 1024, device=DEVICE) * 0.03 for _ in range(20)]

    def step():
        h = x
        for w in weights:
            mask = h[:, 0] > 0
            if bad:
                h = h.clone()
                h[mask] = h[mask] * 0.5
            else:
                h = torch.where(mask[:, None], h * 0.5, h)
            h = h @ w
        return h

    return step


@case("host-sync")
def loss_item(bad):
    model = mlp(12, 1024, torch.bfloat16)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    x = torch.randn(1024, 1024, device=DEVICE, dtype=torch.bfloat16)
    total = [0.0]

    def step():
        for _ in range(4):
            loss = F.mse_loss(model(x), x)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            total[0] = total[0] + (loss.item() if bad else loss.detach())

    return step


@case("launch-bound")
def loop_over_batch(bad):
    q, k, v = (torch.randn(96, 128, 64, device=DEVICE, dtype=torch.float16) for _ in range(3))

    def step():
        if bad:
            return torch.stack([torch.softmax(q[i] @ k[i].t() * 0.125, -1) @ v[i] for i in range(q.shape[0])])
        return torch.softmax(q @ k.transpose(1, 2) * 0.125, -1) @ v

    return step


@case("fp32-gemm")
def tf32_off(bad):
    model = mlp(6, 4096)
    x = torch.randn(4096, 4096, device=DEVICE)

    def step():
        torch.backends.cuda.matmul.allow_tf32 = not bad
        loss = model(x).square().mean()
        loss.backward()
        model.zero_grad(set_to_none=True)
        torch.backends.cuda.matmul.allow_tf32 = False
        return loss

    return step


@case("naive-attention")
def attention_by_hand(bad):
    q, k, v = (torch.randn(8, 16, 2048, 64, device=DEVICE, dtype=torch.float16) for _ in range(3))

    def step():
        if bad:
            return torch.softmax(q @ k.transpose(-2, -1) / 8.0, -1) @ v
        return F.scaled_dot_product_attention(q, k, v)

    return step


@case("naive-attention")
def causal_attention_training(bad):
    q, k, v = (torch.randn(4, 16, 1024, 64, device=DEVICE, dtype=torch.bfloat16, requires_grad=True) for _ in range(3))
    mask = torch.ones(1024, 1024, device=DEVICE, dtype=torch.bool).tril()

    def step():
        for t in (q, k, v):
            t.grad = None
        if bad:
            scores = (q @ k.transpose(-2, -1)) * 0.125
            y = torch.softmax(scores.masked_fill(~mask, float("-inf")), -1) @ v
        else:
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        y.sum().backward()

    return step


@case("gradient-zeroing")
def gradients_zeroed(bad):
    model = mlp(24, 4096, torch.bfloat16)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    x = torch.randn(256, 4096, device=DEVICE, dtype=torch.bfloat16)

    def step():
        optimizer.zero_grad(set_to_none=not bad)
        model(x).square().mean().backward()
        optimizer.step()

    return step


@case("gradient-zeroing")
def gradients_zeroed_by_hand(bad):
    model = mlp(60, 512)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    x = torch.randn(512, 512, device=DEVICE)

    def step():
        for p in model.parameters():
            if not bad:
                p.grad = None
            elif p.grad is not None:
                p.grad.zero_()
        model(x).square().mean().backward()
        optimizer.step()

    return step


@case("repeated-cast")
def autocast_weights(bad):
    model = mlp(12, 4096, torch.float32 if bad else torch.bfloat16)
    x = torch.randn(512, 4096, device=DEVICE, dtype=torch.float32 if bad else torch.bfloat16)

    def step():
        with torch.no_grad(), torch.autocast(DEVICE, torch.bfloat16, enabled=bad):
            return model(x)

    return step


@case("repeated-cast")
def casts_back_and_forth(bad):
    layers = [nn.Linear(2048, 2048, device=DEVICE, dtype=torch.bfloat16) for _ in range(16)]
    x = torch.randn(8192, 2048, device=DEVICE, dtype=torch.bfloat16)

    def step():
        h = x
        with torch.no_grad():
            for layer in layers:
                h = F.relu(layer(h).float()).to(torch.bfloat16) if bad else F.relu(layer(h))
        return h

    return step


@case("allocator-churn")
def cache_emptied(bad):
    model = mlp(12, 2048, torch.bfloat16)
    x = torch.randn(4096, 2048, device=DEVICE, dtype=torch.bfloat16)

    def step():
        loss = model(x).square().mean()
        loss.backward()
        model.zero_grad(set_to_none=True)
        if bad:
            torch.cuda.empty_cache()
        return loss

    return step


@case("layout-conversion")
def nchw_convolutions(bad):
    def block(width):
        return [nn.Conv2d(width, width, 3, padding=1, bias=False), nn.ReLU(inplace=True)]

    model = nn.Sequential(nn.Conv2d(64, 256, 3, padding=1), *[m for _ in range(8) for m in block(256)]).to(DEVICE)
    x = torch.randn(32, 64, 56, 56, device=DEVICE)
    layout = torch.contiguous_format if bad else torch.channels_last
    model, x = model.to(torch.bfloat16, memory_format=layout), x.to(torch.bfloat16, memory_format=layout)

    def step():
        loss = model(x).square().mean()
        loss.backward()
        model.zero_grad(set_to_none=True)
        return loss

    return step


@case("many-small-copies")
def small_copies(bad):
    rows = [torch.randn(1024) for _ in range(200)]
    packed = torch.stack(rows).pin_memory()
    w = torch.randn(1024, 1024, device=DEVICE)

    def step():
        x = torch.stack([r.to(DEVICE) for r in rows]) if bad else packed.to(DEVICE, non_blocking=True)
        return x @ w

    return step


@case("pow-for-square")
def pow_for_square(bad):
    x = torch.randn(1 << 25, device=DEVICE)
    return lambda: x ** 2.0 if bad else x * x


@case("host-sync")
def synchronize_each_layer(bad):
    layers = [nn.Linear(512, 512, device=DEVICE, dtype=torch.bfloat16) for _ in range(60)]
    x = torch.randn(512, 512, device=DEVICE, dtype=torch.bfloat16)

    def step():
        h = x
        with torch.no_grad():
            for layer in layers:
                h = layer(h)
                if bad:
                    torch.cuda.synchronize()
        return h

    return step


@case("launch-bound")
def loop_over_matrices(bad):
    x, w = torch.randn(32, 512, 512, device=DEVICE), torch.randn(512, 512, device=DEVICE)

    def step():
        if bad:
            return torch.stack([torch.relu(x[i] @ w) for i in range(32)])
        return torch.relu(x @ w)

    return step


@case("fp32-gemm")
def tf32_off_inference(bad):
    model = mlp(8, 1024)
    x = torch.randn(2048, 1024, device=DEVICE)

    def step():
        torch.backends.cuda.matmul.allow_tf32 = not bad
        with torch.no_grad():
            y = model(x)
        torch.backends.cuda.matmul.allow_tf32 = False
        return y

    return step


@case("naive-attention")
def attention_training(bad):
    q, k, v = (torch.randn(2, 12, 2048, 64, device=DEVICE, dtype=torch.bfloat16, requires_grad=True) for _ in range(3))

    def step():
        for t in (q, k, v):
            t.grad = None
        y = torch.softmax(q @ k.transpose(-2, -1) * 0.125, -1) @ v if bad else F.scaled_dot_product_attention(q, k, v)
        y.sum().backward()

    return step


@case("naive-attention")
def attention_added_mask(bad):
    q, k, v = (torch.randn(4, 16, 1024, 128, device=DEVICE, dtype=torch.float16) for _ in range(3))
    mask = torch.triu(torch.full((1024, 1024), float("-inf"), device=DEVICE, dtype=torch.float16), 1)

    def step():
        if bad:
            scores = (q @ k.transpose(-2, -1)) / 11.3 + mask
            return torch.softmax(scores, -1, dtype=torch.float32).to(torch.float16) @ v
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)

    return step


@case("repeated-cast")
def autocast_inference(bad):
    dtype = torch.float32 if bad else torch.bfloat16
    model = mlp(10, 2048, dtype)
    x = torch.randn(8192, 2048, device=DEVICE, dtype=dtype)

    def step():
        with torch.no_grad(), torch.autocast(DEVICE, torch.bfloat16, enabled=bad):
            return model(x)

    return step


@case("repeated-cast")
def casts_around_tanh(bad):
    layers = [nn.Linear(1024, 1024, device=DEVICE, dtype=torch.float16) for _ in range(12)]
    x = torch.randn(16384, 1024, device=DEVICE, dtype=torch.float16)

    def step():
        h = x
        with torch.no_grad():
            for layer in layers:
                h = layer(h)
                h = torch.tanh(h.float()).half() if bad else torch.tanh(h)
        return h

    return step


@case("layout-conversion")
def nchw_inference(bad):
    layers = [m for _ in range(6) for m in (nn.Conv2d(128, 128, 3, padding=1), nn.BatchNorm2d(128), nn.ReLU(inplace=True))]
    layout = torch.contiguous_format if bad else torch.channels_last
    model = nn.Sequential(*layers).to(DEVICE, torch.float16).eval().to(memory_format=layout)
    x = torch.randn(64, 128, 28, 28, device=DEVICE, dtype=torch.float16).to(memory_format=layout)

    def step():
        with torch.no_grad():
            return model(x)

    return step


@case("many-small-copies")
def scalars_to_device(bad):
    values = [torch.randn(64) for _ in range(60)]
    packed = torch.stack(values).pin_memory()
    x = torch.randn(512, 64, device=DEVICE)

    def step():
        y = x
        for v in values if bad else packed.to(DEVICE, non_blocking=True):
            y = y + (v.to(DEVICE) if bad else v)
        return y

    return step


def many_small_operators(bad):
    model = mlp(60, 128)
    x = torch.randn(32, 128, device=DEVICE)

    def step():
        with torch.no_grad():
            for _ in range(2 if bad else 1):
                y = model(x)
        return y

    return step


# The same launch-bound program under other profiler options, and half of it: no defects, but what recording costs.
for option in ({}, {"record_shapes": False}, {"with_stack": True}, {"profile_memory": True}):
    name = "overhead_" + ("_".join(f"{k}_{int(v)}" for k, v in option.items()) or "default")
    CASES[name] = (None, many_small_operators, option)
