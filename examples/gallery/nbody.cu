// Gravity between all pairs of bodies: a tile of bodies at a time through shared memory, four a load.
extern "C" {

__global__ void accelerations(const float4* bodies, float4* out, int n, float softening) {
  extern __shared__ float4 tile[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 me = i < n ? bodies[i] : float4{};
  float x = 0, y = 0, z = 0;
  for (int first = 0; first < n; first += blockDim.x) {
    int j = first + threadIdx.x;
    tile[threadIdx.x] = j < n ? bodies[j] : float4{};  // a body without mass pulls nothing
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < blockDim.x; ++k) {
      float4 other = tile[k];
      float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
      float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + softening);
      float pull = other.w * inverse * inverse * inverse;
      x += pull * dx, y += pull * dy, z += pull * dz;
    }
    __syncthreads();
  }
  if (i < n) out[i] = float4{x, y, z, 0};
}

__global__ void accelerations_plain(const float* bodies, float* out, int n, float softening) {  // in double precision
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double sum[3] = {};
  for (int j = 0; j < n; ++j) {
    double d[3], square = softening;
    for (int c = 0; c < 3; ++c) d[c] = (double)bodies[4 * j + c] - bodies[4 * i + c], square += d[c] * d[c];
    double pull = bodies[4 * j + 3] / (square * sqrt(square));
    for (int c = 0; c < 3; ++c) sum[c] += pull * d[c];
  }
  for (int c = 0; c < 3; ++c) out[4 * i + c] = sum[c];
  out[4 * i + 3] = 0;
}
}  // extern "C"
