/* What CUDA would do of a program that launches three kernels: load the injected library, then launch. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  void* injected = dlopen(getenv("CUDA_INJECTION64_PATH"), RTLD_NOW);
  void* cupti = dlopen(getenv("WARPLENS_TEST_CUPTI"), RTLD_NOW);
  if (!injected || !cupti) return fprintf(stderr, "%s\n", dlerror()), 3;
  ((int (*)(void))dlsym(injected, "InitializeInjection"))();
  for (int k = 0; k < 3; ++k) ((void (*)(void))dlsym(cupti, "fake_launch"))();
  puts("results of the program");
  return 7;
}
