// libcuda.so.1: the driver's calls are in libcudart.so.13, which it brings along. Here is what must not carry that
// library's version, the ways to end a process that run no destructors and to end a thread, and what must run before
// all constructors.
#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>

extern "C" {
void __cudaWarplensEnds();
void __cudaWarplensTakeOver();
void __cudaWarplensThreadEnds();

__attribute__((visibility("default"))) void _exit(int code) {
  __cudaWarplensEnds();
  for (;;) ::syscall(SYS_exit_group, code);
}
__attribute__((visibility("default"))) void _Exit(int code) { _exit(code); }

__attribute__((visibility("default"))) [[noreturn]] void pthread_exit(void* result) {
  __cudaWarplensThreadEnds();
  if (void* const next = ::dlsym(RTLD_NEXT, "pthread_exit")) reinterpret_cast<void (*)(void*)>(next)(result);
  std::abort();
}
}

namespace {

/// This library is linked with -z initfirst: even the C library's constructor has not run yet.
__attribute__((constructor)) void before_all_others() { __cudaWarplensTakeOver(); }

}  // namespace
