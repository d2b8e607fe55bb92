// Calls between ncclGroupStart and ncclGroupEnd, which happen together.
#pragma once
#include <functional>
#include <vector>

#include "warplens/libraries/nccl/communicator.h"

namespace warplens::libraries {

/// As ncclResult_t numbers them.
enum class Outcome : int {
  kSuccess,
  kCudaError,
  kSystemError,
  kInternalError,
  kInvalidArgument,
  kInvalidUsage,
  kRemoteError
};

inline int number_of(Outcome outcome) { return static_cast<int>(outcome); }

/// Adds a call to the group of this thread, or runs it at once without a group.
Outcome add(Communicator* communicator, const Operation& operation, void* stream);
/// The same for something that waits for other ranks.
Outcome add(std::function<Outcome()> waiting);

void begin_group();
Outcome end_group();

/// Reports an error, keeps it, and returns its result code.
Outcome failed(Communicator* communicator, const Status& status);

}  // namespace warplens::libraries
