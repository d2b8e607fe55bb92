// A signal that the program did not ask for may not be seen by it either. The kernel begins most system calls again
// that a signal interrupts; some end with EINTR whatever was asked for (poll, nanosleep, timed waits, ...), and a write
// may end halfway. A handler puts both right before it returns.
#pragma once
#include <ucontext.h>

namespace warplens::collect {

/// To be called last in a handler, with the context that it was given. A call that waits begins again, as the kernel
/// does for the others; a write goes on where it stopped. Which call it was is read from the code before it; where that
/// does not say it, nothing is done.
void resume_interrupted_call(ucontext_t* context);

}  // namespace warplens::collect
