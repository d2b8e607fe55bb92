// cuSOLVER's handle, and the shared part of its calls.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "warplens/base/text.h"
#include "warplens/cuda_api/visible.h"
#include "warplens/libraries/math/lapack.h"
#include "warplens/libraries/queue/objects.h"
#include "warplens/libraries/queue/queue.h"

namespace warplens::libraries {

/// As cusolverStatus_t numbers them.
enum SolverStatus : int {
  kSolverSuccess = 0,
  kSolverNotInitialized = 1,
  kSolverAllocFailed = 2,
  kSolverInvalidValue = 3,
  kSolverExecutionFailed = 6,
  kSolverNotSupported = 9,
};

using Solver =
    Objects<{.missing = kSolverNotInitialized, .invalid = kSolverInvalidValue, .no_memory = kSolverAllocFailed}>;

struct SolverHandle {
  void* stream = nullptr;
};

/// LAPACK's letters of cublasFillMode_t, cublasOperation_t, cublasSideMode_t and cusolverEigMode_t; 0: there is none.
inline char fill_letter(int mode) { return mode == 0 ? 'L' : mode == 1 ? 'U' : '\0'; }
inline char operation_letter(int operation) { return operation >= 0 && operation < 3 ? "NTC"[operation] : '\0'; }
inline char side_letter(int side) { return side == 0 ? 'L' : side == 1 ? 'R' : '\0'; }
inline char vectors_letter(int mode) { return mode == 0 ? 'N' : mode == 1 ? 'V' : '\0'; }

/// One call: its name in reports, its arithmetic, the memory that it reads and writes, and the work itself.
struct SolverCall {
  const char* operation;
  Number number;
  std::vector<int64_t> sizes;  // as the name shows them
  int64_t batches = 1;
  double flops = 0;
  std::function<std::vector<TouchedMemory>()> touches;
  std::function<Status()> run;
};

/// `valid` false: an argument that cuSOLVER refuses.
inline int queue_solver(const SolverHandle* handle, bool valid, SolverCall call) {
  if (handle == nullptr) return kSolverNotInitialized;
  if (!valid) return kSolverInvalidValue;
  if (call.batches == 0) return kSolverSuccess;
  std::vector<std::string> sizes;
  for (const int64_t size : call.sizes) sizes.push_back(std::to_string(size));
  std::string text = fmt::format("{} {} {}", call.operation, name(call.number), join(sizes, "x"));
  if (call.batches > 1) text += fmt::format(" batch {}", call.batches);
  double elements = static_cast<double>(call.batches);
  for (const int64_t size : call.sizes) elements *= static_cast<double>(size);
  const double bytes = 2 * size_bytes(call.number) * elements;
  const int error = queue(handle->stream, {.name = std::move(text),
                                           .time = streaming_time(bytes, call.flops, *device()),
                                           .touches = std::move(call.touches),
                                           .run = std::move(call.run)});
  return error == 0 ? kSolverSuccess : kSolverExecutionFailed;
}

}  // namespace warplens::libraries
