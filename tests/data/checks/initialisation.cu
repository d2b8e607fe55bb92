// Planted defects: memory read before anything wrote it. The buffer y is filled `uninitialised` where y=none stands.
//@ unwritten<char> y=none : uninitialised-read
//@ unwritten<short> y=none : uninitialised-read
//@ unwritten<int> y=none : uninitialised-read
//@ unwritten<double> y=none : uninitialised-read
//@ unwritten<int4> y=none block=32 : uninitialised-read
template <typename T>
__global__ void unwritten(int* x, int* y, int n) {
  T v = reinterpret_cast<T*>(y)[threadIdx.x];  //!
  reinterpret_cast<T*>(x)[threadIdx.x] = v;  //!
}

//@ accumulates y=none : uninitialised-read
__global__ void accumulates(int* x, int* y, int n) {
  y[threadIdx.x] += x[threadIdx.x];  //!
}

//@ counts_from_nothing y=none : uninitialised-read
__global__ void counts_from_nothing(int* x, int* y, int n) {
  atomicAdd(&y[0], x[threadIdx.x]);  //!
}

//@ half_written y=none block=64 : uninitialised-read
__global__ void half_written(int* x, int* y, int n) {
  if (threadIdx.x < 32) y[threadIdx.x] = 1;
  __syncthreads();
  x[threadIdx.x] = y[threadIdx.x];  //!
}

//@ wrong_order y=none block=64 : uninitialised-read
__global__ void wrong_order(int* x, int* y, int n) {
  int before = y[threadIdx.x];  //!
  y[threadIdx.x] = x[threadIdx.x];
  x[threadIdx.x] = before;
}

//@ one_byte_short y=none block=32 : uninitialised-read
__global__ void one_byte_short(int* x, int* y, int n) {
  char* bytes = reinterpret_cast<char*>(y + threadIdx.x);
  for (int i = 0; i < 3; ++i) bytes[i] = 1;
  x[threadIdx.x] = *static_cast<volatile int*>(y + threadIdx.x);  //!
}

//@ shared_accumulator block=64 : uninitialised-read
__global__ void shared_accumulator(int* x, int* y, int n) {
  __shared__ int sum;
  atomicAdd(&sum, x[threadIdx.x]);  //!
  __syncthreads();
  if (threadIdx.x == 0) y[0] = sum;
}

//@ shared_histogram block=64 : uninitialised-read
__global__ void shared_histogram(int* x, int* y, int n) {
  __shared__ int bins[128];
  if (threadIdx.x < 32) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[x[threadIdx.x] % 128], 1);  //!
  __syncthreads();
  y[threadIdx.x] = bins[threadIdx.x];  //!
}

//@ shared_halo block=32 : uninitialised-read
__global__ void shared_halo(int* x, int* y, int n) {
  __shared__ int s[34];
  s[threadIdx.x + 1] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = s[threadIdx.x] +  //!
                   s[threadIdx.x + 1] +
                   s[threadIdx.x + 2];  //!
}

//@ shared_never<float> block=32 : uninitialised-read
//@ shared_never<double> block=32 : uninitialised-read
//@ shared_never<char> block=32 : uninitialised-read
template <typename T>
__global__ void shared_never(int* x, int* y, int n) {
  __shared__ T s[64];
  if (n < 0) s[threadIdx.x] = T(1);
  y[threadIdx.x] = static_cast<int>(s[threadIdx.x]);  //!
}

//@ dynamic_never block=32 shared=256 : uninitialised-read
__global__ void dynamic_never(int* x, int* y, int n) {
  extern __shared__ int d[];
  d[threadIdx.x] = 1;
  __syncthreads();
  y[threadIdx.x] = d[threadIdx.x + 32];  //!
}

//@ dynamic_second_array block=32 shared=512 : uninitialised-read
__global__ void dynamic_second_array(int* x, int* y, int n) {
  extern __shared__ int d[];
  float* second = reinterpret_cast<float*>(d + 32);
  d[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = d[31 - threadIdx.x] + static_cast<int>(second[threadIdx.x]);  //!
}

//@ reduction_too_wide block=48 : uninitialised-read
__global__ void reduction_too_wide(int* x, int* y, int n) {
  __shared__ int s[64];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  for (int k = 32; k; k >>= 1) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];  //!
    __syncthreads();
  }
  if (threadIdx.x == 0) y[0] = s[0];
}

//@ padded_tile block=32 : uninitialised-read
__global__ void padded_tile(int* x, int* y, int n) {
  __shared__ int t[8][33];
  for (int k = 0; k < 8; ++k) t[k][threadIdx.x] = x[k * 32 + threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = (&t[0][0])[threadIdx.x + 8];  //!
}

//@ local_never block=32 : uninitialised-read
__global__ void local_never(int* x, int* y, int n) {
  int a[16];
  a[x[threadIdx.x] & 7] = 1;
  y[threadIdx.x] = a[(x[threadIdx.x] + 3) & 15];  //!
}

//@ local_stack block=32 : uninitialised-read
__global__ void local_stack(int* x, int* y, int n) {
  int stack[8], top = 0;
  for (int i = 0; i < (x[threadIdx.x] & 3); ++i) stack[top++] = i;
  y[threadIdx.x] = stack[top];  //!
}

//@ local_wide block=32 : uninitialised-read
__global__ void local_wide(int* x, int* y, int n) {
  double a[6];
  for (int i = 0; i < 5; ++i) a[(x[i] + n) % 5] = i;
  y[threadIdx.x] = static_cast<int>(a[x[threadIdx.x] % 6]);  //!
}
