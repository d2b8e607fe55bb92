// Four times 16 bytes a thread, all loads before the first store. n4 counts 16 bytes.
extern "C" __global__ void __launch_bounds__(256) square_vector(const float4* x, float4* y, int n4) {
  const int first = blockIdx.x * 1024 + threadIdx.x;
  float4 v[4];
#pragma unroll
  for (int k = 0; k < 4; ++k)
    if (first + k * 256 < n4) v[k] = x[first + k * 256];
#pragma unroll
  for (int k = 0; k < 4; ++k)
    if (first + k * 256 < n4) y[first + k * 256] = {v[k].x * v[k].x, v[k].y * v[k].y, v[k].z * v[k].z, v[k].w * v[k].w};
}
