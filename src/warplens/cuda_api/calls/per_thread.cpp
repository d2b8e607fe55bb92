// What nvcc --default-stream per-thread calls instead: the same, since each thread's default stream is the one that all
// others wait for here, which is one of the orders that CUDA allows.
#include "warplens/cuda_api/go_to.h"

#define CALL(name, suffix) \
  asm(".text\n.globl " #name #suffix "\n.type " #name #suffix ", %function\n" #name #suffix ":\n" WL_GO_TO(#name) "\n");
#include "warplens/cuda_api/per_thread.def"
