// Copies of other threads' registers and stacks. A thread that waits in a system call is read from outside. A running
// thread gets kStackSignal, and copies its own stack in the handler. If the program handles it, none is sent.
#pragma once
#include <cstdint>

#include "warplens/collect/stacks/host_state.h"
#include "warplens/collect/stacks/unwind.h"

namespace warplens::collect {

/// To be called once, before the first copy.
void prepare_thread_copies();

/// A copy of the thread with this system id, which was just seen in that state. Its stack is empty if the state is
/// unknown, if it runs and `may_signal` is false, or if it did not answer within a millisecond. One caller at a
/// time.
void copy_thread(uint32_t thread, const ThreadNow& now, bool may_signal, ThreadCopy* out);

}  // namespace warplens::collect
