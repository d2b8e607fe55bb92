#include <cstdio>
int main() {
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  cudaGraphNode_t node;
  cudaGraphNodeParams p{};
  p.type = cudaGraphNodeTypeConditional;
  p.conditional.type = cudaGraphCondTypeWhile;
  p.conditional.size = 1;
  cudaGraphCreate(&graph, 0);
  cudaGraphConditionalHandleCreate(&p.conditional.handle, graph, 1, cudaGraphCondAssignDefault);
  cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &p);
  cudaGraphInstantiate(&ready, graph, 0);
  cudaGraphLaunch(ready, 0);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
