// Calls that are the same in CUDA 12: each name goes on to libcudart.so.13's. Weak, so that changed_calls.cpp's own
// win.
#include "warplens/cuda_api/go_to.h"

// The second name's reference is to the other library's version of it; the first is this library's.
#define RENAMED(name, name13)             \
  asm(".symver " #name "_in_13, " #name13 \
      "@libcudart.so.13\n"                \
      ".text\n.weak " #name "\n.type " #name ", %function\n" #name ":\n" WL_GO_TO(#name "_in_13") "\n");
#define SAME(name) RENAMED(name, name)
#include "cudart13_names.def"  // made from libcudart.so.13 when it is built
#include "warplens/cudart12/renamed.def"
