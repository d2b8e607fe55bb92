// A program that uses what CUDA programs use, and checks its own results. Prints a line a subject; exits 1 if one is wrong.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstring>
#include <vector>

#define OK(call)                                                                                  \
  do {                                                                                            \
    if (cudaError_t e = (call)) {                                                                 \
      printf("line %d: %s\n", __LINE__, cudaGetErrorName(e));                                     \
      failed = true;                                                                              \
    }                                                                                             \
  } while (0)

static bool failed = false;
static void tell(const char* what, bool right) {
  printf("%-12s %s\n", what, right ? "right" : "WRONG");
  failed = failed || !right;
}

__constant__ float factors[4] = {1, 2, 3, 4};
__device__ int counter = 7;
__device__ int* where = &counter;
__managed__ int shared_by_both = 5;

template <typename T>
__global__ void scale(T* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= static_cast<T>(factors[i & 3]);
}

__global__ void count_up() {
  atomicAdd(where, 1);
  if (threadIdx.x == 0) atomicAdd(&shared_by_both, 10);
}

__global__ void reverse_in_shared(int* x, int n) {
  extern __shared__ int tile[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) tile[i] = x[i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = tile[n - 1 - i];
}

__global__ void sum_over_grid(const int* x, int* partial, int* total, int n) {
  const auto grid = cooperative_groups::this_grid();
  int sum = 0;
  for (int i = grid.thread_rank(); i < n; i += grid.size()) sum += x[i];
  atomicAdd(&partial[blockIdx.x], sum);
  grid.sync();
  if (grid.thread_rank() == 0) {
    for (int b = 0; b < gridDim.x; ++b) *total += partial[b];
  }
}

__global__ void neighbours(int* out) {
  __shared__ int mine;
  auto cluster = cooperative_groups::this_cluster();
  if (threadIdx.x == 0) mine = 100 + blockIdx.x;
  cluster.sync();
  if (threadIdx.x == 0) out[blockIdx.x] = *cluster.map_shared_rank(&mine, cluster.block_rank() ^ 1);
  cluster.sync();
}

struct Large {
  int values[256];
};
__global__ void take_large(const Large large, int* out) { out[threadIdx.x] = large.values[threadIdx.x] + 1; }

template <typename T>
T* device(const std::vector<T>& values) {
  T* x = nullptr;
  OK(cudaMalloc(&x, values.size() * sizeof(T)));
  OK(cudaMemcpy(x, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return x;
}
template <typename T>
std::vector<T> host(const T* x, size_t n) {
  std::vector<T> values(n);
  OK(cudaMemcpy(values.data(), x, n * sizeof(T), cudaMemcpyDeviceToHost));
  return values;
}

static void templates_and_constants() {
  double* x = device(std::vector<double>(1000, 1.5));
  scale<<<4, 256>>>(x, 1000);
  const float other[4] = {0, 10, 0, 0};
  OK(cudaMemcpyToSymbol(factors, other, sizeof other));
  scale<<<4, 256>>>(x, 1000);
  const auto y = host(x, 1000);
  tell("constants", y[0] == 0 && y[1] == 30 && y[5] == 30 && y[2] == 0);
  OK(cudaFree(x));
}

static void variables() {
  count_up<<<2, 64>>>();
  int value = 0;
  OK(cudaMemcpyFromSymbol(&value, counter, sizeof value));
  OK(cudaDeviceSynchronize());
  tell("variables", value == 7 + 128 && shared_by_both == 25);
}

static void large_shared_memory() {
  const int n = 25000;  // 100,000 bytes: more than a kernel gets without asking
  std::vector<int> values(n);
  for (int i = 0; i < n; ++i) values[i] = i;
  int* x = device(values);
  reverse_in_shared<<<1, 256, n * 4>>>(x, n);
  const bool refused = cudaGetLastError() == cudaErrorInvalidValue;
  OK(cudaFuncSetAttribute(reverse_in_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, n * 4));
  reverse_in_shared<<<1, 256, n * 4>>>(x, n);
  const auto y = host(x, n);
  tell("shared", refused && y[0] == n - 1 && y[n - 1] == 0);
}

static void cooperative_grid() {
  const int n = 10000;
  int* x = device(std::vector<int>(n, 3));
  int* partial = device(std::vector<int>(8, 0));
  int* total = device(std::vector<int>(1, 0));
  int size = n;
  void* arguments[] = {&x, &partial, &total, &size};
  OK(cudaLaunchCooperativeKernel((void*)sum_over_grid, dim3(8), dim3(128), arguments, 0, nullptr));
  tell("cooperative", host(total, 1)[0] == 3 * n);
}

static void cluster() {
  int* out = device(std::vector<int>(8, 0));
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(8);
  config.blockDim = dim3(32);
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {2, 1, 1};
  config.attrs = &attribute;
  config.numAttrs = 1;
  OK(cudaLaunchKernelEx(&config, neighbours, out));
  const auto y = host(out, 8);
  bool right = true;
  for (int i = 0; i < 8; ++i) right = right && y[i] == 100 + (i ^ 1);
  tell("clusters", right);
}

__device__ int blocks_of_cluster[8];
__global__ void __cluster_dims__(2, 1, 1) count_blocks() {
  blocks_of_cluster[blockIdx.x] = cooperative_groups::this_cluster().num_blocks();
}

/// Machine code of a kernel without parameters does not say where they would lie, which other words follow.
static void cluster_without_parameters() {
  count_blocks<<<8, 32>>>();
  int counts[8];
  OK(cudaMemcpyFromSymbol(counts, blocks_of_cluster, sizeof counts));
  tell("clusters without parameters", counts[0] == 2 && counts[7] == 2);
}

__global__ void __launch_bounds__(256) repeat(int* out, int times) {
  int sum = threadIdx.x;
  for (int i = 0; i < times; ++i) sum = sum * 1664525 + 1013904223;
  out[threadIdx.x] = sum;
}

/// Launches of one size have times of their own if their arguments differ.
static void times_by_arguments() {
  int* out = device(std::vector<int>(256, 0));
  cudaEvent_t begin, end;
  OK(cudaEventCreate(&begin));
  OK(cudaEventCreate(&end));
  float last = 0;
  bool longer = true;
  for (const int times : {1000, 10000, 100000}) {
    float ms = 0;
    for (int k = 0; k < 5; ++k) {
      OK(cudaEventRecord(begin));
      repeat<<<1, 256>>>(out, times);
      OK(cudaEventRecord(end));
      OK(cudaEventSynchronize(end));
      OK(cudaEventElapsedTime(&ms, begin, end));
      longer = longer && ms > 2 * last;
    }
    last = ms;
  }
  tell("times by arguments", longer);
}

static void large_parameters() {
  Large large;
  for (int i = 0; i < 256; ++i) large.values[i] = i * i;
  int* out = device(std::vector<int>(256, 0));
  take_large<<<1, 256>>>(large, out);
  tell("parameters", host(out, 256)[255] == 255 * 255 + 1);
}

static void pitched_copies() {
  const int width = 100, height = 30;
  std::vector<char> image(width * height), back(width * height);
  for (size_t i = 0; i < image.size(); ++i) image[i] = static_cast<char>(i * 7);
  char* x = nullptr;
  size_t pitch = 0;
  OK(cudaMallocPitch(&x, &pitch, width, height));
  OK(cudaMemcpy2D(x, pitch, image.data(), width, width, height, cudaMemcpyHostToDevice));
  OK(cudaMemset2D(x, pitch, 9, 10, 2));
  OK(cudaMemcpy2D(back.data(), width, x, pitch, width, height, cudaMemcpyDeviceToHost));
  tell("pitched", pitch >= width && back[5] == 9 && back[width + 9] == 9 &&
                      std::memcmp(back.data() + 2 * width, image.data() + 2 * width, 28 * width) == 0);
}

static void streams_and_events() {
  cudaStream_t a, b;
  cudaEvent_t begin, end;
  OK(cudaStreamCreate(&a));
  OK(cudaStreamCreateWithPriority(&b, cudaStreamNonBlocking, -1));
  OK(cudaEventCreate(&begin));
  OK(cudaEventCreate(&end));
  float* x = device(std::vector<float>(1 << 16, 2));
  OK(cudaEventRecord(begin, a));
  scale<<<256, 256, 0, a>>>(x, 1 << 16);
  OK(cudaEventRecord(end, a));
  OK(cudaStreamWaitEvent(b, end, 0));
  int called = 0;
  OK(cudaLaunchHostFunc(b, [](void* data) { *static_cast<int*>(data) = 1; }, &called));
  OK(cudaStreamSynchronize(b));
  OK(cudaEventSynchronize(end));
  float milliseconds = -1;
  OK(cudaEventElapsedTime(&milliseconds, begin, end));
  OK(cudaStreamDestroy(a));
  tell("streams", called == 1 && milliseconds > 0.001 && milliseconds < 0.1 && cudaStreamSynchronize(a) == cudaErrorInvalidResourceHandle);
  (void)cudaGetLastError();
}

__global__ void add(int* x, int n) { x[threadIdx.x] += n; }

static void captured_graph() {
  int* x = device(std::vector<int>(32, 0));
  int seen = 0;
  cudaStream_t a, b;
  cudaEvent_t fork, join;
  OK(cudaStreamCreate(&a));
  OK(cudaStreamCreate(&b));
  OK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  OK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
  add<<<1, 32, 0, a>>>(x, 1);
  OK(cudaEventRecord(fork, a));
  OK(cudaStreamWaitEvent(b, fork, 0));
  add<<<1, 32, 0, b>>>(x, 10);
  OK(cudaEventRecord(join, b));
  OK(cudaStreamWaitEvent(a, join, 0));
  OK(cudaMemcpyAsync(&seen, x, sizeof seen, cudaMemcpyDeviceToHost, a));
  cudaGraph_t graph;
  OK(cudaStreamEndCapture(a, &graph));
  const bool nothing_yet = host(x, 1)[0] == 0;
  cudaGraphExec_t exec;
  size_t nodes = 0;
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphGetNodes(graph, nullptr, &nodes));
  for (int i = 0; i < 5; ++i) OK(cudaGraphLaunch(exec, a));
  OK(cudaStreamSynchronize(a));
  tell("capture", nothing_yet && nodes == 3 && seen == 55 && host(x, 32)[31] == 55);
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));
}

static void graph_by_hand() {
  int* x = nullptr;
  OK(cudaMalloc(&x, 32 * sizeof(int)));
  int one = 1, hundred = 100;
  void* arguments[] = {&x, &one};
  cudaKernelNodeParams kernel{};
  kernel.func = reinterpret_cast<void*>(add);
  kernel.gridDim = dim3(1);
  kernel.blockDim = dim3(32);
  kernel.kernelParams = arguments;
  cudaMemsetParams fill{};
  fill.dst = x;
  fill.value = 7;
  fill.elementSize = 4;
  fill.width = 32;
  fill.height = 1;
  cudaGraph_t graph;
  cudaGraphNode_t adds, fills;
  OK(cudaGraphCreate(&graph, 0));
  OK(cudaGraphAddKernelNode(&adds, graph, nullptr, 0, &kernel));
  OK(cudaGraphAddMemsetNode(&fills, graph, nullptr, 0, &fill));
  OK(cudaGraphAddDependencies(graph, &fills, &adds, nullptr, 1));
  cudaGraphExec_t exec;
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, nullptr));
  const bool first = host(x, 32)[5] == 8;
  arguments[1] = &hundred;
  OK(cudaGraphExecKernelNodeSetParams(exec, adds, &kernel));
  OK(cudaGraphLaunch(exec, nullptr));
  tell("graph", first && host(x, 32)[31] == 107);
}

static void device_and_occupancy() {
  int count = 0, blocks = 0, threads = 0;
  OK(cudaGetDeviceCount(&count));
  cudaDeviceProp properties;
  OK(cudaGetDeviceProperties(&properties, 0));
  printf("%d x %s, %d.%d, %d SMs\n", count, properties.name, properties.major, properties.minor,
         properties.multiProcessorCount);
  OK(cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, scale<float>));
  int resident = 0;
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, scale<float>, 256, 0));
  int beyond_bound = 0;  // what blocks leave, whatever the launch bound
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&beyond_bound, repeat, 512, 0));
  cudaFuncAttributes attributes;
  OK(cudaFuncGetAttributes(&attributes, scale<float>));
  tell("occupancy", resident == 8 && beyond_bound == 4 && threads == 1024 && attributes.numRegs > 0 && attributes.maxThreadsPerBlock == 1024);
}

int main() {
  device_and_occupancy();
  templates_and_constants();
  variables();
  large_shared_memory();
  cooperative_grid();
  cluster();
  cluster_without_parameters();
  times_by_arguments();
  large_parameters();
  pitched_copies();
  streams_and_events();
  captured_graph();
  graph_by_hand();
  OK(cudaDeviceSynchronize());
  return failed ? 1 : 0;
}
