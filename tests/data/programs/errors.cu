// What CUDA answers to a program's mistakes: prints the name of each error.
#include <cstdio>
#include <vector>

static void tell(const char* what, cudaError_t error) {
  printf("%-28s %s\n", what, cudaGetErrorName(error));
  (void)cudaGetLastError();
}

__global__ void write_at(int* x, long long at) { x[at] = 1; }
__global__ void __launch_bounds__(64) small_blocks(int* x) { x[threadIdx.x] = 1; }

int main() {
  int *x = nullptr, local[4] = {};
  tell("malloc", cudaMalloc(&x, 64 * sizeof(int)));
  tell("copy past the end", cudaMemcpy(x, std::vector<int>(65).data(), 65 * sizeof(int), cudaMemcpyHostToDevice));
  tell("host for device", cudaMemcpy(local, local, sizeof local, cudaMemcpyHostToDevice));
  tell("wrong kind", cudaMemcpy(x, local, sizeof local, static_cast<cudaMemcpyKind>(9)));
  tell("more than there is", cudaMalloc(&x + 0, size_t{1} << 50));
  tell("malloc", cudaMalloc(&x, 64 * sizeof(int)));
  tell("device 7", cudaSetDevice(7));
  tell("free of the host's", cudaFree(local));
  tell("stream that is none", cudaStreamSynchronize(reinterpret_cast<cudaStream_t>(local)));
  write_at<<<1, 2048>>>(x, 0);
  tell("2,048 threads", cudaGetLastError());
  write_at<<<0, 32>>>(x, 0);
  tell("no blocks", cudaGetLastError());
  small_blocks<<<1, 128>>>(x);
  tell("over the launch bound", cudaGetLastError());
  write_at<<<1, 32, 300000>>>(x, 0);
  tell("300,000 bytes shared", cudaGetLastError());
  tell("not a kernel", cudaLaunchKernel(local, dim3(1), dim3(1), nullptr, 0, nullptr));
  cudaStream_t stream;
  tell("capture", cudaStreamCreate(&stream));
  tell("symbol that is none", cudaMemcpyToSymbol(local, local, 4));
  tell("free", cudaFree(x));
  tell("free again", cudaFree(x));
  tell("malloc", cudaMalloc(&x, 64 * sizeof(int)));
  write_at<<<1, 1>>>(x, 1ll << 40);
  tell("launch that goes astray", cudaGetLastError());
  tell("afterwards", cudaDeviceSynchronize());
  tell("and for ever", cudaMalloc(&x, 64));
  return 0;
}
