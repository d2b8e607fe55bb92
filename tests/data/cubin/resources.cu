// Compiled to resources.sm_*.cubin by: nvcc -cubin -lineinfo -arch=sm_NN resources.cu
extern "C" __global__ void __launch_bounds__(128) resources(const float4* x, float* y, int n) {
  __shared__ float tile[512];
  volatile float local[64];
  for (int i = 0; i < 64; ++i) local[i] = x[i].w;
  int t = threadIdx.x;
  float4 v = x[t];
  tile[t] = v.x + v.y * v.z;
  __syncthreads();
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < n; ++i) sum += tile[(t + i) & 127] + local[(t * i) & 63] / v.w;
  y[t] = sum;
}
