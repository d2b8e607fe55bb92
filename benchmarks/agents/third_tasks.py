"""Eight slow kernels with much room: tensor cores by hand, latency of memory that no reuse hides, rows of very different lengths, and
several passes that can become one. For a third trial; the first two had little room (docs/results/agents.md)."""
from __future__ import annotations

from tasks import Task, cuda

UP = '''def up(x):
    """At least float32, in which the kernel sums."""
    return x if x.dtype == torch.float64 else x.float()
'''

ATTENTION = UP + '''

def attention(q, keys, values, heads, length):
    q, keys, values = (up(x).view(heads, length, 64) for x in (q, keys, values))
    future = torch.ones(length, length, dtype=torch.bool, device=q.device).triu(1)
    return (torch.softmax((q @ keys.transpose(1, 2) / 8).masked_fill(future, -float("inf")), 2) @ values).reshape(-1)
'''

CONVOLUTION = UP + '''

def convolution(x, w, images, side):
    x, w = up(x).view(images, side, side, 64).permute(0, 3, 1, 2), up(w).view(64, 3, 3, 64).permute(0, 3, 1, 2)
    return torch.nn.functional.conv2d(x, w, padding=1).permute(0, 2, 3, 1).reshape(-1)
'''

WAVE = '''def laplacian(x, n):
    padded = torch.nn.functional.pad(x, (4,) * 6)
    total = -205 / 24 * x
    for axis in range(3):
        for far, factor in ((1, 8 / 5), (2, -1 / 5), (3, 8 / 315), (4, -1 / 560)):
            for start in (4 - far, 4 + far):
                places = [slice(4, 4 + n)] * 3
                places[axis] = slice(start, start + n)
                total = total + factor * padded[tuple(places)]
    return total


def wave(x, n):
    """The field after three and after four steps."""
    before = now = x.view(n, n, n)
    for _ in range(4):
        before, now = now, 2 * now - before + 0.1 * laplacian(now, n)
    return torch.cat([before.reshape(-1), now.reshape(-1)])
'''

# Row lengths follow a power law: the longest row of 122880 has 2 % of all entries.
SPARSE = '''def starts_of(rows, entries):
    ends = torch.rand(rows, dtype=torch.float64, device="cuda").clamp(1e-9).pow(-0.8).cumsum(0)
    return torch.cat([ends[:1] * 0, ends / ends[-1] * entries]).round().int()


def sparse(starts, columns, weights, x, rows):
    owner = torch.repeat_interleave(torch.arange(rows, device=x.device), (starts[1:] - starts[:-1]).long())
    products = weights.view(-1, 1) * x.view(rows, 64)[columns.long()]
    return torch.zeros(rows, 64, dtype=x.dtype, device=x.device).index_add(0, owner, products).reshape(-1)
'''

BACKWARD = '''def backward(x, w, dy, rows, columns):
    """Gradients of layer_norm(x) * w + b: of x, of w and of b, one after the other."""
    x, dy = x.view(rows, columns), dy.view(rows, columns)
    centred = x - x.mean(1, keepdim=True)
    scale = 1 / (centred.square().mean(1, keepdim=True) + 1e-5).sqrt()
    normal, g = centred * scale, dy * w
    dx = scale * (g - g.mean(1, keepdim=True) - normal * (g * normal).mean(1, keepdim=True))
    return torch.cat([dx.reshape(-1), (dy * normal).sum(0), dy.sum(0)])
'''


def uniform(reach: float = 1, kind: str = "float32") -> str:
    return f"torch.empty(n, device='cuda').uniform_(-{reach}, {reach}).to(torch.{kind})"


HALF, BF16 = "#include <cuda_fp16.h>\n", "#include <cuda_bf16.h>\n"

TASKS = [
    Task("product_gelu", "no tile and no tensor cores; rows do not begin at multiples of 16 bytes", {"a": uniform(1, "bfloat16"), "b": uniform(0.1, "bfloat16"), "bias": uniform()},
         {"m": "8 * k + 17", "n": "8 * k + 12", "depth": "8 * k - 28"}, "m * n",
         "torch.nn.functional.gelu(up(a).view(m, depth) @ up(b).view(depth, n) + bias, approximate='tanh').reshape(-1)", cuda(
        BF16 + "__global__ void k(const __nv_bfloat16* a, const __nv_bfloat16* b, const float* bias, __nv_bfloat16* y, int m, int n, int depth) {\n"
        "  int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;\n  if (r >= m || c >= n) return;\n  float s = bias[c];\n"
        "  for (int i = 0; i < depth; ++i) s += __bfloat162float(a[r * depth + i]) * __bfloat162float(b[i * n + c]);\n"
        "  y[r * n + c] = __float2bfloat16(0.5f * s * (1 + tanhf(0.7978845608f * (s + 0.044715f * s * s * s))));\n}",
        "const __nv_bfloat16* a, const __nv_bfloat16* b, const float* bias, __nv_bfloat16* y, int m, int n, int depth",
        "k<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(a, b, bias, y, m, n, depth);"),
        full=256, small=(16, 24), elements={"a": "m * depth", "b": "depth * n", "bias": "n"}, types={"a": "bfloat16", "b": "bfloat16", "y": "bfloat16"},
        tolerance=8e-3, operations="2 * m * n * depth", prelude=UP, note="b is row-major, depth rows of n."),
    Task("causal_attention", "a thread a query, without tensor cores; the last blocks have the most keys",
         {"q": uniform(2, "float16"), "keys": uniform(2, "float16"), "values": uniform(1, "float16")}, {"heads": "k // 16", "length": "8 * k - 61"}, "heads * length * 64",
         "attention(q, keys, values, heads, length)", cuda(
        HALF + "__global__ void k(const __half* q, const __half* keys, const __half* values, __half* y, int length) {\n  int row = blockIdx.x * 64 + threadIdx.x;\n  if (row >= length) return;\n"
        "  size_t head = (size_t)blockIdx.y * length * 64;\n  float total[64], high = -INFINITY, sum = 0;\n  for (int d = 0; d < 64; ++d) total[d] = 0;\n  for (int j = 0; j <= row; ++j) {\n    float s = 0;\n"
        "    for (int d = 0; d < 64; ++d) s += __half2float(q[head + row * 64 + d]) * __half2float(keys[head + j * 64 + d]);\n    s /= 8;\n"
        "    float next = fmaxf(high, s), old = expf(high - next), p = expf(s - next);\n    for (int d = 0; d < 64; ++d) total[d] = total[d] * old + p * __half2float(values[head + j * 64 + d]);\n"
        "    sum = sum * old + p;\n    high = next;\n  }\n  for (int d = 0; d < 64; ++d) y[head + row * 64 + d] = __float2half(total[d] / sum);\n}",
        "const __half* q, const __half* keys, const __half* values, __half* y, int heads, int length", "k<<<dim3((length + 63) / 64, heads), 64>>>(q, keys, values, y, length);"),
        full=256, small=(16, 32), elements=dict.fromkeys(("q", "keys", "values"), "heads * length * 64"), types=dict.fromkeys(("q", "keys", "values", "y"), "float16"),
        tolerance=2e-3, operations="2 * heads * length * length * 64", prelude=ATTENTION, note="The dimension of a head is 64 in every test. The products before the softmax may go to half for the second product."),
    Task("byte_weights", "lanes read rows of weights that are far apart; then too few bytes in flight", {"x": uniform(1, "float16"),
         "weights": "torch.randint(-127, 128, (n,), device='cuda', dtype=torch.int8)", "scales": "torch.empty(n, device='cuda').uniform_(0.0001, 0.0003)"},
         {"n": "32 * k", "depth": "32 * k"}, "16 * n", "(up(x).view(16, depth) @ weights.view(n, depth).to(scales.dtype).t() * scales).reshape(-1)", cuda(
        HALF + "__global__ void k(const __half* x, const signed char* weights, const float* scales, __half* y, int n, int depth) {\n"
        "  int c = blockIdx.x * 64 + threadIdx.x, r = blockIdx.y;\n  if (c >= n) return;\n  float s = 0;\n"
        "  for (int i = 0; i < depth; ++i) s += __half2float(x[r * depth + i]) * weights[(size_t)c * depth + i];\n  y[r * n + c] = __float2half(s * scales[c]);\n}",
        "const __half* x, const signed char* weights, const float* scales, __half* y, int n, int depth", "k<<<dim3((n + 63) / 64, 16), 64>>>(x, weights, scales, y, n, depth);"),
        full=256, small=(5, 10), elements={"x": "16 * depth", "weights": "n * depth", "scales": "n"}, types={"x": "float16", "weights": "int8", "y": "float16"}, tolerance=2e-3,
        operations="2 * 16 * n * depth", prelude=UP, note="x has 16 rows in every test, and n and depth are multiples of 32. Do not round x or the weights further: the weights are exact in half."),
    Task("convolution", "no tile and no tensor cores; weights of neighbouring lanes are 1152 bytes apart", {"x": uniform(1, "float16"), "w": uniform(0.07, "float16")},
         {"images": "k // 8", "side": "2 * k // 5 + 4"}, "images * side * side * 64", "convolution(x, w, images, side)", cuda(
        HALF + "__global__ void k(const __half* x, const __half* w, __half* y, int images, int side) {\n  int o = threadIdx.x, i = blockIdx.x % side, j = blockIdx.x / side % side, image = blockIdx.x / side / side;\n  float s = 0;\n"
        "  for (int dj = -1; dj <= 1; ++dj)\n    for (int di = -1; di <= 1; ++di) {\n      if (i + di < 0 || i + di >= side || j + dj < 0 || j + dj >= side) continue;\n"
        "      for (int c = 0; c < 64; ++c)\n        s += __half2float(x[(((size_t)image * side + j + dj) * side + i + di) * 64 + c]) * __half2float(w[((o * 3 + dj + 1) * 3 + di + 1) * 64 + c]);\n    }\n"
        "  y[(size_t)blockIdx.x * 64 + o] = __float2half(s);\n}", "const __half* x, const __half* w, __half* y, int images, int side", "k<<<images * side * side, 64>>>(x, w, y, images, side);"),
        full=192, small=(16, 24), elements={"x": "images * side * side * 64", "w": "64 * 9 * 64"}, types=dict.fromkeys(("x", "w", "y"), "float16"), tolerance=2e-3,
        operations="2 * images * side * side * 64 * 9 * 64", prelude=CONVOLUTION, note="64 channels in and out in every test. x is [image][row][column][channel], w is [out][row][column][in]. Sums stay in float32."),
    Task("wave", "four passes over fields that the L2 does not hold, with blocks that are short along the lines", {"x": uniform()}, {"n": "k"}, "2 * n * n * n", "wave(x, n)", cuda(
        "__global__ void k(const float* now, const float* before, float* next, int n) {\n  int c = blockIdx.x * 4 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y, p = blockIdx.z * 8 + threadIdx.z;\n"
        "  if (c >= n || r >= n || p >= n) return;\n  auto at = [&](int i, int j, int l) { return i >= 0 && i < n && j >= 0 && j < n && l >= 0 && l < n ? now[(i * n + j) * n + l] : 0.f; };\n"
        "  const float factor[5] = {0, 8 / 5.f, -1 / 5.f, 8 / 315.f, -1 / 560.f};\n  float s = -205 / 24.f * at(p, r, c);\n  for (int f = 1; f <= 4; ++f)\n"
        "    s += factor[f] * (at(p - f, r, c) + at(p + f, r, c) + at(p, r - f, c) + at(p, r + f, c) + at(p, r, c - f) + at(p, r, c + f));\n"
        "  int i = (p * n + r) * n + c;\n  next[i] = 2 * now[i] - before[i] + 0.1f * s;\n}", "const float* x, float* y, int n",
        "dim3 grid((n + 3) / 4, (n + 7) / 8, (n + 7) / 8), block(4, 8, 8);\n  float* z = y + (size_t)n * n * n;\n  k<<<grid, block>>>(x, x, y, n);\n  k<<<grid, block>>>(y, x, z, n);\n"
        "  k<<<grid, block>>>(z, y, y, n);\n  k<<<grid, block>>>(y, z, z, n);"), full=256, small=(16, 28), elements={"x": "n * n * n"}, prelude=WAVE,
        note="y holds the field after three steps and then the field after four. Scratch memory may be a __device__ array."),
    Task("sparse_product", "a row of 2 % of all entries keeps one warp; lanes read rows of x that are far apart", {"starts": "starts_of(rows, 16 * rows)",
         "columns": "torch.randint(0, rows, (n,), device='cuda', dtype=torch.int32)", "weights": uniform(), "x": uniform()}, {"rows": "240 * k"}, "rows * 64",
         "sparse(starts, columns, weights, x, rows)", cuda(
        "__global__ void k(const int* starts, const int* columns, const float* weights, const float* x, float* y, int rows) {\n  int r = blockIdx.x * 128 + threadIdx.x, c = blockIdx.y;\n  if (r >= rows) return;\n  float s = 0;\n"
        "  for (int e = starts[r]; e < starts[r + 1]; ++e) s += weights[e] * x[(size_t)columns[e] * 64 + c];\n  y[(size_t)r * 64 + c] = s;\n}",
        "const int* starts, const int* columns, const float* weights, const float* x, float* y, int rows", "k<<<dim3((rows + 127) / 128, 64), 128>>>(starts, columns, weights, x, y, rows);"),
        full=512, small=(2, 3), tolerance=1e-3, elements={"starts": "rows + 1", "columns": "16 * rows", "weights": "16 * rows", "x": "rows * 64"}, types={"starts": "int32", "columns": "int32"}, prelude=SPARSE,
        note="A sparse matrix in CSR form, with 16 * rows entries in all, times a dense one of 64 columns. A row may have no entries, and the longest has some percent of all."),
    Task("sort", "a bitonic network passes over all keys 300 times", {"x": "torch.randint(-2**31, 2**31 - 1, (n,), device='cuda', dtype=torch.int32)"}, {"n": "1024 * k"}, "n", "torch.sort(x).values", cuda(
        "__global__ void k(int* y, int size, int step) {\n  int i = blockIdx.x * 256 + threadIdx.x, other = i ^ step;\n  if (other < i) return;\n  int a = y[i], b = y[other];\n"
        "  if ((a > b) == ((i & size) == 0)) {\n    y[i] = b;\n    y[other] = a;\n  }\n}", "const int* x, int* y, int n",
        "cudaMemcpyAsync(y, x, sizeof(int) * (size_t)n, cudaMemcpyDeviceToDevice);\n  for (int size = 2; size <= n; size *= 2)\n    for (int step = size / 2; step > 0; step /= 2) k<<<n / 256, 256>>>(y, size, step);"),
        full=16384, small=(8, 32), types={"x": "int32", "y": "int32"}, note="n is a power of two, at most 2^24, in every test. Scratch memory may be a __device__ array."),
    Task("triton_norm_backward", "one warp and four loops a row; sums over rows in 80 programs", {"x": uniform(), "w": uniform(), "dy": uniform()},
         {"rows": "40 * k", "columns": "16 * k"}, "rows * columns + 2 * columns", "backward(x, w, dy, rows, columns)",
         "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef of_x(x, w, dy, y, stats, columns, B: tl.constexpr):\n    r = tl.program_id(0)\n    row = r * columns\n    s, q, a, b = 0.0, 0.0, 0.0, 0.0\n"
         "    for c in range(0, columns, B):\n        i = c + tl.arange(0, B)\n        s += tl.sum(tl.load(x + row + i, mask=i < columns, other=0.0), 0)\n    mean = s / columns\n"
         "    for c in range(0, columns, B):\n        i = c + tl.arange(0, B)\n        d = tl.where(i < columns, tl.load(x + row + i, mask=i < columns, other=0.0) - mean, 0.0)\n        q += tl.sum(d * d, 0)\n"
         "    scale = 1 / tl.sqrt(q / columns + 1e-5)\n    for c in range(0, columns, B):\n        i = c + tl.arange(0, B)\n"
         "        g = tl.load(dy + row + i, mask=i < columns, other=0.0) * tl.load(w + i, mask=i < columns, other=0.0)\n        a += tl.sum(g, 0)\n"
         "        b += tl.sum(g * (tl.load(x + row + i, mask=i < columns, other=0.0) - mean) * scale, 0)\n    for c in range(0, columns, B):\n        i = c + tl.arange(0, B)\n"
         "        g = tl.load(dy + row + i, mask=i < columns) * tl.load(w + i, mask=i < columns)\n        normal = (tl.load(x + row + i, mask=i < columns) - mean) * scale\n"
         "        tl.store(y + row + i, scale * (g - a / columns - normal * b / columns), mask=i < columns)\n    tl.store(stats + 2 * r, mean)\n    tl.store(stats + 2 * r + 1, scale)\n\n\n"
         "@triton.jit\ndef of_w_and_b(x, dy, y, stats, rows, columns, B: tl.constexpr):\n    i = tl.program_id(0) * B + tl.arange(0, B)\n    dw = tl.zeros((B,), tl.float32)\n    db = tl.zeros((B,), tl.float32)\n    for r in range(rows):\n"
         "        g = tl.load(dy + r * columns + i, mask=i < columns, other=0.0)\n        dw += g * (tl.load(x + r * columns + i, mask=i < columns, other=0.0) - tl.load(stats + 2 * r)) * tl.load(stats + 2 * r + 1)\n        db += g\n"
         "    tl.store(y + rows * columns + i, dw, mask=i < columns)\n    tl.store(y + rows * columns + columns + i, db, mask=i < columns)\n\n\n"
         "def solve(x, w, dy, y, rows, columns):\n    stats = x.new_empty(2 * rows)\n    of_x[(rows,)](x, w, dy, y, stats, columns, B=32, num_warps=1)\n"
         "    of_w_and_b[(triton.cdiv(columns, 32),)](x, dy, y, stats, rows, columns, B=32, num_warps=1)\n",
        full=160, small=(5, 8), tolerance=1e-3, elements={"x": "rows * columns", "dy": "rows * columns", "w": "columns"}, prelude=BACKWARD,
        note="y holds the gradients of x, of w and of b. Scratch memory may be x.new_empty. Keep to Triton (triton.language of Triton 3.6, no gluon)."),
]
