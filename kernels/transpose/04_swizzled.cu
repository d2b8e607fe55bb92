// A tile of 64 x 64 as groups of four elements, 16 bytes a lane on both sides. Group g of row r lies at g ^ (r / 4), so that the eight
// rows by four columns that a warp gathers lie in 32 banks, without padding. Rows and columns are multiples of 4.
extern "C" __global__ void __launch_bounds__(256) transpose_swizzled(const float* x, float* y, int rows, int columns) {
  __shared__ float4 tile[64][16];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int top = blockIdx.y * 64, left = blockIdx.x * 64;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int r = k * 16 + threadIdx.x / 16, g = threadIdx.x % 16;
    if (top + r < rows && left + 4 * g < columns)
      tile[r][g ^ (r / 4)] = *reinterpret_cast<const float4*>(x + (size_t)(top + r) * columns + left + 4 * g);
  }
  __syncthreads();
  const float* flat = &tile[0][0].x;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int c = (k * 8 + warp) / 2 * 4 + lane / 8, r4 = warp % 2 * 8 + lane % 8;
    const int place = ((c / 4) ^ r4) * 4 + c % 4;
    if (left + c >= columns || top + 4 * r4 >= rows) continue;
    *reinterpret_cast<float4*>(y + (size_t)(left + c) * rows + top + 4 * r4) = {
        flat[(4 * r4) * 64 + place], flat[(4 * r4 + 1) * 64 + place], flat[(4 * r4 + 2) * 64 + place], flat[(4 * r4 + 3) * 64 + place]};
  }
}
