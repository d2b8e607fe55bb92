// Planted defects of memory: bounds, alignment, unwritten bytes. See checks_test.py for the lines that begin with //@,
// which launch a kernel and say what is found in it; the lines at fault end in //!
__constant__ int table[16];
__device__ int device_array[64];

template <typename T>
struct alignas(16) Four { T a, b, c, d; };

//@ past_the_end<int> block=64 n=60 : out-of-bounds
//@ past_the_end<char> block=64 n=60 dtype=i8 : out-of-bounds
//@ past_the_end<short> block=64 n=63 dtype=i16 : out-of-bounds
//@ past_the_end<double> block=64 n=1 dtype=f64 : out-of-bounds
template <typename T>
__global__ void past_the_end(T* x, T* y, int n) {
  T v = *static_cast<volatile T*>(x + threadIdx.x);  //!
  if (v == T(99)) y[0] = v;
}

//@ off_by_one grid=4 block=64 n=256 : out-of-bounds
__global__ void off_by_one(int* x, int* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) y[i + 1] = 7;  //!
}

//@ stencil_left grid=2 block=32 n=64 : out-of-bounds
__global__ void stencil_left(int* x, int* y, int n) {
  int i = blockIdx.x * 32 + threadIdx.x;
  y[i] = x[i - 1] +  //!
         x[i];
}

//@ wide_tail block=64 n=254 : out-of-bounds
__global__ void wide_tail(int* x, int* y, int n) {
  int4 v = reinterpret_cast<int4*>(x)[threadIdx.x];  //!
  if (v.x == -1) y[0] = v.w;
}

//@ atomic_past block=32 n=31 : out-of-bounds
__global__ void atomic_past(int* x, int* y, int n) {
  atomicAdd(&y[threadIdx.x], x[0]);  //!
}

//@ null_pointer block=32 : out-of-bounds
__global__ void null_pointer(int* x, int* y, int n) {
  int* p = reinterpret_cast<int*>(static_cast<long long>(n) - 256);
  p[threadIdx.x] = n;  //!
}

//@ shared_past block=64 : out-of-bounds
__global__ void shared_past(int* x, int* y, int n) {
  __shared__ int s[64];
  s[threadIdx.x + 1] = x[threadIdx.x];  //!
  __syncthreads();
  y[threadIdx.x] = s[63 - threadIdx.x + (threadIdx.x == 63)];
}

//@ dynamic_too_small block=64 shared=128 : out-of-bounds
__global__ void dynamic_too_small(int* x, int* y, int n) {
  extern __shared__ int d[];
  d[threadIdx.x] = x[threadIdx.x];  //!
}

//@ dynamic_none block=32 : out-of-bounds
__global__ void dynamic_none(int* x, int* y, int n) {
  extern __shared__ int d[];
  y[threadIdx.x] = d[threadIdx.x];  //!
}

//@ constant_past block=32 : out-of-bounds
__global__ void constant_past(int* x, int* y, int n) {
  y[threadIdx.x] = table[x[threadIdx.x] + 4];  //!
}

//@ device_variable_past block=64 : out-of-bounds
__global__ void device_variable_past(int* x, int* y, int n) {
  device_array[x[threadIdx.x] + 8] = 1;  //!
}

//@ local_past block=32 : out-of-bounds
__global__ void local_past(int* x, int* y, int n) {
  int a[8];
  for (int i = 0; i < 8; ++i) a[x[i]] = i;
  a[x[threadIdx.x]] = 1;  //!
  y[threadIdx.x] = a[x[threadIdx.x] & 7];
}

//@ negative_stride block=32 n=32 : out-of-bounds
__global__ void negative_stride(int* x, int* y, int n) {
  int sum = 0;
  for (int k = 0; k < 3; ++k) sum += x[static_cast<int>(threadIdx.x) - k * 8];  //!
  y[threadIdx.x] = sum;
}

//@ column_major block=32 n=512 : out-of-bounds
__global__ void column_major(int* x, int* y, int n) {
  for (int row = 0; row < 16; ++row) y[threadIdx.x * 32 + row] = x[row * 32 + threadIdx.x];  //!
}

//@ unsigned_wrap block=32 : out-of-bounds
__global__ void unsigned_wrap(int* x, int* y, int n) {
  unsigned i = threadIdx.x - 1;
  if (threadIdx.x == 0) y[0] = x[i];  //!
}

//@ half_of_the_grid grid=8 block=128 n=1000 : out-of-bounds
__global__ void half_of_the_grid(int* x, int* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = n;  //!
}

//@ transpose_tile block=32 n=96 : out-of-bounds
__global__ void transpose_tile(int* x, int* y, int n) {
  __shared__ int t[8][32];
  for (int k = 0; k < 8; ++k) t[k][threadIdx.x] = k;
  __syncthreads();
  y[threadIdx.x] = t[threadIdx.x][3];  //!
}

//@ freed_in_the_kernel block=1 : use-after-free
__global__ void freed_in_the_kernel(int* x, int* y, int n) {
  int* p = static_cast<int*>(malloc(64));
  p[3] = n;
  free(p);
  y[0] = *static_cast<volatile int*>(p + 3);  //!
}

//@ freed_then_written block=1 : use-after-free
__global__ void freed_then_written(int* x, int* y, int n) {
  int* p = static_cast<int*>(malloc(256));
  p[0] = 1;
  y[0] = p[0];
  free(p);
  *static_cast<volatile int*>(p + y[0]) = 2;  //!
}

//@ misaligned_read<int, 1> block=32 : misaligned
//@ misaligned_read<int, 2> block=32 : misaligned
//@ misaligned_read<short, 1> block=32 : misaligned
//@ misaligned_read<long long, 4> block=32 : misaligned
//@ misaligned_read<double, 1> block=32 : misaligned
//@ misaligned_read<int2, 4> block=32 : misaligned
//@ misaligned_read<int4, 4> block=32 : misaligned
//@ misaligned_read<int4, 8> block=32 : misaligned
//@ misaligned_read<double2, 8> block=32 : misaligned
template <typename T, int kOffset>
__global__ void misaligned_read(int* x, int* y, int n) {
  const char* p = reinterpret_cast<const char*>(x) + kOffset;
  T v = reinterpret_cast<const T*>(p)[threadIdx.x % 4];  //!
  reinterpret_cast<T*>(y)[threadIdx.x] = v;  //!
}

//@ misaligned_write<int, 3> block=32 : misaligned
//@ misaligned_write<short, 1> block=32 : misaligned
//@ misaligned_write<float2, 4> block=32 : misaligned
//@ misaligned_write<float4, 8> block=32 : misaligned
//@ misaligned_write<long long, 2> block=32 : misaligned
template <typename T, int kOffset>
__global__ void misaligned_write(int* x, int* y, int n) {
  char* p = reinterpret_cast<char*>(y) + kOffset;
  reinterpret_cast<T*>(p)[threadIdx.x] = T{};  //!
}

//@ misaligned_shared<int, 2> block=32 : misaligned
//@ misaligned_shared<int2, 4> block=32 : misaligned
//@ misaligned_shared<int4, 8> block=32 : misaligned
//@ misaligned_shared<double, 4> block=32 : misaligned
template <typename T, int kOffset>
__global__ void misaligned_shared(int* x, int* y, int n) {
  __shared__ __align__(16) char s[1024];
  *reinterpret_cast<T*>(s + threadIdx.x * sizeof(T) + kOffset) = T{};  //!
  __syncthreads();
  if (n < 0) y[threadIdx.x] = s[n + 1024];
}

//@ odd_record block=8 : misaligned
__global__ void odd_record(int* x, int* y, int n) {
  char* record = reinterpret_cast<char*>(x) + threadIdx.x * 6;
  y[threadIdx.x] = *reinterpret_cast<int*>(record);  //!
}

//@ misaligned_atomic block=1 : misaligned
__global__ void misaligned_atomic(int* x, int* y, int n) {
  atomicAdd(reinterpret_cast<int*>(reinterpret_cast<char*>(y) + 2), 1);  //!
}
