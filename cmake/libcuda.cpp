// libcuda.so.1: the driver's calls are in libcudart.so.13, which it brings along. Here is what must not carry that
// library's version, the ways to end a process that run no destructors, and what must run before all constructors.
#include <sys/syscall.h>
#include <unistd.h>

extern "C" {
void __cudaWarplensEnds();
void __cudaWarplensTakeOver();

__attribute__((visibility("default"))) void _exit(int code) {
  __cudaWarplensEnds();
  for (;;) ::syscall(SYS_exit_group, code);
}
__attribute__((visibility("default"))) void _Exit(int code) { _exit(code); }
}

namespace {

/// This library is linked with -z initfirst: even the C library's constructor has not run yet.
__attribute__((constructor)) void before_all_others() { __cudaWarplensTakeOver(); }

}  // namespace
