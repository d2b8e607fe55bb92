// A whole description run: sources loaded, buffers filled, launches made, results saved and compared.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "warplens/base/status.h"
#include "warplens/launch/compare.h"
#include "warplens/launch/description.h"
#include "warplens/launch/machine.h"
#include "warplens/launch/source.h"

namespace warplens::launch {

struct RunOptions {
  bool emulate = false, gpu = false;  // at least one; with both, outputs are compared
  EmulationOptions emulation;
  GpuOptions gpu_options;
  bool overwrite = false;                                              // files of `save`
  double rtol = 1e-5, atol = 1e-6;                                     // of the comparison between GPU and emulator
  std::function<void(size_t launch, const Source& source)> on_launch;  // before each, for progress
};

/// The contents of a buffer after the last launch.
struct BufferSummary {
  BufferSpec spec;
  Summary summary;
  bool argument = false;  // passed to a launch
};

struct RunResult {
  Source source;
  std::vector<Outcome> outcomes;       // one a launch that was made; a fault ends the list
  std::vector<BufferSummary> buffers;  // of the emulator, or of the GPU if only that ran
  std::vector<Comparison> comparisons;
  std::vector<std::string> saved;  // files written
  std::string gpu_name;
  uint8_t checks = 0;  // simt::Check bits that were watched
  /// No fault, no defect, and every comparison passes.
  bool ok() const;
};

Result<RunResult> run(Description description, const RunOptions& options);

}  // namespace warplens::launch
