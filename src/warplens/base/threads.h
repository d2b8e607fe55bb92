// Work spread over the cores.
#pragma once
#include <cstddef>
#include <functional>

namespace warplens {

/// Threads to use: WARPLENS_THREADS when set and positive, else the CPUs this process may run on.
size_t default_threads();

/// Calls `body(i)` for every i in [0, count). At most `threads` threads, the caller's among them, take one item at a
/// time. An exception of `body` is thrown again here once the other threads have stopped.
void parallel_for(size_t count, size_t threads, const std::function<void(size_t)>& body);

}  // namespace warplens
