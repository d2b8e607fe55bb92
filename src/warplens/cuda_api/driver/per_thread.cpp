// What programs built with CUDA_API_PER_THREAD_DEFAULT_STREAM call instead: the same (../calls/per_thread.cpp).
#include "warplens/cuda_api/go_to.h"

#define CALL(name, suffix) \
  asm(".text\n.globl " #name #suffix "\n.type " #name #suffix ", %function\n" #name #suffix ":\n" WL_GO_TO(#name) "\n");
#include "warplens/cuda_api/driver/per_thread.def"
