// Stores of every width in many patterns of addresses and lanes: which sectors does the hardware count for them?
// warplens counters --json -- ./store_sectors     on a GPU
// warplens counters --emulate --json -- ./store_sectors
// benchmarks/gpu/store_sectors.py compares the two.
#include <cstdint>
#include <cstdio>

enum Pattern { kUnit, kReverse, kTwo, kThree, kFive, kNine, kSwap, kPairs, kSame, kMixed, kHalf, kOdd, kShifted, kFar, kPatterns };

template <Pattern P>
__device__ int place(int lane) {
  switch (P) {
    case kReverse: return 31 - lane;
    case kTwo: return 2 * lane;
    case kThree: return 3 * lane;
    case kFive: return 5 * lane;
    case kNine: return 9 * lane;
    case kSwap: return lane ^ 9;
    case kPairs: return lane / 2;
    case kSame: return 0;
    case kMixed: return (lane * 13 + 7) % 32;
    case kShifted: return lane + 1;
    case kFar: return 67 * lane;
    default: return lane;
  }
}

template <typename T, Pattern P>
__global__ void stores(T* out, int turns) {
  const int lane = threadIdx.x % 32;
  T value{};
  reinterpret_cast<uint8_t*>(&value)[0] = static_cast<uint8_t>(threadIdx.x);
  T* const own = out + (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * size_t{2176};
  for (int turn = 0; turn < turns; ++turn) {
    if (P == kHalf && lane >= 16) continue;
    if (P == kOdd && lane % 2 == 0) continue;
    own[place<P>(lane) + (turn & 1)] = value;
  }
}

template <typename T, Pattern P>
void launch(void* memory) {
  stores<T, P><<<264, 128>>>(static_cast<T*>(memory), 16);
}

template <typename T>
void all(void* memory) {
  launch<T, kUnit>(memory);
  launch<T, kReverse>(memory);
  launch<T, kTwo>(memory);
  launch<T, kThree>(memory);
  launch<T, kFive>(memory);
  launch<T, kNine>(memory);
  launch<T, kSwap>(memory);
  launch<T, kPairs>(memory);
  launch<T, kSame>(memory);
  launch<T, kMixed>(memory);
  launch<T, kHalf>(memory);
  launch<T, kOdd>(memory);
  launch<T, kShifted>(memory);
  launch<T, kFar>(memory);
}

int main() {
  void* memory = nullptr;
  if (cudaMalloc(&memory, size_t{2200} * 264 * 4 * 16) != cudaSuccess) return 1;
  all<uint8_t>(memory);
  all<uint16_t>(memory);
  all<uint32_t>(memory);
  all<uint2>(memory);
  all<uint4>(memory);
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("%s\n", cudaGetErrorName(error));
  return error == cudaSuccess ? 0 : 1;
}
