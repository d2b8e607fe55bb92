"""Ten slow kernels whose remedy is not in their source: which threads meet in a warp, a bank or a cache line, and which blocks meet on
an SM or in the L2, follows from data, sizes and addresses. For a second trial; the first one's tasks had little room (docs/results/agents.md)."""
from __future__ import annotations

from tasks import XY, Task, cuda, triton

UNIFORM = "torch.empty(n, device='cuda').uniform_(-1, 1)"
X_N = "const float* x, float* y, int n"

# Steps until the number is 1; a path of more than 400 ends there.
COLLATZ = '''def steps(x):
    v, count = x.abs().clamp(1, 1e6).to(torch.int64), torch.zeros_like(x)
    for _ in range(400):
        count += (v > 1).to(x.dtype)
        v = torch.where(v > 1, torch.where(v % 2 == 0, v // 2, 3 * v + 1), v)
    return count
'''

HADAMARD = '''def hadamard(x):
    x = x.reshape(-1, 1024)
    for step in range(10):
        pairs = x.reshape(-1, 512 >> step, 2, 1 << step)
        x = torch.stack([pairs[:, :, 0] + pairs[:, :, 1], pairs[:, :, 0] - pairs[:, :, 1]], 2)
    return x.reshape(-1)
'''

STAR = '''def star(x, n):
    padded = torch.nn.functional.pad(x.view(n, n, n), (3,) * 6)
    total = -6 * x.view(n, n, n)
    for axis in range(3):
        for far in (1, 2, 3):
            for start in (3 - far, 3 + far):
                places = [slice(3, 3 + n)] * 3
                places[axis] = slice(start, start + n)
                total = total + padded[tuple(places)] / (2 * far)
    return total.reshape(-1)
'''

TABLE = '''def interpolated(x, table):
    at = (x.abs() * 1023).clamp(0, 1023)
    low = at.long().clamp(max=1022)
    return table[low] + (at - low) * (table[low + 1] - table[low])
'''

TASKS = [
    Task("collatz", "a warp takes as long as its longest lane", {"x": "torch.randint(1, 100000, (n,), device='cuda').float()"},
         {"n": "4096 * k * k + 3"}, "n", "steps(x)", cuda(
        "__global__ void k(const float* x, float* y, int n) {\n  int i = blockIdx.x * 256 + threadIdx.x;\n  if (i >= n) return;\n"
        "  long long v = (long long)fminf(fmaxf(fabsf(x[i]), 1.f), 1e6f);\n  int steps = 0;\n"
        "  while (v > 1 && steps < 400) {\n    v = v % 2 == 0 ? v / 2 : 3 * v + 1;\n    ++steps;\n  }\n  y[i] = steps;\n}",
        X_N, "k<<<(n + 255) / 256, 256>>>(x, y, n);"), full=32, prelude=COLLATZ),
    Task("strided_sums", "the sixteen sums that share their inputs run far apart, so the L2 has lost them", {"x": UNIFORM},
         {"n": "16384 * k * k"}, "n", "sum(torch.roll(x, -t * (n // 16)) / (t + 1) for t in range(16))", cuda(
        "__global__ void k(const float* x, float* y, int n) {\n  int i = blockIdx.x * 256 + threadIdx.x;\n  if (i >= n) return;\n  float s = 0;\n"
        "  for (int t = 0; t < 16; ++t) {\n    int j = i + t * (n / 16);\n    if (j >= n) j -= n;\n    s += x[j] / (t + 1);\n  }\n  y[i] = s;\n}",
        X_N, "k<<<(n + 255) / 256, 256>>>(x, y, n);"), full=45),
    Task("hadamard", "a template's stride puts all lanes on one bank in the late stages", {"x": UNIFORM}, {"n": "65536 * k"}, "n", "hadamard(x)", cuda(
        "template <int H>\n__device__ void stage(float* s) {\n  int low = threadIdx.x / (512 / H) + threadIdx.x % (512 / H) * 2 * H;\n  float a = s[low], b = s[low + H];\n"
        "  s[low] = a + b;\n  s[low + H] = a - b;\n  __syncthreads();\n}\n"
        "__global__ void k(const float* x, float* y) {\n  __shared__ float s[1024];\n  int t = threadIdx.x;\n  s[t] = x[blockIdx.x * 1024 + t];\n  s[t + 512] = x[blockIdx.x * 1024 + t + 512];\n"
        "  __syncthreads();\n  stage<1>(s);\n  stage<2>(s);\n  stage<4>(s);\n  stage<8>(s);\n  stage<16>(s);\n  stage<32>(s);\n  stage<64>(s);\n  stage<128>(s);\n  stage<256>(s);\n  stage<512>(s);\n"
        "  y[blockIdx.x * 1024 + t] = s[t];\n  y[blockIdx.x * 1024 + t + 512] = s[t + 512];\n}",
        X_N, "k<<<n / 1024, 512>>>(x, y);"), full=256, prelude=HADAMARD),
    Task("largest_eight", "the rows of a warp fill the shared memory of an SM, so one warp works there", {"x": UNIFORM},
         {"rows": "512 * k", "columns": "64 * k + 5"}, "rows", "x.view(rows, columns).topk(8, 1).values.mean(1)", cuda(
        "__global__ void k(const float* x, float* y, int rows, int columns) {\n  extern __shared__ float tile[];\n  int first = blockIdx.x * 32, r = first + threadIdx.x;\n"
        "  for (int i = threadIdx.x; i < 32 * columns; i += 32)\n    if (first + i / columns < rows) tile[i] = x[(size_t)first * columns + i];\n  __syncthreads();\n  if (r >= rows) return;\n"
        "  float best[8];\n  for (int j = 0; j < 8; ++j) best[j] = -INFINITY;\n  for (int c = 0; c < columns; ++c) {\n    float v = tile[threadIdx.x * columns + c];\n"
        "    for (int j = 0; j < 8; ++j) {\n      float high = fmaxf(best[j], v);\n      v = fminf(best[j], v);\n      best[j] = high;\n    }\n  }\n"
        "  float s = 0;\n  for (int j = 0; j < 8; ++j) s += best[j];\n  y[r] = s / 8;\n}", XY,
        "cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 128 * columns);\n  k<<<(rows + 31) / 32, 32, 128 * columns>>>(x, y, rows, columns);")),
    Task("triangle", "the last blocks have the longest rows, and most SMs wait for them", {"a": UNIFORM}, {"n": "128 * k"}, "n",
         "a.view(n, n).tril().square().sum(1)", cuda(
        "__global__ void k(const float* a, float* y, int n) {\n  int lane = threadIdx.x % 32;\n  for (int r = blockIdx.x * 64 + threadIdx.x / 32; r < min(n, (blockIdx.x + 1) * 64); r += 32) {\n"
        "    float s = 0;\n    for (int c = lane; c <= r; c += 32) s += a[(size_t)r * n + c] * a[(size_t)r * n + c];\n"
        "    for (int o = 16; o > 0; o /= 2) s += __shfl_xor_sync(~0u, s, o);\n    if (lane == 0) y[r] = s;\n  }\n}",
        "const float* a, float* y, int n", "k<<<(n + 63) / 64, 1024>>>(a, y, n);"), full=64, elements={"a": "n * n"}),
    Task("skewed_bins", "most inputs meet in one bin, which shared copies do not fix", {"x": "torch.empty(n, device='cuda').uniform_(0, 1).pow(8)"},
         {"n": "4096 * k * k + 3"}, "1024", "torch.bincount((x.abs() * 1024).long().clamp(max=1023), minlength=1024).to(x.dtype)", cuda(
        "__global__ void k(const float* x, float* y, int n) {\n  __shared__ int bins[1024];\n  for (int b = threadIdx.x; b < 1024; b += 256) bins[b] = 0;\n  __syncthreads();\n"
        "  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) atomicAdd(&bins[(int)fminf(fabsf(x[i]) * 1024, 1023.f)], 1);\n  __syncthreads();\n"
        "  for (int b = threadIdx.x; b < 1024; b += 256) atomicAdd(&y[b], (float)bins[b]);\n}",
        X_N, "cudaMemsetAsync(y, 0, 4096);\n  k<<<min((n + 1023) / 1024, 1056), 256>>>(x, y, n);"), full=60),
    Task("table", "lanes that read different constants take turns", {"x": UNIFORM, "table": UNIFORM}, {"n": "4096 * k * k + 3"}, "n", "interpolated(x, table)", cuda(
        "__constant__ float values[1024];\n__global__ void k(const float* x, float* y, int n) {\n  int i = blockIdx.x * 256 + threadIdx.x;\n  if (i >= n) return;\n"
        "  float at = fminf(fabsf(x[i]) * 1023, 1023.f);\n  int low = min((int)at, 1022);\n  y[i] = values[low] + (at - low) * (values[low + 1] - values[low]);\n}",
        "const float* x, const float* table, float* y, int n",
        "cudaMemcpyToSymbolAsync(values, table, 4096, 0, cudaMemcpyDeviceToDevice);\n  k<<<(n + 255) / 256, 256>>>(x, y, n);"),
        full=60, elements={"table": "1024"}, prelude=TABLE),
    Task("star", "blocks are short in the direction of the lines, and no plane is read again from near", {"x": UNIFORM}, {"n": "16 * k"}, "n * n * n", "star(x, n)", cuda(
        "__global__ void k(const float* x, float* y, int n) {\n  int c = blockIdx.x * 4 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y, p = blockIdx.z * 8 + threadIdx.z;\n"
        "  if (c >= n || r >= n || p >= n) return;\n  auto at = [&](int i, int j, int l) { return i >= 0 && i < n && j >= 0 && j < n && l >= 0 && l < n ? x[(i * n + j) * n + l] : 0.f; };\n"
        "  float s = -6 * at(p, r, c);\n  for (int f = 1; f <= 3; ++f)\n    s += (at(p - f, r, c) + at(p + f, r, c) + at(p, r - f, c) + at(p, r + f, c) + at(p, r, c - f) + at(p, r, c + f)) / (2 * f);\n"
        "  y[(p * n + r) * n + c] = s;\n}", X_N, "k<<<dim3((n + 3) / 4, (n + 7) / 8, (n + 7) / 8), dim3(4, 8, 8)>>>(x, y, n);"), full=24, elements={"x": "n * n * n"}, prelude=STAR),
    Task("triton_wide_norm", "140 programs on 132 SMs: eight work in a second wave", {"x": UNIFORM}, {"rows": "8 * k + 4", "columns": "4096 * k"}, "rows * columns",
         "torch.nn.functional.layer_norm(x.view(rows, columns), (columns,)).reshape(-1)", triton(
        "def k(x, y, columns, B: tl.constexpr):\n    row = tl.program_id(0).to(tl.int64) * columns\n    i = tl.arange(0, B)\n    s = tl.zeros((B,), tl.float32)\n"
        "    for c in range(0, columns, B):\n        s += tl.load(x + row + c + i)\n    mean = tl.sum(s, 0) / columns\n    s = tl.zeros((B,), tl.float32)\n"
        "    for c in range(0, columns, B):\n        d = tl.load(x + row + c + i) - mean\n        s += d * d\n    scale = 1 / tl.sqrt(tl.sum(s, 0) / columns + 1e-5)\n"
        "    for c in range(0, columns, B):\n        tl.store(y + row + c + i, (tl.load(x + row + c + i) - mean) * scale)", "x, y, rows, columns", "k[(rows,)](x, y, columns, B=1024)"), full=17),
    Task("triton_sliding_max", "each of 128 windows that share an input loads it again", {"x": UNIFORM}, {"n": "4096 * k * k + 3"}, "n",
         "torch.nn.functional.max_pool1d(torch.nn.functional.pad(x, (0, 127), value=-float('inf')).view(1, 1, -1), 128, 1)[0, 0]", triton(
        "def k(x, y, n, B: tl.constexpr):\n    i = tl.program_id(0) * B + tl.arange(0, B)\n    high = tl.full((B,), -float('inf'), tl.float32)\n    for t in range(128):\n"
        "        high = tl.maximum(high, tl.load(x + i + t, mask=i + t < n, other=-float('inf')))\n    tl.store(y + i, high, mask=i < n)",
        "x, y, n", "k[(triton.cdiv(n, 1024),)](x, y, n, B=1024)"), full=60),
]
