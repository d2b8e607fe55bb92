// One kernel, with constants in double precision, as guides show it: 0.5 * x computes in double.
extern "C" __global__ void gelu_double(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 0.5 * x[i] * (1.0 + tanh(0.7978845608028654 * (x[i] + 0.044715 * x[i] * x[i] * x[i])));
}
