// PyTorch's operators from an observer of its own kind (at::RecordFunction), which sees them in every thread and costs
// a quarter of what NVTX ranges of them do: no text is printed and none is parsed.
#pragma once
#include <string_view>

namespace warplens::collect {

/// Puts the observer into the PyTorch of this process. It first learns where that PyTorch keeps sequence numbers, from
/// operators that the caller runs next. False: this PyTorch lacks what is needed.
bool begin_torch(bool shapes);

/// Ends learning; from here on operators are recorded. False when nothing was seen, and then nothing will be.
bool finish_torch();

/// Takes the observers out; they may be put in again.
void end_torch();

/// The innermost operator that this thread is in; empty outside of any, and where nothing is observed.
std::string_view current_operator();

}  // namespace warplens::collect
