// Copies of other threads' registers and stacks. A thread that waits in a system call is read where it lies; one that
// runs is sent a signal, and copies its own stack in the handler. SIGURG is nobody's else: the default is to ignore it,
// C libraries do not use it, and where the program handles it itself none is sent.
#pragma once
#include <cstdint>

#include "warplens/collect/stacks/host_state.h"
#include "warplens/collect/stacks/unwind.h"

namespace warplens::collect {

/// To be called once, before the first copy.
void prepare_thread_copies();

/// Of the thread with this id of the system's, which was seen in that state just now. Its stack is empty where it
/// cannot be had: the state is not known, it runs and `may_signal` is false, or it did not answer within a millisecond.
/// One caller at a time.
void copy_thread(uint32_t thread, const ThreadNow& now, bool may_signal, ThreadCopy* out);

}  // namespace warplens::collect
