// Names of calls from before they had a version.
#include "warplens/cuda_api/go_to.h"

#define OLD(name, now) asm(".text\n.globl " #name "\n.type " #name ", %function\n" #name ":\n" WL_GO_TO(#now) "\n");
#include "warplens/cuda_api/driver/old_names.def"
