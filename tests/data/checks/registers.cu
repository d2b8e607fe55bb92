// Planted defects: registers that wgmma still works on. //! marks wgmma and what comes too early.
#include "async.h"

// Tiles of A (2,048 bytes) and B (256), and their descriptors.
#define TILES()                                                          \
  __shared__ __align__(128) int tile[576];                               \
  for (int i = threadIdx.x; i < 576; i += 128) tile[i] = 0;              \
  FENCE_PROXY();                                                         \
  __syncthreads();                                                       \
  const unsigned long long a = DESCRIPTOR(tile), b = DESCRIPTOR(tile + 512); \
  float d[4] = {1, 2, 3, 4}

//@ read_without_commit block=128 : register-in-use
__global__ void read_without_commit(int* x, int* y, int n) {
  TILES();
  WGMMA_FENCE();
  WGMMA(d, a, b);  //!
  y[threadIdx.x] = d[0];  //!
  WGMMA_COMMIT();
  WGMMA_WAIT(0);
}

//@ read_without_wait<0> block=128 : register-in-use
//@ read_without_wait<3> block=128 : register-in-use
template <int kElement>
__global__ void read_without_wait(int* x, int* y, int n) {
  TILES();
  WGMMA_FENCE();
  WGMMA(d, a, b);  //!
  WGMMA_COMMIT();
  y[threadIdx.x] = d[kElement];  //!
  WGMMA_WAIT(0);
}

//@ never_waited block=128 : register-in-use
__global__ void never_waited(int* x, int* y, int n) {
  TILES();
  WGMMA_FENCE();
  WGMMA(d, a, b);  //!
  WGMMA_COMMIT();
  y[threadIdx.x] = d[1];  //!
}

//@ waits_for_one_too_few block=128 : register-in-use
__global__ void waits_for_one_too_few(int* x, int* y, int n) {
  TILES();
  float e[4] = {};
  WGMMA_FENCE();
  WGMMA(d, a, b);
  WGMMA_COMMIT();
  WGMMA(e, a, b);  //!
  WGMMA_COMMIT();
  WGMMA_WAIT(1);
  y[threadIdx.x] = d[0];
  x[threadIdx.x] = e[0];  //!
  WGMMA_WAIT(0);
}

//@ not_committed block=128 : register-in-use
__global__ void not_committed(int* x, int* y, int n) {
  TILES();
  WGMMA_FENCE();
  WGMMA(d, a, b);  //!
  WGMMA_WAIT(0);
  y[threadIdx.x] = d[2];  //!
}

//@ exchanged_early block=128 : register-in-use
__global__ void exchanged_early(int* x, int* y, int n) {
  TILES();
  WGMMA_FENCE();
  WGMMA(d, a, b);  //!
  WGMMA_COMMIT();
  float other = __shfl_xor_sync(0xffffffff, d[0], 1);  //!
  WGMMA_WAIT(0);
  y[threadIdx.x] = other;
}

//@ one_warp_reads_early<0> block=128 : register-in-use
//@ one_warp_reads_early<3> block=128 : register-in-use
template <int kWarp>
__global__ void one_warp_reads_early(int* x, int* y, int n) {
  TILES();
  WGMMA_FENCE();
  WGMMA(d, a, b);  //!
  WGMMA_COMMIT();
  if (threadIdx.x / 32 == kWarp) y[threadIdx.x] = d[0];  //!
  WGMMA_WAIT(0);
}

//@ loop_reads_early<1> block=128 n=512 : register-in-use
//@ loop_reads_early<2> block=128 n=512 : register-in-use
template <int kPending>
__global__ void loop_reads_early(int* x, int* y, int n) {
  TILES();
  for (int k = 0; k < 4; ++k) {
    WGMMA_FENCE();
    WGMMA(d, a, b);  //!
    WGMMA_COMMIT();
    WGMMA_WAIT(kPending);
    y[threadIdx.x + k * 128] = d[k % 2];  //!
  }
  WGMMA_WAIT(0);
}

//@ sum_feeds_the_next block=128 : register-in-use
__global__ void sum_feeds_the_next(int* x, int* y, int n) {
  TILES();
  int s[4] = {x[0], x[1], x[2], x[3]};
  float e[4] = {};
  WGMMA_FENCE();
  WGMMA(d, a, b);  //!
  WGMMA_COMMIT();
  for (int i = 0; i < 4; ++i) s[i] = __float_as_int(d[i] + 1);  //!
  WGMMA_FENCE();
  WGMMA_REGISTERS(e, s, b);
  WGMMA_COMMIT();
  WGMMA_WAIT(0);
  y[threadIdx.x] = e[0];
}

#define INSIDE(before, a_text, after)                                                                       \
  asm volatile("{\n.reg .f32 d<4>;\n.reg .b32 r<8>;\nmov.f32 d0, 0f3f800000; mov.f32 d1, d0; mov.f32 d2, d0;"  \
               "mov.f32 d3, d0; mov.u32 r0, 0; mov.u32 r1, r0; mov.u32 r2, r0; mov.u32 r3, r0;\n"            \
               "wgmma.fence.sync.aligned;\n" before WGMMA_TEXT "{d0,d1,d2,d3}, " a_text ", %1, 1, 1, 1, 0;\n" \
               "wgmma.commit_group.sync.aligned;\n" after "\nwgmma.wait_group.sync.aligned 0;\n"             \
               "st.global.f32 [%2], d0;\n}" ::"l"(a), "l"(b), "l"(y + threadIdx.x) : "memory")

//@ accumulator_touched<0> block=128 : register-in-use
//@ accumulator_touched<1> block=128 : register-in-use
//@ accumulator_touched<2> block=128 : register-in-use
//@ accumulator_touched<3> block=128 : register-in-use
//@ accumulator_touched<4> block=128 : register-in-use
template <int kCase>
__global__ void accumulator_touched(int* x, int* y, int n) {
  TILES();
  if (kCase == 0) INSIDE("", "{r0,r1,r2,r3}", "mov.f32 d0, 0f00000000;");  //!
  if (kCase == 1) INSIDE("", "{r0,r1,r2,r3}", "add.f32 d1, d1, d2;");  //!
  if (kCase == 2) INSIDE("", "{r0,r1,r2,r3}", "mov.b32 r5, d3; add.u32 r5, r5, 1;");  //!
  if (kCase == 3) INSIDE("", "{r0,r1,r2,r3}", "st.global.f32 [%2], d1;");  //!
  if (kCase == 4) INSIDE("", "{r0,r1,r2,r3}", "ld.global.f32 d2, [%2];");  //!
}

//@ matrix_touched<0> block=128 : register-in-use
//@ matrix_touched<1> block=128 : register-in-use
//@ matrix_touched<2> block=128 : register-in-use
//@ matrix_touched<3> block=128 : register-in-use
template <int kCase>
__global__ void matrix_touched(int* x, int* y, int n) {
  TILES();
  if (kCase == 0) INSIDE("", "{r0,r1,r2,r3}", "mov.u32 r1, 5;");  //!
  if (kCase == 1) INSIDE("", "{r0,r1,r2,r3}", "add.u32 r2, r2, 1;");  //!
  if (kCase == 2) INSIDE("", "{r0,r1,r2,r3}", "xor.b32 r6, r3, 1;");  //!
  if (kCase == 3) INSIDE("", "{r0,r1,r2,r3}", "ld.global.u32 r0, [%2];");  //!
}

//@ waited_for block=128 : clean
__global__ void waited_for(int* x, int* y, int n) {
  TILES();
  WGMMA_FENCE();
  WGMMA(d, a, b);
  WGMMA_COMMIT();
  WGMMA_WAIT(0);
  y[threadIdx.x] = d[0] + d[3];
}

//@ products_in_a_row block=128 : clean
__global__ void products_in_a_row(int* x, int* y, int n) {
  TILES();
  WGMMA_FENCE();
  for (int k = 0; k < 4; ++k) WGMMA(d, a, b);
  WGMMA_COMMIT();
  WGMMA(d, a, b);
  WGMMA_COMMIT();
  WGMMA_WAIT(0);
  y[threadIdx.x] = d[0];
}

//@ older_group_read block=128 : clean
__global__ void older_group_read(int* x, int* y, int n) {
  TILES();
  float e[4] = {};
  WGMMA_FENCE();
  WGMMA(d, a, b);
  WGMMA_COMMIT();
  WGMMA(e, a, b);
  WGMMA_COMMIT();
  WGMMA_WAIT(1);
  y[threadIdx.x] = d[0];
  WGMMA_WAIT(0);
  x[threadIdx.x] = e[0];
}

//@ registers_of_a_again block=128 : clean
__global__ void registers_of_a_again(int* x, int* y, int n) {
  TILES();
  int s[4] = {x[0], x[1], x[2], x[3]};
  for (int k = 0; k < 3; ++k) {
    WGMMA_FENCE();
    WGMMA_REGISTERS(d, s, b);
    WGMMA_REGISTERS(d, s, b);
    WGMMA_COMMIT();
    WGMMA_WAIT(0);
    for (int i = 0; i < 4; ++i) s[i] = s[i] + __float_as_int(d[i]) % 2;
  }
  y[threadIdx.x] = s[0];
}

//@ two_in_flight block=128 : clean
__global__ void two_in_flight(int* x, int* y, int n) {
  TILES();
  for (int k = 0; k < 4; ++k) {
    WGMMA_FENCE();
    WGMMA(d, a, b);
    WGMMA_COMMIT();
    WGMMA_WAIT(1);
  }
  WGMMA_WAIT(0);
  y[threadIdx.x] = d[0];
}
