// The code that a user hands over to be measured.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "warplens/base/status.h"

namespace warplens::bench {

/// One output after a call, with its expected value. The reference is computed in float64 from the inputs of the last
/// prepare(). An output without a reference is only searched for NaN, infinities, unwritten places and constants.
struct Output {
  std::string name;
  std::vector<double> values;
  std::optional<std::vector<double>> reference;
  double tolerance = 1e-5;          // of the norm of the difference over the norm of the reference
  size_t of = 0;                    // elements of the whole, where these are a sample of it; 0: they are all
  std::vector<size_t> places = {};  // of the sample's elements in the whole
  std::vector<double> poison = {};  // the value that poison() wrote, if known: places that still hold it are reported
};

/// A call with its inputs and outputs. `run` is the only member that must be there.
struct Work {
  /// One call. GPU work is enqueued on `stream` (a CUstream, the same as a cudaStream_t) and on no other; CPU work
  /// ignores it.
  std::function<Status(void* stream)> run;
  /// New inputs, other than those of any other seed.
  std::function<Status(uint64_t seed)> prepare;
  /// Overwrites the outputs, so that results of an earlier call cannot pass for this one's.
  std::function<Status(uint64_t seed)> poison;
  /// Reads the outputs. For GPU work, waits for `stream` alone.
  std::function<Result<std::vector<Output>>(void* stream)> outputs;
  double bytes = 0, flops = 0;  // that one call has to move and to compute; 0: not stated
  int64_t memory_bytes = 0;     // that its buffers take
};

}  // namespace warplens::bench
