// Calls of the driver that are the runtime's under another name: arguments and structures are the same. The driver's
// kernel nodes and fills have fields more behind those of the runtime, which say what is known here anyway.
#include "warplens/cuda_api/go_to.h"

#define SAME(driver, runtime) \
  asm(".text\n.globl " #driver "\n.type " #driver ", %function\n" #driver ":\n" WL_GO_TO(#runtime) "\n");
#include "warplens/cuda_api/driver/same.def"
