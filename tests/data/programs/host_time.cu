// Times between events, where the host works, waits or launches in between. Each line: what, in ms.
#include <ctime>
#include <cstdio>
__global__ void nothing() {}
__global__ void count_to(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}
void work(double ms) {
  timespec at;
  const auto now = [&] { return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at), at.tv_sec * 1e3 + at.tv_nsec * 1e-6; };
  const double end = now() + ms;
  while (now() < end) {
  }
}
template <typename F>
void time(const char* what, F between) {
  cudaEvent_t begin, end;
  cudaEventCreate(&begin), cudaEventCreate(&end);
  cudaEventRecord(begin);
  between();
  cudaEventRecord(end);
  cudaEventSynchronize(end);
  float ms = 0;
  cudaEventElapsedTime(&ms, begin, end);
  printf("%s %.4f\n", what, ms);
}
int main() {
  nothing<<<1, 32>>>();
  cudaDeviceSynchronize();
  time("nothing", [] {});
  time("work", [] { work(20); });
  time("kernel", [] { nothing<<<1, 32>>>(); });
  time("kernel again", [] { nothing<<<1, 32>>>(); });
  time("long kernel", [] { count_to<<<1, 1>>>(4000000); });
  time("work, then a long kernel", [] { work(20), count_to<<<1, 1>>>(4000000); });
  time("work beside a long kernel", [] { count_to<<<1, 1>>>(40000000), work(5); });
  time("kernels", [] {
    for (int i = 0; i < 100; ++i) nothing<<<1, 32>>>();
  });
}
