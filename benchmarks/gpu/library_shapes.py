"""Times calls of cuBLAS, cuBLASLt and cuDNN on the GPU here, for the models of libraries/time: shapes drawn by a seed.

python3 library_shapes.py list SET               the shapes, a line each; `library_forecast DEVICE < shapes` prints modelled times
python3 library_shapes.py measure SET OUT.txt    the lines with two times in ns (inputs in DRAM, inputs in L2) and the kernels

Lines: `product KIND m n k batches transposed bias` (column-major, as cuBLAS has it), `conv PASS KIND images channels height width filters
size stride groups layout`, `attention PASS KIND images heads queries keys depth causal`. Durations come from PyTorch's profiler.
"""
import collections
import random
import re
import statistics
import sys

SETS = {"models": 101, "again": 202, "third": 303, "fourth": 404}  # by seed
COUNTS = {"product": 190, "conv": 150, "attention": 60}
WIDTHS = [32, 64, 96, 128, 192, 256, 320, 384, 512, 640, 768, 1024, 1280, 1536, 2048, 2560, 3072, 4096, 5120, 8192]
REPEATS, ROTATED_BYTES, MOST_BYTES = 5, 160 << 20, 600 << 20


def rows(draw):
    """Tokens, or lines of a batch: one to a few in decoding, round or odd."""
    kind = draw.random()
    if kind < 0.2:
        return draw.choice([1, 1, 2, 4, 8, 16])
    if kind < 0.75:
        return 2 ** draw.randint(5, 14)
    return int(2 ** draw.uniform(4, 13))


def product(draw):
    kind = draw.choices(["bf16", "f16", "f32", "tf32"], [4, 2, 3, 2])[0]
    many = draw.random()
    if many < 0.2:  # heads
        m, n, k, batches = draw.choice([32, 64, 128, 256, 512, 1024]), draw.choice([32, 64, 128, 256, 512, 1024]), draw.choice([32, 64, 128, 256, 512]), \
            draw.choice([8, 12, 16, 32, 48, 64, 96, 128, 192])
    else:
        m, n, k, batches = draw.choice(WIDTHS), rows(draw), draw.choice(WIDTHS), 1
        if draw.random() < 0.15:  # heads of classes, odd widths
            m = int(2 ** draw.uniform(1, 12))
        if draw.random() < 0.2:  # the gradient of weights: deep
            n, k = k, n
    transposed = draw.choice(["TN", "TN", "NN", "NT"])
    bias = int(batches == 1 and transposed == "TN" and draw.random() < 0.6)
    return f"product {kind} {m} {n} {k} {batches} {transposed} {bias}"


def conv(draw):
    kind = draw.choices(["bf16", "f16", "f32", "tf32"], [4, 3, 2, 4])[0]
    width = draw.choice([7, 8, 14, 16, 28, 32, 56, 64, 112, 128])
    channels, filters = draw.choice([3, 16, 32, 64, 64, 128, 128, 256, 512]), draw.choice([16, 32, 64, 64, 128, 128, 256, 512])
    groups, shape = 1, draw.random()
    size = draw.choice([1, 3, 3, 3, 5, 7])
    if shape < 0.15:
        groups, channels = filters, filters
    elif shape < 0.2 and channels % 4 == 0:
        groups = 4
    height = 1 if draw.random() < 0.12 else width
    stride = draw.choice([1, 1, 1, 2])
    if draw.random() < 0.08:
        size = stride = draw.choice([2, 4])
        height = width
        width = height = max(width, 16)
    images = draw.choice([1, 2, 4, 8, 16, 32, 64])
    passes = draw.choice(["forward", "forward", "dgrad", "wgrad"])
    layout = draw.choice(["nchw", "nhwc"]) if height > 1 else "nchw"
    return f"conv {passes} {kind} {images} {channels} {height} {width} {filters} {size} {stride} {groups} {layout}"


def attention(draw):
    length = draw.choice([32, 64, 128, 197, 256, 512, 1000, 1024, 2048, 4096])
    keys = length if draw.random() < 0.7 else draw.choice([64, 256, 1024, 4096])
    queries = 1 if draw.random() < 0.15 else length
    causal = int(queries == keys and draw.random() < 0.5)
    return (f"attention {draw.choice(['forward', 'forward', 'backward']) if queries > 1 else 'forward'} {draw.choice(['bf16', 'bf16', 'f16'])} "
            f"{draw.choice([1, 2, 4, 8, 16])} {draw.choice([4, 6, 8, 12, 16, 32])} {queries} {keys} {draw.choice([32, 64, 64, 64, 128])} {causal}")


def cost(line):
    """Multiply-adds, and elements."""
    word = line.split()
    if word[0] == "product":
        m, n, k, batches = map(int, word[2:6])
        return m * n * k * batches, batches * (m * k + k * n + m * n)
    if word[0] == "conv":
        images, channels, height, width, filters, size, stride, groups = map(int, word[3:11])
        space = -(-height // stride) * -(-width // stride)
        taps = channels // groups * size * (size if height > 1 else 1)
        return images * space * filters * taps, images * (channels * height * width + filters * space)
    images, heads, queries, keys, depth = map(int, word[3:8])
    return images * heads * queries * keys * depth * 2, images * heads * (queries + keys) * 2 * depth


def shapes(name):
    draw, out = random.Random(SETS[name]), []
    for make in (product, conv, attention):
        mine = {}
        while len(mine) < COUNTS[make.__name__]:
            line = make(draw)
            work, elements = cost(line)
            most = 4e9 if " f32 " in line else 4e10
            if work <= most and elements * 4 <= MOST_BYTES:
                mine[line] = None
        out += mine
    return out


def measured(line, torch):
    """What to run."""
    word, kinds = line.split(), {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32, "tf32": torch.float32}
    kind = next(w for w in word if w in kinds)
    aten, dtype = torch.ops.aten, kinds[kind]

    def tensor(*size):
        return torch.randn(*size, device="cuda", dtype=dtype)
    if word[0] == "product":
        m, n, k, batches = map(int, word[2:6])
        batch = [batches] if batches > 1 else []
        a = tensor(*batch, *((k, m) if word[6][0] == "N" else (m, k)))
        b = tensor(*batch, *((n, k) if word[6][1] == "N" else (k, n)))
        a, b = a if word[6][0] == "N" else a.mT, b if word[6][1] == "N" else b.mT
        if word[7] == "1":
            bias = tensor(m)
            return lambda: torch.addmm(bias, b, a)
        return lambda: torch.matmul(b, a)
    if word[0] == "conv":
        images, channels, height, width, filters, size, stride, groups = map(int, word[3:11])
        flat = height == 1
        space, taps = ([width], [size]) if flat else ([height, width], [size, size])
        x, w = tensor(images, channels, *space), tensor(filters, channels // groups, *taps)
        if word[11] == "nhwc":
            x, w = x.to(memory_format=torch.channels_last), w.to(memory_format=torch.channels_last)
        pad = [0 if size == stride else size // 2] * len(taps)
        step, ones, zeros = [stride] * len(taps), [1] * len(taps), [0] * len(taps)

        def run():
            return aten.convolution(x, w, None, step, pad, ones, False, zeros, groups)
        if word[1] == "forward":
            return run
        grad = torch.randn_like(run())
        mask = [word[1] == "dgrad", word[1] == "wgrad", False]
        return lambda: aten.convolution_backward(grad, x, w, [0], step, pad, ones, False, zeros, groups, mask)
    images, heads, queries, keys, depth, causal = map(int, word[3:9])

    def heads_of(length):  # as a model's projections leave them
        return tensor(images, length, heads, depth).transpose(1, 2)
    q, k, v = heads_of(queries), heads_of(keys), heads_of(keys)

    def attend(gradient):
        return aten._scaled_dot_product_cudnn_attention(q, k, v, None, gradient, 0.0, bool(causal))
    if word[1] == "forward":
        return lambda: attend(False)
    out = attend(True)
    grad = torch.randn_like(out[0])
    return lambda: aten._scaled_dot_product_cudnn_attention_backward(grad, q, k, v, out[0], out[1], out[6], out[7], None, out[2], out[3], out[4], out[5], 0.0,
                                                                     bool(causal))


def allow(line, torch):
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = " tf32 " in line


def kernels_in(event):
    yield from event.kernels
    for child in event.cpu_children:
        yield from kernels_in(child)


def short(name):
    inner = re.search(r"cutlass\w*::Kernel2?<(\w+)", name)
    return inner.group(1) if inner else re.sub(r"^void |<.*|\(.*|\s", "", name.replace("(anonymous namespace)", "anonymous"))[:90]


def measure(lines, torch):
    """Of each line: its times, inputs rotating through more than L2 and staying, and the kernels of the last call."""
    from torch.profiler import ProfilerActivity, profile, record_function
    flush = torch.empty(ROTATED_BYTES // 4, device="cuda")
    for at in range(0, len(lines), 20):
        some, failed = {}, {}
        for line in lines[at:at + 20]:
            allow(line, torch)
            try:
                run = measured(line, torch)
                run(), run()
                some[line] = run
            except Exception as error:
                failed[line] = re.sub(r"\s+", " ", str(error))[:120]
        torch.cuda.synchronize()
        with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiled:
            for line, run in some.items():
                allow(line, torch)
                for _ in range(REPEATS):
                    flush.zero_()
                    with record_function("cold:" + line):
                        run()
                for _ in range(2 * REPEATS):
                    with record_function("warm:" + line):
                        run()
            torch.cuda.synchronize()
        found = collections.defaultdict(list)
        for event in profiled.events():
            if event.name[:5] in ("cold:", "warm:") and event.kernels is not None and event.device_type == torch.autograd.DeviceType.CPU:
                found[event.name].append(list(kernels_in(event)))
        for line in lines[at:at + 20]:
            calls = {state: found.get(f"{state}:{line}", []) for state in ("cold", "warm")}
            if not all(any(c) for c in calls.values()):
                yield f"{line} | - - {failed.get(line, 'no kernels')}"
                continue
            cold, warm = (statistics.median(sum(k.duration for k in one) for one in calls[state] if one) * 1e3 for state in ("cold", "warm"))
            names = "; ".join(f"{k.duration * 1e3:.0f} {short(k.name)}" for k in calls["warm"][-1])
            yield f"{line} | {cold:.0f} {warm:.0f} {names}"


def main():
    if sys.argv[1] == "list":
        return print("\n".join(shapes(sys.argv[2])))
    import torch
    with open(sys.argv[3], "w") as file:
        print(f"# {torch.cuda.get_device_name()}, PyTorch {torch.__version__}, set {sys.argv[2]}", file=file)
        for row in measure(shapes(sys.argv[2]), torch):
            print(row, file=file, flush=True)


if __name__ == "__main__":
    main()
