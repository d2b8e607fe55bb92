// Graphs built from nodes, asked what they are and changed, by the runtime and the driver; what is said of managed
// memory; calls that are refused. Prints how many answers are not CUDA's.
#include <cuda.h>

#include <cstdio>

static int wrong = 0;
static void expect(bool right, int line) {
  if (!right) printf("line %d\n", line), ++wrong;
}
#define RIGHT(condition) expect(condition, __LINE__)
#define GIVES(error, call) expect((call) == (error), __LINE__), (void)cudaGetLastError()
#define WORKS(call) GIVES(0, call)

__device__ int copied[4];
__managed__ int managed[4];
__global__ void add(int* to, int value) { atomicAdd(to, value); }

static int destroyed = 0, out[4];
static void destroy(void* count) { ++*static_cast<int*>(count); }

static void nodes(int* numbers) {
  cudaGraph_t graph, child, own, clone;
  WORKS(cudaGraphCreate(&graph, 0));
  WORKS(cudaGraphCreate(&child, 0));
  int value = 3;
  void* arguments[] = {&numbers, &value};
  cudaKernelNodeParams launch{};
  launch.func = reinterpret_cast<void*>(add);
  launch.gridDim = dim3(2);
  launch.blockDim = dim3(4);
  launch.kernelParams = arguments;
  cudaGraphNode_t inner, kernel, whole, fill, in, back, found;
  WORKS(cudaGraphAddKernelNode(&inner, child, nullptr, 0, &launch));
  WORKS(cudaGraphAddKernelNode(&kernel, graph, nullptr, 0, &launch));
  WORKS(cudaGraphAddChildGraphNode(&whole, graph, &kernel, 1, child));
  cudaMemsetParams sevens{};
  sevens.dst = numbers + 1;
  sevens.value = 7;
  sevens.elementSize = 4;
  sevens.width = 2;
  sevens.height = 1;
  WORKS(cudaGraphAddMemsetNode(&fill, graph, &whole, 1, &sevens));
  WORKS(cudaGraphAddMemcpyNodeToSymbol(&in, graph, &fill, 1, copied, numbers, 16, 0, cudaMemcpyDeviceToDevice));
  WORKS(cudaGraphAddMemcpyNodeFromSymbol(&back, graph, &in, 1, out, copied, 16, 0, cudaMemcpyDeviceToHost));
  GIVES(cudaErrorInvalidValue,
        cudaGraphAddMemcpyNodeFromSymbol(&found, graph, &in, 1, out, copied, 20, 0, cudaMemcpyDeviceToHost));

  cudaKernelNodeParams asked{};
  WORKS(cudaGraphKernelNodeGetParams(kernel, &asked));
  RIGHT(asked.gridDim.x == 2 && asked.blockDim.x == 4 && *static_cast<int*>(asked.kernelParams[1]) == 3);
  cudaMemsetParams filled{};
  WORKS(cudaGraphMemsetNodeGetParams(fill, &filled));
  RIGHT(filled.value == 7 && filled.width == 2);
  size_t count = 0;
  WORKS(cudaGraphChildGraphNodeGetGraph(whole, &own));
  WORKS(cudaGraphGetNodes(own, nullptr, &count));
  RIGHT(count == 1);
  GIVES(cudaErrorInvalidValue, cudaGraphMemsetNodeGetParams(kernel, &filled));
  WORKS(cudaGraphClone(&clone, graph));
  WORKS(cudaGraphNodeFindInClone(&found, kernel, clone));

  cudaGraphExec_t ready;
  cudaGraphInstantiateParams how{};
  WORKS(cudaGraphInstantiateWithParams(&ready, graph, &how));
  RIGHT(how.result_out == cudaGraphInstantiateSuccess);
  WORKS(cudaGraphLaunch(ready, nullptr));
  WORKS(cudaDeviceSynchronize());
  RIGHT(out[0] == 48 && out[1] == 7 && out[2] == 7 && out[3] == 0);
  value = 10;
  unsigned on = 9;
  WORKS(cudaGraphExecKernelNodeSetParams(ready, kernel, &launch));
  WORKS(cudaGraphNodeSetEnabled(ready, whole, 0));
  WORKS(cudaGraphNodeGetEnabled(ready, whole, &on));
  WORKS(cudaGraphLaunch(ready, nullptr));
  WORKS(cudaDeviceSynchronize());
  RIGHT(on == 0 && out[0] == 128);
  cudaLaunchAttributeValue attribute{};
  attribute.priority = 2;
  WORKS(cudaGraphKernelNodeSetAttribute(kernel, cudaLaunchAttributePriority, &attribute));
  attribute.priority = 0;
  WORKS(cudaGraphKernelNodeGetAttribute(kernel, cudaLaunchAttributePriority, &attribute));
  RIGHT(attribute.priority == 2);
  cudaUserObject_t object;
  WORKS(cudaUserObjectCreate(&object, &destroyed, destroy, 1, cudaUserObjectNoDestructorSync));
  WORKS(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
  WORKS(cudaGraphDestroy(graph));
  RIGHT(destroyed == 1);
}

/// Memory that is taken and given back while a stream is captured; the driver's names for the same.
static void captured(int* numbers) {
  CUstream stream;
  CUgraph graph;
  CUgraphExec ready;
  float* scratch;
  WORKS(cuStreamCreate(&stream, 0));
  WORKS(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  add<<<3, 5, 0, stream>>>(numbers, 1);
  WORKS(cudaMallocAsync(&scratch, 256, stream));
  WORKS(cudaMemsetAsync(scratch, 0, 256, stream));
  WORKS(cudaFreeAsync(scratch, stream));
  WORKS(cuStreamEndCapture(stream, &graph));
  CUgraphNode all[8];
  size_t count = 8;
  WORKS(cuGraphGetNodes(graph, all, &count));
  constexpr CUgraphNodeType kTypes[] = {CU_GRAPH_NODE_TYPE_KERNEL, CU_GRAPH_NODE_TYPE_MEM_ALLOC,
                                        CU_GRAPH_NODE_TYPE_MEMSET, CU_GRAPH_NODE_TYPE_MEM_FREE};
  RIGHT(count == 4);
  for (size_t i = 0; i < count; ++i) {
    CUgraphNodeType type;
    WORKS(cuGraphNodeGetType(all[i], &type));
    RIGHT(type == kTypes[i]);
  }
  cudaKernelNodeParams asked{};
  WORKS(cudaGraphKernelNodeGetParams(all[0], &asked));
  RIGHT(asked.gridDim.x == 3 && asked.blockDim.x == 5);
  WORKS(cuGraphInstantiate(&ready, graph, 0));
  for (int i = 0; i < 3; ++i) WORKS(cuGraphLaunch(ready, stream));
  WORKS(cuStreamSynchronize(stream));
  WORKS(cudaMemcpy(out, numbers, sizeof out, cudaMemcpyDeviceToHost));
  RIGHT(out[0] == 128 + 3 * 15);
}

static void advised(int* numbers) {
  int *shared, answer = 5;
  WORKS(cudaMallocManaged(&shared, 4096));
  const cudaMemLocation gpu{cudaMemLocationTypeDevice, 0}, none{cudaMemLocationTypeDevice, 7},
      host{cudaMemLocationTypeHost, 0};
  WORKS(cudaMemPrefetchAsync(shared, 4096, gpu, 0, nullptr));
  WORKS(cudaMemPrefetchAsync(shared, 100, host, 0, nullptr));
  WORKS(cudaMemPrefetchAsync(managed, sizeof managed, gpu, 0, nullptr));
  GIVES(cudaErrorInvalidValue, cudaMemPrefetchAsync(numbers, 64, gpu, 0, nullptr));
  GIVES(cudaErrorInvalidValue, cudaMemPrefetchAsync(shared, 4097, gpu, 0, nullptr));
  GIVES(cudaErrorInvalidDevice, cudaMemPrefetchAsync(shared, 4096, none, 0, nullptr));
  WORKS(cudaMemAdvise(shared, 4096, cudaMemAdviseSetReadMostly, gpu));
  GIVES(cudaErrorInvalidValue, cudaMemAdvise(out, sizeof out, cudaMemAdviseSetReadMostly, gpu));
  GIVES(cudaErrorInvalidValue, cudaMemAdvise(shared, 4096, static_cast<cudaMemoryAdvise>(9), gpu));
  WORKS(cudaMemRangeGetAttribute(&answer, 4, cudaMemRangeAttributeReadMostly, shared, 4096));
  RIGHT(answer == 1);
  WORKS(cudaMemRangeGetAttribute(&answer, 4, cudaMemRangeAttributeLastPrefetchLocation, shared, 4096));
  RIGHT(answer == cudaCpuDeviceId);
  cudaPointerAttributes about;
  WORKS(cudaPointerGetAttributes(&about, managed));
  RIGHT(about.type == cudaMemoryTypeManaged);
  GIVES(cudaErrorInvalidValue, cudaFree(managed));
}

static void asked(int* numbers) {
  int device;
  size_t offset, size;
  WORKS(cudaDeviceGetByPCIBusId(&device, "0000:01:00.0"));
  GIVES(cudaErrorInvalidDevice, cudaDeviceGetByPCIBusId(&device, "0000:07:00.0"));
  WORKS(cudaFuncGetParamInfo(reinterpret_cast<void*>(add), 1, &offset, &size));
  RIGHT(offset == 8 && size == 4);
  GIVES(cudaErrorInvalidValue, cudaFuncGetParamInfo(reinterpret_cast<void*>(add), 2, &offset, &size));
}

int main() {
  int* numbers;
  WORKS(cudaMalloc(&numbers, 64));
  WORKS(cudaMemset(numbers, 0, 64));
  nodes(numbers);
  captured(numbers);
  advised(numbers);
  asked(numbers);
  printf("%d wrong\n", wrong);
  return wrong;
}
