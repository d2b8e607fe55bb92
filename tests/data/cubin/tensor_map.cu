// nvcc -arch=sm_90a -cubin: a parameter of 64 bytes' alignment, which machine code has elsewhere than PTX.
struct alignas(64) Map {
  char bytes[128];
};
__global__ void first_byte(const __grid_constant__ Map map, int* out, int n) {
  if (threadIdx.x < n) out[threadIdx.x] = map.bytes[0];
}
