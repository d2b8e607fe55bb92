// Threads that ask Python for its lock when it has ended. Before 3.14, Python ends such a thread by pthread_exit, which
// unwinds through PyTorch's destructors and so ends the program ("terminate called without an active exception").
// Since 3.14 such threads wait for the end of the process (github.com/python/cpython/issues/87135), and so they do
// here: on few processors, PyTorch's autograd threads often come late.
#include <dlfcn.h>
#include <unistd.h>

#include "warplens/cuda_api/visible.h"

namespace warplens::cuda_api {
namespace {

bool python_has_ended() {
  void* found = ::dlsym(RTLD_DEFAULT, "Py_IsFinalizing");                   // 3.13
  if (found == nullptr) found = ::dlsym(RTLD_DEFAULT, "_Py_IsFinalizing");  // before
  return found != nullptr && reinterpret_cast<int (*)()>(found)() != 0;
}

}  // namespace
}  // namespace warplens::cuda_api

/// Called where a thread calls pthread_exit; does not return where Python has ended.
CUDA_API void __cudaWarplensThreadEnds() {
  while (::gettid() != ::getpid() && warplens::cuda_api::python_has_ended()) ::pause();
}
