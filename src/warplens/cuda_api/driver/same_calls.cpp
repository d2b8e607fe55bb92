// Calls of the driver that are the runtime's under another name: arguments and structures are the same. The driver's
// kernel nodes and fills have fields more behind those of the runtime, which say what is known here anyway.
#include "warplens/cuda_api/driver/driver.h"
#include "warplens/cuda_api/go_to.h"

using namespace warplens::cuda_api;

/// Before such a call: not 0 where the driver was not initialised, which is then its answer.
extern "C" int warplens_driver_enters() {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  {
    const DriverCall counted;
  }  // a runtime that was used before has initialised the driver
  if (!Driver::get().initialized) return kDriverNotInitialized;
  ++calls_of_thread().driver_depth;
  return kDriverSuccess;
}
/// Behind it: the driver's number for the runtime's answer.
extern "C" int warplens_driver_leaves(int error) {
  --calls_of_thread().driver_depth;
  return driver_result(error);
}

// Arguments that are not in registers, four at most, are handed on whether they are there or not.
#if defined(__x86_64__)
#define WL_DRIVER_CALL(driver, runtime)                              \
  "push %rbp\nmov %rsp, %rbp\n"                                      \
  "push %rdi\npush %rsi\npush %rdx\npush %rcx\npush %r8\npush %r9\n" \
  "call warplens_driver_enters@PLT\ntest %eax, %eax\njne 1f\n"       \
  "pop %r9\npop %r8\npop %rcx\npop %rdx\npop %rsi\npop %rdi\n"       \
  "push 40(%rbp)\npush 32(%rbp)\npush 24(%rbp)\npush 16(%rbp)\n"     \
  "call " runtime "@PLT\nmov %eax, %edi\ncall warplens_driver_leaves@PLT\n1: leave\nret\n"
#elif defined(__aarch64__)
#define WL_DRIVER_CALL(driver, runtime)                                                          \
  "stp x29, x30, [sp, #-80]!\nmov x29, sp\nstp x0, x1, [sp, #16]\nstp x2, x3, [sp, #32]\n"       \
  "stp x4, x5, [sp, #48]\nstp x6, x7, [sp, #64]\nbl warplens_driver_enters\ncbnz w0, 1f\n"       \
  "ldp x0, x1, [sp, #16]\nldp x2, x3, [sp, #32]\nldp x4, x5, [sp, #48]\nldp x6, x7, [sp, #64]\n" \
  "ldp x9, x10, [sp, #80]\nstp x9, x10, [sp, #-16]!\nbl " runtime                                \
  "\nbl warplens_driver_leaves\n1: mov sp, x29\nldp x29, x30, [sp], #80\nret\n"
#else
#error "calls of the driver are not written for this processor"
#endif

#define SAME(driver, runtime) \
  asm(".text\n.globl " #driver "\n.type " #driver ", %function\n" #driver ":\n" WL_DRIVER_CALL(#driver, #runtime));
#include "warplens/cuda_api/driver/same.def"
