// Four pixels a thread: three words in, one out.
__device__ unsigned grey(unsigned r, unsigned g, unsigned b) { return __float2int_rn(0.299f * r + 0.587f * g + 0.114f * b); }

// n4 counts four pixels.
extern "C" __global__ void grey_words(const unsigned char* bytes, unsigned char* grey_bytes, int n4) {
  const unsigned* rgb = reinterpret_cast<const unsigned*>(bytes);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n4) return;
  const unsigned a = rgb[3 * i], b = rgb[3 * i + 1], c = rgb[3 * i + 2];
  reinterpret_cast<unsigned*>(grey_bytes)[i] =
      grey(a & 255, a >> 8 & 255, a >> 16 & 255) | grey(a >> 24, b & 255, b >> 8 & 255) << 8 |
      grey(b >> 16 & 255, b >> 24, c & 255) << 16 | grey(c >> 8 & 255, c >> 16 & 255, c >> 24) << 24;
}
