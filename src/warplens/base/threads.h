// Work spread over the cores.
#pragma once
#include <cstddef>
#include <functional>

namespace warplens {

/// Threads to use: WARPLENS_THREADS when set and positive, else the CPUs this process may run on.
size_t default_threads();

/// Calls `body(i)` for every i in [0, count), items handed out one by one to at most `threads` threads (the caller's
/// among them). What `body` throws is thrown again here when the others have stopped.
void parallel_for(size_t count, size_t threads, const std::function<void(size_t)>& body);

}  // namespace warplens
