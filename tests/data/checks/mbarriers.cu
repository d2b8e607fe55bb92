// Planted defects: mbarriers that are not initialised, get too many arrivals, or wait for what never comes.
#include "async.h"

#define BARRIER __shared__ __align__(8) unsigned long long bar

//@ arrive_uninitialised : mbarrier-misuse
__global__ void arrive_uninitialised(int* x, int* y, int n) {
  BARRIER;
  BARRIER_ARRIVE(&bar);  //!
  y[threadIdx.x] = 1;
}

//@ wait_uninitialised : mbarrier-misuse
__global__ void wait_uninitialised(int* x, int* y, int n) {
  BARRIER;
  BARRIER_WAIT(&bar, 0);  //!
  y[threadIdx.x] = 1;
}

//@ expect_uninitialised : mbarrier-misuse
__global__ void expect_uninitialised(int* x, int* y, int n) {
  BARRIER;
  if (threadIdx.x == 0) EXPECT_BYTES(&bar, 128);  //!
}

//@ copy_to_uninitialised : mbarrier-misuse
__global__ void copy_to_uninitialised(int* x, int* y, int n) {
  BARRIER;
  __shared__ __align__(16) int s[32];
  if (threadIdx.x == 0) BULK_LOAD(s, x, 128, &bar);  //!
}

//@ invalidated_too_early : mbarrier-misuse
__global__ void invalidated_too_early(int* x, int* y, int n) {
  BARRIER;
  if (threadIdx.x == 0) {
    BARRIER_INIT(&bar, 32);
    BARRIER_INVALIDATE(&bar);
  }
  __syncwarp();
  BARRIER_ARRIVE(&bar);  //!
}

//@ invalidated_twice : mbarrier-misuse
__global__ void invalidated_twice(int* x, int* y, int n) {
  BARRIER;
  if (threadIdx.x == 0) {
    BARRIER_INIT(&bar, 1);
    BARRIER_INVALIDATE(&bar);
    BARRIER_INVALIDATE(&bar);  //!
  }
}

//@ initialised_for_none : mbarrier-misuse
__global__ void initialised_for_none(int* x, int* y, int n) {
  BARRIER;
  if (threadIdx.x == 0) BARRIER_INIT(&bar, n - 256);  //!
}

//@ initialised_for_a_million : mbarrier-misuse
__global__ void initialised_for_a_million(int* x, int* y, int n) {
  BARRIER;
  if (threadIdx.x == 0) BARRIER_INIT(&bar, n << 12);  //!
}

//@ other_barrier_of_an_array block=64 : mbarrier-misuse
__global__ void other_barrier_of_an_array(int* x, int* y, int n) {
  __shared__ __align__(8) unsigned long long bars[2];
  if (threadIdx.x == 0) BARRIER_INIT(&bars[0], 64);
  __syncthreads();
  BARRIER_ARRIVE(&bars[1]);  //!
}

//@ too_many_at_once : mbarrier-misuse
__global__ void too_many_at_once(int* x, int* y, int n) {
  BARRIER;
  if (threadIdx.x == 0) {
    BARRIER_INIT(&bar, 4);
    BARRIER_ARRIVE_COUNT(&bar, 5);  //!
  }
}

//@ too_many_in_a_phase : mbarrier-misuse
__global__ void too_many_in_a_phase(int* x, int* y, int n) {
  BARRIER;
  if (threadIdx.x == 0) {
    BARRIER_INIT(&bar, 8);
    BARRIER_ARRIVE_COUNT(&bar, 6);
    BARRIER_ARRIVE_COUNT(&bar, 6);  //!
  }
}

//@ arrivals_while_bytes_are_missing block=64 : mbarrier-misuse
__global__ void arrivals_while_bytes_are_missing(int* x, int* y, int n) {
  BARRIER;
  if (threadIdx.x == 0) {
    BARRIER_INIT(&bar, 1);
    EXPECT_BYTES(&bar, 64);
    BARRIER_ARRIVE(&bar);  //!
  }
}

//@ too_many_bytes : mbarrier-misuse
__global__ void too_many_bytes(int* x, int* y, int n) {
  BARRIER;
  if (threadIdx.x == 0) {
    BARRIER_INIT(&bar, 2);
    EXPECT_BYTES(&bar, 1048576);  //!
  }
}

//@ one_arrival_short stops : mbarrier-misuse
__global__ void one_arrival_short(int* x, int* y, int n) {
  BARRIER;
  if (threadIdx.x == 0) BARRIER_INIT(&bar, 33);
  __syncwarp();
  BARRIER_ARRIVE(&bar);
  BARRIER_WAIT(&bar, 0);  //!
  y[threadIdx.x] = 1;
}

//@ initialised_for_warps block=128 stops : mbarrier-misuse
__global__ void initialised_for_warps(int* x, int* y, int n) {
  BARRIER;
  if (threadIdx.x == 0) BARRIER_INIT(&bar, 128);
  __syncthreads();
  if (threadIdx.x % 32 == 0) BARRIER_ARRIVE(&bar);
  BARRIER_WAIT(&bar, 0);  //!
}

//@ more_bytes_expected_than_copied stops : mbarrier-misuse
__global__ void more_bytes_expected_than_copied(int* x, int* y, int n) {
  BARRIER;
  __shared__ __align__(16) int s[64];
  if (threadIdx.x == 0) {
    BARRIER_INIT(&bar, 1);
    EXPECT_BYTES(&bar, 256);
    BULK_LOAD(s, x, 128, &bar);
  }
  __syncwarp();
  BARRIER_WAIT(&bar, 0);  //!
  y[threadIdx.x] = s[threadIdx.x];
}

//@ fewer_bytes_expected_than_copied stops : mbarrier-misuse
__global__ void fewer_bytes_expected_than_copied(int* x, int* y, int n) {
  BARRIER;
  __shared__ __align__(16) int s[64];
  if (threadIdx.x == 0) {
    BARRIER_INIT(&bar, 1);
    EXPECT_BYTES(&bar, 128);
    BULK_LOAD(s, x, 256, &bar);
  }
  __syncwarp();
  BARRIER_WAIT(&bar, 0);  //!
  y[threadIdx.x] = s[threadIdx.x];
}

//@ bytes_never_expected stops : mbarrier-misuse
__global__ void bytes_never_expected(int* x, int* y, int n) {
  BARRIER;
  __shared__ __align__(16) int s[64];
  if (threadIdx.x == 0) {
    BARRIER_INIT(&bar, 1);
    BULK_LOAD(s, x, 256, &bar);
    BARRIER_ARRIVE(&bar);
  }
  __syncwarp();
  BARRIER_WAIT(&bar, 0);  //!
  y[threadIdx.x] = s[threadIdx.x];
}

//@ phase_not_flipped stops : mbarrier-misuse
__global__ void phase_not_flipped(int* x, int* y, int n) {
  BARRIER;
  if (threadIdx.x == 0) BARRIER_INIT(&bar, 32);
  __syncwarp();
  for (int k = 0; k < 3; ++k) {
    BARRIER_ARRIVE(&bar);
    BARRIER_WAIT(&bar, 0);  //!
  }
}

//@ empty_never_signalled block=64 stops : mbarrier-misuse
__global__ void empty_never_signalled(int* x, int* y, int n) {
  __shared__ __align__(8) unsigned long long full, empty;
  __shared__ int s[32];
  if (threadIdx.x == 0) {
    BARRIER_INIT(&full, 32);
    BARRIER_INIT(&empty, 32);
  }
  __syncthreads();
  int lane = threadIdx.x % 32;
  for (int k = 0; k < 2; ++k) {
    if (threadIdx.x < 32) {
      BARRIER_WAIT(&empty, (k & 1) ^ 1);  //!
      s[lane] = x[k * 32 + lane];
      BARRIER_ARRIVE(&full);
    } else {
      BARRIER_WAIT(&full, k & 1);  //!
      y[k * 32 + lane] = s[31 - lane];
    }
  }
}

//@ dropped_and_still_counted block=64 : mbarrier-misuse
__global__ void dropped_and_still_counted(int* x, int* y, int n) {
  BARRIER;
  if (threadIdx.x == 0) {
    BARRIER_INIT(&bar, 2);
    BARRIER_DROP(&bar);
    BARRIER_ARRIVE(&bar);
    BARRIER_ARRIVE_COUNT(&bar, 2);  //!
  }
}
