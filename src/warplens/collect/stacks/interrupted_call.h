// Hides a signal that the program did not ask for. The kernel restarts most system calls that a signal interrupts. Some
// end with EINTR in any case (poll, nanosleep, timed waits, ...), and a write may end halfway. A handler fixes both
// before it returns.
#pragma once
#include <ucontext.h>

namespace warplens::collect {

/// Call this last in a handler, with the handler's context. A waiting call begins again, as the kernel does for others;
/// a write continues where it stopped. The call is identified by the code before it; if that code does not identify it,
/// nothing is done.
void resume_interrupted_call(ucontext_t* context);

}  // namespace warplens::collect
