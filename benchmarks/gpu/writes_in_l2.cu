// What a launch takes that writes, by how much: what L2 keeps and what DRAM takes. Each runs once after L2 was flushed by reads, in a
// process that a profiler watches.
// nvcc -arch=sm_90 -o writes_in_l2 writes_in_l2.cu; ncu --clock-control none --metrics gpu__time_duration.sum,dram__bytes_write.sum,dram__bytes_read.sum ./writes_in_l2
#include <cstdio>

__global__ void fill(float4* q) { q[blockIdx.x * size_t{blockDim.x} + threadIdx.x] = make_float4(1, 2, 3, 4); }
__global__ void copy(const float4* p, float4* q) { const size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; q[i] = p[i]; }
__global__ void fill_words(float* q) { q[blockIdx.x * size_t{blockDim.x} + threadIdx.x] = 1; }
__global__ void copy_words(const float* p, float* q) { const size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; q[i] = p[i]; }
__global__ void add(const float4* a, const float4* b, float4* q) {
  const size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
  const float4 x = a[i], y = b[i];
  q[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
}
__global__ void scale(float4* q) { const size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; float4 x = q[i]; x.x *= 2, x.y *= 2, x.z *= 2, x.w *= 2; q[i] = x; }
__global__ void flush(const float4* p, float* out) {
  float sum = 0;
  for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < (size_t{200} << 20) / 16; i += gridDim.x * size_t{blockDim.x}) sum += p[i].x;
  if (sum == 1.5f) *out = sum;
}

int main() {
  constexpr size_t kMost = size_t{128} << 20;
  float4 *a, *b, *q, *other;
  cudaMalloc(&a, kMost), cudaMalloc(&b, kMost), cudaMalloc(&q, kMost), cudaMalloc(&other, size_t{200} << 20);
  cudaMemset(a, 0, kMost), cudaMemset(b, 0, kMost), cudaMemset(q, 0, kMost), cudaMemset(other, 0, size_t{200} << 20);
  for (const size_t mb : {0, 1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 128}) {
    const unsigned blocks = mb ? static_cast<unsigned>((mb << 20) / 16 / 256) : 1;
    const auto clean = [&] { flush<<<1056, 256>>>(other, reinterpret_cast<float*>(q)); };
    clean(), fill<<<blocks, 256>>>(q);
    clean(), copy<<<blocks, 256>>>(a, q);
    clean(), add<<<blocks, 256>>>(a, b, q);
    clean(), scale<<<blocks, 256>>>(q);
    clean(), fill_words<<<4 * blocks, 256>>>(reinterpret_cast<float*>(q));
    clean(), copy_words<<<4 * blocks, 256>>>(reinterpret_cast<float*>(a), reinterpret_cast<float*>(q));
  }
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
