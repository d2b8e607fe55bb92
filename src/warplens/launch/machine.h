// A place where launches run: the emulator, or a GPU.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "warplens/base/status.h"
#include "warplens/launch/description.h"
#include "warplens/launch/source.h"
#include "warplens/report/builders/machine_report.h"
#include "warplens/simt/launch.h"

namespace warplens::launch {

/// The outcome of one launch.
struct Outcome {
  std::string kernel;  // mangled name
  LaunchSpec spec;
  simt::Launch config;  // as the emulator ran it; the default on a GPU
  std::optional<simt::LaunchResult> emulated;
  std::optional<report::KernelReport> counted;  // of an emulated launch that ended well
  double gpu_ns = 0;                            // on a GPU, the median
  std::vector<double> gpu_samples_ns;
};

class Machine {
 public:
  virtual ~Machine() = default;
  /// Buffers get the numbers 0, 1, ... in this order.
  virtual Status add_buffer(const BufferSpec& buffer, std::span<const uint8_t> contents) = 0;
  virtual Status write_symbol(const std::string& name, std::span<const uint8_t> contents) = 0;
  virtual Result<std::vector<uint8_t>> read_buffer(size_t number) = 0;
  virtual Result<std::vector<uint8_t>> read_symbol(const std::string& name) = 0;
  /// Runs to the end. A fault of the kernel in the emulator is in the outcome; on a GPU it is an error.
  virtual Result<Outcome> launch(const LaunchSpec& spec, const std::string& kernel) = 0;
};

struct EmulationOptions {
  uint8_t checks = 0;  // simt::Check bits
  simt::Schedule schedule;
  double timeout_s = 0;
  uint64_t instruction_limit = 0;
  uint32_t threads = 0;
  bool deterministic = true;
  bool count = false;                                         // counters, time, findings: Outcome::counted
  report::LineChoice watch;                                   // the line whose costliest accesses are kept
  bool instructions = false;                                  // keep counts an instruction
  double count_timeout_s = 0;                                 // of running machine code to count it; 0: none
  std::function<report::Peaks(const gpu::Device&)> peaks_of;  // measured ceilings of a device
  const gpu::Device* device = nullptr;  // the GPU of the estimated time; nullptr: the best known of the architecture
  const std::atomic<bool>* cancel = nullptr;
  std::function<void(const simt::Progress&)> progress;
  std::function<void(std::string_view)> print;
};

/// The architecture to compile for, if times are those of `device`: "sm_80"; empty: there is no device, or compilers no
/// longer know its architecture.
std::string code_architecture(const gpu::Device* device);

/// `source` must outlive the machine. A cubin runs as machine code alone.
Result<std::unique_ptr<Machine>> emulated_machine(const Source& source, const EmulationOptions& options);

struct GpuOptions {
  int runs = 10;  // timed repetitions of each launch, each from the same buffer contents
};

/// `source` must outlive the machine.
Result<std::unique_ptr<Machine>> gpu_machine(const Source& source, const GpuOptions& options);

}  // namespace warplens::launch
