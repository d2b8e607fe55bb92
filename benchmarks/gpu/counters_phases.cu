// One long launch that computes first and reads memory then: what `warplens kernel --over-time` shows. Run by counters.py.
#include "counters_data.cuh"

__global__ void phases(const int4* data, float* out, int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = i;
  for (int k = 0; k < 40 * steps; ++k) x = x * 1.0001f + 0.5f;
  int sum = 0;
  for (int round = 0; round < steps / 100; ++round) {
    for (size_t k = i; k < kBytes / sizeof(int4); k += gridDim.x * blockDim.x) sum += data[k].x;
  }
  out[i] = x + sum;
}

int main() {
  int *data, *out;
  if (!make_data(&data, &out)) return 1;
  phases<<<528, 512>>>(reinterpret_cast<int4*>(data), reinterpret_cast<float*>(out), 2000);
  return finish();
}
