// An assembler's jump to a call, arguments and all.
#pragma once

#if defined(__x86_64__)
#define WL_GO_TO(name) "jmp " name "@PLT"
#else
#define WL_GO_TO(name) "b " name
#endif
