// The file of counts: one JSON object a line, so that the counts before a crash can be read.
#pragma once
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/collect/counters/host.h"
#include "warplens/collect/counters/instruction_counter.h"
#include "warplens/collect/counters/launch.h"
#include "warplens/collect/counters/over_time.h"
#include "warplens/collect/counters/sampler.h"
#include "warplens/trace/stream/events.h"

namespace warplens::collect {

/// The outcome of a launch: values, or a time alone, or the reason for having neither.
struct Counted {
  std::vector<double> values;  // of the device's metrics, in their order
  uint64_t ns = 0;
  std::string skipped;
};

/// An NVTX range that was counted as a whole, a pass each time that the program came to it.
struct CountedRange {
  std::string name;
  uint32_t device = 0;
  uint64_t times = 0;                              // that it came
  uint64_t least_launches = 0, most_launches = 0;  // of kernels, in one of them
  uint64_t graph_launches = 0;                     // of whole graphs, in all of them
};

class CountsFile {
 public:
  CountsFile() = default;
  CountsFile(const CountsFile&) = delete;
  CountsFile& operator=(const CountsFile&) = delete;
  ~CountsFile() { close(); }

  /// False where it cannot be made; `path` gets the name with its patterns filled in.
  bool open(const std::string& pattern, uint32_t cupti_version);
  const std::string& path() const { return path_; }

  /// `host` is nullptr where counters were refused, which `refusal` explains.
  void device(const stream::Device& device, const std::string& chip, const cupti::Host* host,
              const std::string& refusal);
  void launch(const cupti::Launch& launch, const Counted& counted);
  void range(const CountedRange& range, const Counted& counted);
  /// The results of sampling: the names of stall reasons, then one line for each place in the code.
  void sampling(const std::vector<std::string>& reasons, uint32_t period_cycles, uint64_t samples, uint64_t dropped,
                const std::map<std::string, uint64_t>& launches);
  void place(const cupti::PcSamples& place, const std::string& file, uint32_t line);
  /// The counts of patched code: the metrics, then one line for each place in the code.
  void instructions(const std::vector<std::string>& metrics, const std::map<std::string, uint64_t>& launches);
  void place(const cupti::PcCounts& place, const std::string& file, uint32_t line);
  /// The machine code of a function whose instructions were sampled or counted.
  void code(const std::string& function, std::string_view bytes);
  /// A kernel that could not be counted in the end.
  void problem(const std::string& kernel, const std::string& why);
  void over_time(const cupti::TimedLaunch& launch, const std::vector<std::string>& metrics, uint64_t interval_ns);
  /// The end in order: kernels launched, chosen or not, and launches of whole graphs.
  void end(uint64_t launches, uint64_t graph_launches);
  void flush();
  void close();

 private:
  void line(const std::string& text);

  std::FILE* file_ = nullptr;
  std::string path_;
};

}  // namespace warplens::collect
