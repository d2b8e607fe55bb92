"""Twenty slow kernels, each with another cause, for a trial of agents: name, cause, arguments, reference, sizes, source."""
from __future__ import annotations

from dataclasses import dataclass, field

BYTES = {"float32": 4, "int32": 4, "float16": 2, "bfloat16": 2, "int8": 1}


@dataclass(frozen=True)
class Task:
    name: str
    cause: str  # what a solver has to find; no task text tells it
    inputs: dict[str, str]  # arrays: the name, and how torch makes one of `n` elements
    sizes: dict[str, str]  # whole numbers: the name, and an expression of `k`, the scale of a test
    output: str  # elements of y
    reference: str  # torch, of the names above; y is the output
    source: str
    full: int = 16  # the scale of the timed test
    elements: dict[str, str] = field(default_factory=dict)  # of an input: an expression of the sizes; otherwise one for each element of the grid of sizes
    prelude: str = ""  # functions that the reference calls
    small: tuple[int, int] = (1, 2)  # the scales of the tests of results
    types: dict[str, str] = field(default_factory=dict)  # of an array, if it is not float32
    tolerance: float = 1e-4  # of the timed result, relative and absolute
    operations: str = "0"  # that tensor cores can do, in half: an expression of the sizes
    note: str = ""  # for the text of the task

    @property
    def is_triton(self) -> bool:
        return "triton" in self.source

    def count(self, name: str) -> str:
        """Elements of an input, as an expression of the sizes."""
        usual = "rows * columns" if "rows" in self.sizes else self.output if "n * n" in self.output else "n"
        return self.elements.get(name, usual)

    def type_of(self, name: str) -> str:
        return self.types.get(name, "float32")

    def _at_full(self, text: str) -> int:
        sizes = {name: eval(size, {"k": self.full}) for name, size in self.sizes.items()}  # noqa: S307: our own expressions
        return eval(text, dict(sizes))  # noqa: S307

    def touched_bytes(self) -> int:
        """The bytes of a timed call that reads each input once and writes each output once."""
        return sum(BYTES[self.type_of(name)] * self._at_full(self.output if name == "y" else self.count(name)) for name in [*self.inputs, "y"])

    def full_operations(self) -> int:
        """The operations of a timed call."""
        return self._at_full(self.operations)


def cuda(body: str, arguments: str, launch: str) -> str:
    return f'#include <cuda_runtime.h>\n{body}\nextern "C" void solve({arguments}) {{\n  {launch}\n}}\n'


def triton(body: str, arguments: str, launch: str) -> str:
    return f"import triton\nimport triton.language as tl\n\n\n@triton.jit\n{body}\n\n\ndef solve({arguments}):\n    {launch}\n"


N = "torch.empty(n, device='cuda').uniform_(-1, 1)"
ROWS = {"rows": "256 * k", "columns": "64 * k + 5"}
LINE = {"n": "4096 * k * k + 3"}
XY = "const float* x, float* y, int rows, int columns"
PER_ROW = "k<<<(rows + 127) / 128, 128>>>(x, y, rows, columns);"

TASKS = [
    Task("transpose", "stores of a warp go to 32 lines", {"x": N}, ROWS, "rows * columns", "x.view(rows, columns).t().reshape(-1)", cuda(
        "__global__ void k(const float* x, float* y, int rows, int columns) {\n  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;\n"
        "  if (r < rows && c < columns) y[c * rows + r] = x[r * columns + c];\n}", XY, "k<<<dim3((columns + 31) / 32, (rows + 7) / 8), dim3(32, 8)>>>(x, y, rows, columns);")),
    Task("row_norms", "a thread a row: loads of a warp go to 32 lines", {"x": N}, ROWS, "rows", "x.view(rows, columns).square().sum(1).sqrt()", cuda(
        "__global__ void k(const float* x, float* y, int rows, int columns) {\n  int r = blockIdx.x * 128 + threadIdx.x;\n  if (r >= rows) return;\n  float s = 0;\n"
        "  for (int c = 0; c < columns; ++c) s += x[r * columns + c] * x[r * columns + c];\n  y[r] = sqrtf(s);\n}", XY, PER_ROW)),
    Task("softmax", "three passes of one thread a row", {"x": N}, ROWS, "rows * columns", "torch.softmax(x.view(rows, columns), 1).reshape(-1)", cuda(
        "__global__ void k(const float* x, float* y, int rows, int columns) {\n  int r = blockIdx.x * 128 + threadIdx.x;\n  if (r >= rows) return;\n  float m = x[r * columns], s = 0;\n"
        "  for (int c = 1; c < columns; ++c) m = fmaxf(m, x[r * columns + c]);\n  for (int c = 0; c < columns; ++c) s += expf(x[r * columns + c] - m);\n"
        "  for (int c = 0; c < columns; ++c) y[r * columns + c] = expf(x[r * columns + c] - m) / s;\n}", XY, PER_ROW)),
    Task("layer_norm", "one thread of a block sums", {"x": N}, ROWS, "rows * columns", "torch.nn.functional.layer_norm(x.view(rows, columns), (columns,)).reshape(-1)", cuda(
        "__global__ void k(const float* x, float* y, int rows, int columns) {\n  __shared__ float mean, scale;\n  const float* row = x + blockIdx.x * columns;\n  if (threadIdx.x == 0) {\n"
        "    float s = 0, v = 0;\n    for (int c = 0; c < columns; ++c) s += row[c];\n    s /= columns;\n    for (int c = 0; c < columns; ++c) v += (row[c] - s) * (row[c] - s);\n"
        "    mean = s;\n    scale = 1 / sqrtf(v / columns + 1e-5f);\n  }\n  __syncthreads();\n  for (int c = threadIdx.x; c < columns; c += blockDim.x) y[blockIdx.x * columns + c] = (row[c] - mean) * scale;\n}",
        XY, "k<<<rows, 128>>>(x, y, rows, columns);")),
    Task("argmax", "a thread a row, and no lane works with its neighbours", {"x": N}, ROWS, "rows", "x.view(rows, columns).argmax(1).float()", cuda(
        "__global__ void k(const float* x, float* y, int rows, int columns) {\n  int r = blockIdx.x * 128 + threadIdx.x, best = 0;\n  if (r >= rows) return;\n"
        "  for (int c = 1; c < columns; ++c)\n    if (x[r * columns + c] > x[r * columns + best]) best = c;\n  y[r] = best;\n}", XY, PER_ROW)),
    Task("row_scan", "a prefix sum one element after another", {"x": N}, ROWS, "rows * columns", "x.view(rows, columns).cumsum(1).reshape(-1)", cuda(
        "__global__ void k(const float* x, float* y, int rows, int columns) {\n  int r = blockIdx.x * 128 + threadIdx.x;\n  if (r >= rows) return;\n  float s = 0;\n"
        "  for (int c = 0; c < columns; ++c) y[r * columns + c] = s += x[r * columns + c];\n}", XY, PER_ROW)),
    Task("column_sums", "a block a column: loads a row apart", {"x": N}, ROWS, "columns", "x.view(rows, columns).sum(0)", cuda(
        "__global__ void k(const float* x, float* y, int rows, int columns) {\n  __shared__ float part[128];\n  float s = 0;\n  for (int r = threadIdx.x; r < rows; r += 128) s += x[r * columns + blockIdx.x];\n"
        "  part[threadIdx.x] = s;\n  __syncthreads();\n  if (threadIdx.x == 0) {\n    for (int t = 1; t < 128; ++t) s += part[t];\n    y[blockIdx.x] = s;\n  }\n}", XY, "k<<<columns, 128>>>(x, y, rows, columns);")),
    Task("dot", "an atomic for each element", {"a": N, "b": N}, LINE, "1", "(a * b).sum().view(1)", cuda(
        "__global__ void k(const float* a, const float* b, float* y, int n) {\n  int i = blockIdx.x * 256 + threadIdx.x;\n  if (i < n) atomicAdd(y, a[i] * b[i]);\n}",
        "const float* a, const float* b, float* y, int n", "cudaMemsetAsync(y, 0, 4);\n  k<<<(n + 255) / 256, 256>>>(a, b, y, n);")),
    Task("histogram", "atomics on few addresses of device memory", {"x": N}, LINE, "64", "torch.histc(x, 64, -1, 1)", cuda(
        "__global__ void k(const float* x, float* y, int n) {\n  int i = blockIdx.x * 256 + threadIdx.x;\n  if (i < n) atomicAdd(&y[min(63, (int)((x[i] + 1) * 32))], 1.f);\n}",
        "const float* x, float* y, int n", "cudaMemsetAsync(y, 0, 256);\n  k<<<(n + 255) / 256, 256>>>(x, y, n);")),
    Task("gelu", "double constants and pow in a float kernel", {"x": N}, LINE, "n", "torch.nn.functional.gelu(x, approximate='tanh')", cuda(
        "__global__ void k(const float* x, float* y, int n) {\n  int i = blockIdx.x * 256 + threadIdx.x;\n  if (i < n) y[i] = 0.5 * x[i] * (1.0 + tanh(0.7978845608028654 * (x[i] + 0.044715 * pow(x[i], 3.0))));\n}",
        "const float* x, float* y, int n", "k<<<(n + 255) / 256, 256>>>(x, y, n);")),
    Task("filter_1d", "each input is read from memory 63 times", {"x": N}, LINE, "n", "torch.nn.functional.avg_pool1d(x.view(1, 1, -1), 63, 1, 31)[0, 0]", cuda(
        "__global__ void k(const float* x, float* y, int n) {\n  int i = blockIdx.x * 256 + threadIdx.x;\n  if (i >= n) return;\n  float s = 0;\n  for (int t = -31; t <= 31; ++t)\n"
        "    if (i + t >= 0 && i + t < n) s += x[i + t];\n  y[i] = s / 63;\n}", "const float* x, float* y, int n", "k<<<(n + 255) / 256, 256>>>(x, y, n);")),
    Task("blur", "a separable filter of 15 x 15 as one", {"x": N}, ROWS, "rows * columns",
         "torch.nn.functional.avg_pool2d(x.view(1, 1, rows, columns), 15, 1, 7).reshape(-1)", cuda(
        "__global__ void k(const float* x, float* y, int rows, int columns) {\n  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;\n  if (r >= rows || c >= columns) return;\n  float s = 0;\n"
        "  for (int i = -7; i <= 7; ++i)\n    for (int j = -7; j <= 7; ++j)\n      if (r + i >= 0 && r + i < rows && c + j >= 0 && c + j < columns) s += x[(r + i) * columns + c + j];\n"
        "  y[r * columns + c] = s / 225;\n}", XY, "k<<<dim3((columns + 31) / 32, (rows + 7) / 8), dim3(32, 8)>>>(x, y, rows, columns);")),
    Task("matmul", "no tile: each product loads both factors", {"a": N, "b": N}, {"n": "32 * k"}, "n * n", "(a.view(n, n) @ b.view(n, n)).reshape(-1)", cuda(
        "__global__ void k(const float* a, const float* b, float* y, int n) {\n  int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;\n  if (r >= n || c >= n) return;\n  float s = 0;\n"
        "  for (int i = 0; i < n; ++i) s += a[r * n + i] * b[i * n + c];\n  y[r * n + c] = s;\n}", "const float* a, const float* b, float* y, int n",
        "k<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(a, b, y, n);")),
    Task("distances", "squared differences that are a product of matrices", {"a": N, "b": N}, {"n": "32 * k"}, "n * n",
         "((a.view(n, -1)[:, None] - b.view(n, -1)[None]) ** 2).sum(-1).reshape(-1)", cuda(
        "__global__ void k(const float* a, const float* b, float* y, int n) {\n  int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;\n  if (r >= n || c >= n) return;\n  float s = 0;\n"
        "  for (int i = 0; i < n; ++i) { float d = a[r * n + i] - b[c * n + i]; s += d * d; }\n  y[r * n + c] = s;\n}", "const float* a, const float* b, float* y, int n",
        "k<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(a, b, y, n);")),
    Task("reverse_rows", "a division and a remainder of 64 bits for each element", {"x": N}, ROWS, "rows * columns", "x.view(rows, columns).flip(1).reshape(-1)", cuda(
        "__global__ void k(const float* x, float* y, long rows, long columns) {\n  long i = blockIdx.x * 256L + threadIdx.x;\n  if (i < rows * columns) y[i] = x[i / columns * columns + columns - 1 - i % columns];\n}",
        XY, "k<<<((long)rows * columns + 255) / 256, 256>>>(x, y, rows, columns);")),
    Task("small_blocks", "blocks of 32 threads that do one element each", {"x": N}, LINE, "n", "x * x + 1", cuda(
        "__global__ void k(const float* x, float* y, int n) {\n  int i = blockIdx.x * 32 + threadIdx.x;\n  if (i < n) y[i] = x[i] * x[i] + 1;\n}",
        "const float* x, float* y, int n", "k<<<(n + 31) / 32, 32>>>(x, y, n);")),
    Task("triton_softmax", "three passes with one warp", {"x": N}, ROWS, "rows * columns", "torch.softmax(x.view(rows, columns), 1).reshape(-1)", triton(
        "def k(x, y, columns, B: tl.constexpr):\n    row = tl.program_id(0) * columns\n    high, total = -float('inf'), 0.0\n    for s in range(0, columns, B):\n        i = s + tl.arange(0, B)\n"
        "        high = tl.maximum(high, tl.max(tl.load(x + row + i, mask=i < columns, other=-float('inf')), 0))\n    for s in range(0, columns, B):\n        i = s + tl.arange(0, B)\n"
        "        total += tl.sum(tl.exp(tl.load(x + row + i, mask=i < columns, other=-float('inf')) - high), 0)\n    for s in range(0, columns, B):\n        i = s + tl.arange(0, B)\n"
        "        tl.store(y + row + i, tl.exp(tl.load(x + row + i, mask=i < columns) - high) / total, mask=i < columns)", "x, y, rows, columns", "k[(rows,)](x, y, columns, B=32, num_warps=1)")),
    Task("triton_add", "programs of 32 elements", {"a": N, "b": N}, LINE, "n", "a + b", triton(
        "def k(a, b, y, n, B: tl.constexpr):\n    i = tl.program_id(0) * B + tl.arange(0, B)\n    tl.store(y + i, tl.load(a + i, mask=i < n) + tl.load(b + i, mask=i < n), mask=i < n)",
        "a, b, y, n", "k[(triton.cdiv(n, 32),)](a, b, y, n, B=32, num_warps=1)")),
    Task("triton_matvec", "a row of a matrix with a stride", {"x": N}, ROWS, "columns", "x.view(rows, columns).square().sum(0)", triton(
        "def k(x, y, rows, columns, B: tl.constexpr):\n    c = tl.program_id(0)\n    s = 0.0\n    for r in range(0, rows, B):\n        i = r + tl.arange(0, B)\n        v = tl.load(x + i * columns + c, mask=i < rows, other=0.0)\n"
        "        s += tl.sum(v * v, 0)\n    tl.store(y + c, s)", "x, y, rows, columns", "k[(columns,)](x, y, rows, columns, B=128)")),
    Task("triton_matmul", "products summed without tl.dot", {"a": N, "b": N}, {"n": "32 * k"}, "n * n", "(a.view(n, n) @ b.view(n, n)).reshape(-1)", triton(
        "def k(a, b, y, n, T: tl.constexpr):\n    r = tl.program_id(0) * T + tl.arange(0, T)\n    c = tl.program_id(1) * T + tl.arange(0, T)\n    s = tl.zeros((T, T), tl.float32)\n    for i in range(n):\n"
        "        s += tl.load(a + r * n + i)[:, None] * tl.load(b + i * n + c)[None, :]\n    tl.store(y + r[:, None] * n + c[None, :], s)", "a, b, y, n", "k[(n // 32, n // 32)](a, b, y, n, T=32)")),
]
