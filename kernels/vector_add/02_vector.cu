// Two times 16 bytes of each array a thread, loads first. n4 counts 16 bytes.
extern "C" __global__ void __launch_bounds__(256) add_vector(const float4* a, const float4* b, float4* y, int n4) {
  const int first = blockIdx.x * 512 + threadIdx.x;
  float4 u[2], v[2];
#pragma unroll
  for (int k = 0; k < 2; ++k)
    if (first + k * 256 < n4) u[k] = a[first + k * 256], v[k] = b[first + k * 256];
#pragma unroll
  for (int k = 0; k < 2; ++k)
    if (first + k * 256 < n4) y[first + k * 256] = {u[k].x + v[k].x, u[k].y + v[k].y, u[k].z + v[k].z, u[k].w + v[k].w};
}
