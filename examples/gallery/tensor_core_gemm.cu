// C = A B with A row by row in f16, B column by column, C in f32: ldmatrix and mma.m16n8k16, a tile of 32x32 a warp.
#include <cuda_fp16.h>
constexpr int kTile = 32, kDepth = 32, kPad = 8;  // 80 bytes a row: the eight rows of a matrix lie in other banks

__device__ void load_matrices(unsigned (&out)[4], const __half* row) {
  unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(out[0]), "=r"(out[1]), "=r"(out[2]), "=r"(out[3]) : "r"(at));
}

__device__ void multiply(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

extern "C" __global__ void gemm(const __half* a, const __half* b, float* c, int n, int k) {  // one warp a block
  __shared__ __align__(16) __half as[kTile][kDepth + kPad], bs[kTile][kDepth + kPad];
  int lane = threadIdx.x, row = blockIdx.y * kTile, column = blockIdx.x * kTile;
  float sum[2][4][4] = {};
  for (int from = 0; from < k; from += kDepth) {
    for (int t = lane; t < kTile * kDepth / 8; t += 32) {  // 16 bytes each
      int r = t / 4, d = t % 4 * 8;
      *reinterpret_cast<uint4*>(&as[r][d]) = *reinterpret_cast<const uint4*>(&a[(row + r) * k + from + d]);
      *reinterpret_cast<uint4*>(&bs[r][d]) = *reinterpret_cast<const uint4*>(&b[(column + r) * k + from + d]);
    }
    __syncwarp();
    for (int d = 0; d < kDepth; d += 16) {
      unsigned fa[2][4], fb[2][4];  // lane l gives row l % 16 of a matrix, its first or second 8 elements
      for (int i = 0; i < 2; ++i) load_matrices(fa[i], &as[i * 16 + lane % 16][d + lane / 16 * 8]);
      for (int j = 0; j < 2; ++j) load_matrices(fb[j], &bs[j * 16 + lane % 16][d + lane / 16 * 8]);
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 4; ++j) multiply(sum[i][j], fa[i], fb[j / 2][j % 2], fb[j / 2][j % 2 + 2]);
    }
    __syncwarp();
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j)
      for (int half = 0; half < 2; ++half) {
        int r = row + i * 16 + half * 8 + lane / 4, col = column + j * 8 + lane % 4 * 2;
        *reinterpret_cast<float2*>(&c[r * n + col]) = float2{sum[i][j][half * 2], sum[i][j][half * 2 + 1]};
      }
}

extern "C" __global__ void gemm_plain(const __half* a, const __half* b, float* c, int n, int k) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int d = 0; d < k; ++d) sum += __half2float(a[row * k + d]) * __half2float(b[column * k + d]);
  c[row * n + column] = sum;
}
