// Observes PyTorch's operators through its own interface (at::RecordFunction). The observer sees them in every thread
// and costs a quarter of NVTX ranges, because no text is printed or parsed.
#pragma once
#include <string_view>

namespace warplens::collect {

/// Puts the observer into this process's PyTorch. It first learns where that PyTorch keeps sequence numbers, from
/// operators that the caller runs next. False: this PyTorch lacks a required function.
bool begin_torch(bool shapes);

/// Ends learning; from now on, operators are recorded. False if learning saw nothing, and then nothing is recorded.
bool finish_torch();

/// Takes the observers out; they may be put in again.
void end_torch();

/// The innermost operator of this thread; empty outside of operators and without an observer.
std::string_view current_operator();

}  // namespace warplens::collect
