// GELU (tanh form) as a chain of kernels, each of which reads and writes the whole array.
extern "C" __global__ void gelu_cube(const float* x, float* t, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) t[i] = x[i] * x[i] * x[i];
}
extern "C" __global__ void gelu_inner(const float* x, float* t, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) t[i] = 0.7978845608f * (x[i] + 0.044715f * t[i]);
}
extern "C" __global__ void gelu_tanh(float* t, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) t[i] = tanhf(t[i]);
}
extern "C" __global__ void gelu_outer(const float* x, const float* t, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 0.5f * x[i] * (1 + t[i]);
}
