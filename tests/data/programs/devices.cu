// Two devices: each has its own variables, streams and events; times of what they do side by side, and of what the host
// waits for. Prints how many answers are wrong.
#include <cstdio>
#include <cuda_runtime.h>

static int wrong = 0;
static void expect(bool right, int line) {
  if (!right) printf("line %d\n", line), ++wrong;
}
#define RIGHT(condition) expect(condition, __LINE__)
#define GIVES(error, call) expect((call) == (error), __LINE__), (void)cudaGetLastError()
#define WORKS(call) GIVES(cudaSuccess, call)

__device__ int variable = 5;
__constant__ int constant[2];
#ifdef MANAGED
__managed__ int shared_by_all = 1;
constexpr int SHARED_STEP = 1;
#else
__device__ int shared_by_all = 1;
constexpr int SHARED_STEP = 0;
#endif

__global__ void set(int value) { variable += value; }
__global__ void get(int* out) { out[0] = variable, out[1] = constant[1], out[2] = shared_by_all++; }
__global__ void spin(float* x, int rounds) {
  for (int i = 0; i < rounds; ++i) x[threadIdx.x] = x[threadIdx.x] * 1.5f + 1;
}

int main() {
  int *out[2], values[2][2] = {{1, 2}, {3, 4}}, got[3];
  float *work[2], both_ms, one_ms, apart_ms;
  cudaStream_t streams[2];
  cudaEvent_t begin[2], end[2];
  for (int d = 0; d < 2; ++d) {
    WORKS(cudaSetDevice(d));
    WORKS(cudaMalloc(&out[d], 64));
    WORKS(cudaMalloc(&work[d], 4096));
    WORKS(cudaMemset(work[d], 0, 4096));
    WORKS(cudaStreamCreate(&streams[d]));
    WORKS(cudaEventCreate(&begin[d]));
    WORKS(cudaEventCreate(&end[d]));
    WORKS(cudaMemcpyToSymbol(constant, values[d], sizeof values[d]));
    set<<<1, 1, 0, streams[d]>>>(10 * (d + 1));
    WORKS(cudaGetLastError());
  }
  for (int d = 0; d < 2; ++d) {
    WORKS(cudaSetDevice(d));
    get<<<1, 1>>>(out[d]);
    WORKS(cudaMemcpy(got, out[d], sizeof got, cudaMemcpyDeviceToHost));
    RIGHT(got[2] == 1 + d * SHARED_STEP);
    int read = 0;
    WORKS(cudaMemcpyFromSymbol(&read, variable, sizeof read));
    RIGHT(got[0] == 5 + 10 * (d + 1) && got[1] == values[d][1] && read == got[0]);
  }
  // The second device is current: the first one's streams and events are not its own.
  set<<<1, 1, 0, streams[0]>>>(1);
  GIVES(cudaErrorInvalidResourceHandle, cudaGetLastError());
  GIVES(cudaErrorInvalidResourceHandle, cudaEventRecord(begin[1], streams[0]));
  WORKS(cudaEventRecord(begin[0], streams[0]));
  WORKS(cudaEventRecord(begin[1], streams[1]));
  WORKS(cudaStreamWaitEvent(streams[1], begin[0], 0));
  GIVES(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&one_ms, begin[0], begin[1]));

  for (int d = 0; d < 2; ++d) {  // both work at once
    WORKS(cudaSetDevice(d));
    WORKS(cudaEventRecord(begin[d], 0));
    spin<<<1, 32>>>(work[d], 200);
    WORKS(cudaEventRecord(end[d], 0));
  }
  WORKS(cudaEventElapsedTime(&one_ms, begin[0], end[0]));
  WORKS(cudaEventElapsedTime(&both_ms, begin[1], end[1]));
  RIGHT(both_ms < one_ms * 1.01f);

  // A stream that does not wait for the default stream, but the host waits for it in between.
  cudaStream_t apart;
  WORKS(cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking));
  WORKS(cudaDeviceSynchronize());
  WORKS(cudaEventRecord(begin[1], 0));
  spin<<<1, 32, 0, apart>>>(work[1], 200);
  WORKS(cudaStreamSynchronize(apart));
  WORKS(cudaEventRecord(end[1], 0));
  WORKS(cudaEventElapsedTime(&apart_ms, begin[1], end[1]));
  RIGHT(apart_ms > both_ms * 0.9f);  // the same kernel on the same device
  printf("%d wrong\n", wrong);
  return wrong;
}
