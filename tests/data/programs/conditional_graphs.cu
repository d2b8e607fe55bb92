// Graphs with conditional nodes: while, if and else, switch, nested ones; bodies made of nodes and by capture; what CUDA
// refuses. Prints how many answers are wrong.
#include <cuda.h>

#include <cstdio>
#include <vector>

static int wrong = 0;
static void expect(bool right, int line) {
  if (!right) printf("line %d\n", line), ++wrong;
}
#define RIGHT(condition) expect(condition, __LINE__)
#define GIVES(error, call) expect((call) == (error), __LINE__), (void)cudaGetLastError()
#define WORKS(call) GIVES(0, call)

__global__ void decrement(int* n, cudaGraphConditionalHandle again) { cudaGraphSetConditional(again, --*n > 0); }
__global__ void add(int* x, int by) { atomicAdd(x, by); }
__global__ void choose(cudaGraphConditionalHandle handle, const int* value) {
  if (threadIdx.x == 0) cudaGraphSetConditional(handle, *value);
}

static cudaGraphNode_t conditional(cudaGraph_t graph, std::vector<cudaGraphNode_t> before,
                                   cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type, int size,
                                   cudaGraph_t* bodies) {
  cudaGraphNodeParams p{};
  p.type = cudaGraphNodeTypeConditional;
  p.conditional.handle = handle;
  p.conditional.type = type;
  p.conditional.size = size;
  cudaGraphNode_t node = nullptr;
  WORKS(cudaGraphAddNode(&node, graph, before.data(), nullptr, before.size(), &p));
  for (int i = 0; node != nullptr && i < size; ++i) bodies[i] = p.conditional.phGraph_out[i];
  return node;
}

static cudaGraphNode_t kernel(cudaGraph_t graph, std::vector<cudaGraphNode_t> before, void* function,
                              std::vector<void*> arguments, int threads = 1) {
  cudaKernelNodeParams p{};
  p.func = function;
  p.gridDim = dim3(1);
  p.blockDim = dim3(threads);
  p.kernelParams = arguments.data();
  cudaGraphNode_t node;
  WORKS(cudaGraphAddKernelNode(&node, graph, before.data(), before.size(), &p));
  return node;
}

static void launch(cudaGraph_t graph, cudaStream_t stream, int times = 1) {
  cudaGraphExec_t ready;
  WORKS(cudaGraphInstantiate(&ready, graph, 0));
  WORKS(cudaGraphDestroy(graph));  // an instance lives without its graph
  for (int i = 0; i < times; ++i) WORKS(cudaGraphLaunch(ready, stream));
  WORKS(cudaStreamSynchronize(stream));
  WORKS(cudaGraphExecDestroy(ready));
}

static int one = 1, ten = 10, hundred = 100;

static void loops(int* x, cudaStream_t stream) {
  cudaGraph_t graph, body, inner;
  cudaGraphConditionalHandle outer_again, inner_again;
  int *rounds = x, *inner_rounds = x + 1, *sum = x + 2;
  *rounds = 3, *sum = 0;
  WORKS(cudaGraphCreate(&graph, 0));
  WORKS(cudaGraphConditionalHandleCreate(&outer_again, graph, 1, cudaGraphCondAssignDefault));
  conditional(graph, {}, outer_again, cudaGraphCondTypeWhile, 1, &body);
  WORKS(cudaGraphConditionalHandleCreate(&inner_again, body, 1, cudaGraphCondAssignDefault));
  cudaMemsetParams fours{};
  fours.dst = inner_rounds, fours.value = 4, fours.elementSize = 4, fours.width = 1, fours.height = 1;
  cudaGraphNode_t fill;
  WORKS(cudaGraphAddMemsetNode(&fill, body, nullptr, 0, &fours));
  cudaGraphNode_t whole = conditional(body, {fill}, inner_again, cudaGraphCondTypeWhile, 1, &inner);
  cudaGraphNode_t adds = kernel(inner, {}, (void*)add, {&sum, &ten});
  kernel(inner, {adds}, (void*)decrement, {&inner_rounds, &inner_again});
  kernel(body, {whole}, (void*)decrement, {&rounds, &outer_again});
  cudaGraphNodeType type;
  WORKS(cudaGraphNodeGetType(whole, &type));
  RIGHT(type == cudaGraphNodeTypeConditional);
  launch(graph, stream);
  RIGHT(*rounds == 0 && *inner_rounds == 0 && *sum == 120);
}

static void branches(int* x, cudaStream_t stream, int value) {
  cudaGraph_t graph, bodies[2];
  cudaGraphConditionalHandle handle;
  int *chosen = x, *sum = x + 1;
  *chosen = value, *sum = 0;
  WORKS(cudaGraphCreate(&graph, 0));
  WORKS(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
  cudaGraphNode_t chooses = kernel(graph, {}, (void*)choose, {&handle, &chosen}, 32);
  cudaGraphNode_t branch = conditional(graph, {chooses}, handle, cudaGraphCondTypeIf, 2, bodies);
  kernel(bodies[0], {}, (void*)add, {&sum, &ten});
  kernel(bodies[1], {}, (void*)add, {&sum, &hundred});
  kernel(graph, {branch}, (void*)add, {&sum, &one});
  launch(graph, stream, 2);
  RIGHT(*sum == 2 * (value != 0 ? 11 : 101));
}

static void switches(int* x, cudaStream_t stream, unsigned value) {
  cudaGraph_t graph, bodies[3];
  cudaGraphConditionalHandle handle;
  for (int i = 0; i < 4; ++i) x[i] = 0;
  WORKS(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  add<<<1, 1, 0, stream>>>(x + 3, 5);
  cudaStreamCaptureStatus status;
  const cudaGraphNode_t* before;
  size_t count;
  WORKS(cudaStreamGetCaptureInfo(stream, &status, nullptr, &graph, &before, nullptr, &count));
  WORKS(cudaGraphConditionalHandleCreate(&handle, graph, value, cudaGraphCondAssignDefault));
  cudaGraphNode_t node = conditional(graph, {before, before + count}, handle, cudaGraphCondTypeSwitch, 3, bodies);
  WORKS(cudaStreamUpdateCaptureDependencies(stream, &node, nullptr, 1, cudaStreamSetCaptureDependencies));
  add<<<1, 1, 0, stream>>>(x + 3, 1);
  WORKS(cudaStreamEndCapture(stream, &graph));
  for (int i = 0; i < 3; ++i) {
    WORKS(cudaStreamBeginCaptureToGraph(stream, bodies[i], nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
    add<<<1, 4, 0, stream>>>(x + i, i + 1);
    WORKS(cudaStreamEndCapture(stream, nullptr));
  }
  launch(graph, stream);
  for (unsigned i = 0; i < 3; ++i) RIGHT(x[i] == (i == value ? 4 * (static_cast<int>(i) + 1) : 0));
  RIGHT(x[3] == 6);
}

static void refusals() {
  cudaGraph_t graph, body, clone;
  cudaGraphExec_t ready, second;
  cudaGraphNode_t node;
  cudaGraphConditionalHandle handle, unused;
  WORKS(cudaGraphCreate(&graph, 0));
  GIVES(cudaErrorInvalidValue, cudaGraphConditionalHandleCreate(nullptr, graph, 0, 0));
  GIVES(cudaErrorInvalidValue, cudaGraphConditionalHandleCreate(&handle, graph, 0, 2));
  WORKS(cudaGraphConditionalHandleCreate(&handle, graph, 0, cudaGraphCondAssignDefault));
  cudaGraphNodeParams p{};
  p.type = cudaGraphNodeTypeConditional;
  p.conditional.handle = handle;
  p.conditional.type = cudaGraphCondTypeWhile;
  p.conditional.size = 2;
  GIVES(cudaErrorInvalidValue, cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &p));
  p.conditional.size = 1;
  p.conditional.handle = handle + 8;
  GIVES(cudaErrorInvalidValue, cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &p));
  conditional(graph, {}, handle, cudaGraphCondTypeWhile, 1, &body);
  GIVES(cudaErrorInvalidValue, cudaGraphClone(&clone, graph));
  WORKS(cudaGraphInstantiate(&ready, graph, 0));
  GIVES(cudaErrorInvalidValue, cudaGraphInstantiate(&second, graph, 0));
  WORKS(cudaGraphExecDestroy(ready));
  WORKS(cudaGraphConditionalHandleCreate(&unused, graph, 0, 0));
  GIVES(cudaErrorInvalidValue, cudaGraphInstantiate(&ready, graph, 0));
  WORKS(cudaGraphDestroy(graph));
}

static void by_driver(int* x, cudaStream_t stream) {
  CUgraph graph;
  CUgraphConditionalHandle handle;
  CUcontext context;
  int *rounds = x, *sum = x + 1;
  *rounds = 5, *sum = 0;
  WORKS(cuCtxGetCurrent(&context));
  WORKS(cuGraphCreate(&graph, 0));
  WORKS(cuGraphConditionalHandleCreate(&handle, graph, context, 1, CU_GRAPH_COND_ASSIGN_DEFAULT));
  CUgraphNodeParams p{};
  p.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  p.conditional.handle = handle;
  p.conditional.type = CU_GRAPH_COND_TYPE_WHILE;
  p.conditional.size = 1;
  p.conditional.ctx = context;
  CUgraphNode node;
  WORKS(cuGraphAddNode(&node, graph, nullptr, nullptr, 0, &p));
  cudaGraph_t body = p.conditional.phGraph_out[0];
  CUgraphNodeParams copies{};
  copies.type = CU_GRAPH_NODE_TYPE_MEMCPY;
  copies.memcpy.copyParams.srcMemoryType = copies.memcpy.copyParams.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  copies.memcpy.copyParams.srcDevice = reinterpret_cast<CUdeviceptr>(rounds);
  copies.memcpy.copyParams.dstDevice = reinterpret_cast<CUdeviceptr>(x + 2);
  copies.memcpy.copyParams.WidthInBytes = 4, copies.memcpy.copyParams.Height = copies.memcpy.copyParams.Depth = 1;
  WORKS(cuGraphAddNode(&node, body, nullptr, nullptr, 0, &copies));
  cudaGraphNode_t adds = kernel(body, {node}, (void*)add, {&sum, &one});
  kernel(body, {adds}, (void*)decrement, {&rounds, &handle});
  launch(graph, stream);
  RIGHT(*rounds == 0 && *sum == 5 && x[2] == 1);
}

int main() {
  int* x;
  cudaStream_t stream;
  WORKS(cudaMallocManaged(&x, 64));
  WORKS(cudaStreamCreate(&stream));
  loops(x, stream);
  for (int value : {0, 1, 7}) branches(x, stream, value);
  for (unsigned value = 0; value < 4; ++value) switches(x, stream, value);
  refusals();
  by_driver(x, stream);
  WORKS(cudaFree(x));
  printf("%d wrong\n", wrong);
  return wrong;
}
