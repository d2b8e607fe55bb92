// Our own replay. Launches run as the program makes them, and their initial memory is kept; later all of them run again
// in every pass. Programming the counters of a pass costs CUPTI about 13 ms. A pass of many launches costs little more
// than a pass of one, but CUPTI's kernel replay pays for each launch.
#pragma once
#include <string>
#include <vector>

#include "warplens/collect/counters/launch.h"
#include "warplens/collect/counters/module_symbols.h"
#include "warplens/collect/counters/range_profiler.h"
#include "warplens/collect/counters/snapshot.h"

namespace warplens::cupti {

/// A launch with its arguments, to be made again.
class RepeatedLaunch {
 public:
  RepeatedLaunch(LaunchCall call, const ApiCallback& data, const Launch& facts);
  /// Whether its arguments could be read.
  bool is_complete() const { return complete_; }
  /// Words of its arguments, any of which may be an address.
  std::vector<uint64_t> words() const;
  /// The driver's result.
  int run();

 private:
  void keep_values(void** values);
  void keep_packed(void** packed);
  void keep_attributes(const LaunchConfig& config);

  LaunchCall call_;
  Launch facts_;
  std::vector<LaunchAttribute> attributes_;
  std::vector<std::vector<uint64_t>> values_;  // each of the parameters
  std::vector<uint8_t> packed_;
  bool is_packed_ = false, complete_ = false;
};

class Replayer {
 public:
  Replayer(void* context, bool flush_caches) : context_(context), flush_caches_(flush_caches) {}
  Replayer(const Replayer&) = delete;
  Replayer& operator=(const Replayer&) = delete;

  /// Keeps `launch`, which is about to run, to be counted later. False if that is impossible: the memory that it
  /// changes is unknown, or there is no room.
  bool keep(const MemoryMap& memory, ModuleSymbols* symbols, LaunchCall call, const ApiCallback& data,
            const Launch& launch);
  /// The launch kept last did not happen.
  void forget_last();
  /// True if so much memory is kept that the program may run out of it.
  bool holds_much() const { return room_.bytes() > kMostIdleBytes; }
  /// Empties the caches before a launch that is counted as the program makes it.
  void flush_caches();

  /// Runs all launches in every pass of `profiler`, and restores memory to its present state. `values` gets the values
  /// of each. The text describes the failure; empty on success.
  std::string replay(RangeProfiler* profiler, std::vector<std::vector<double>>* values);
  /// Frees the device's memory; the context is about to end.
  void close();

 private:
  struct Kept {
    RepeatedLaunch launch;
    Snapshot before;
  };
  bool keep_memory(const MemoryMap& memory, ModuleSymbols* symbols, void* function, Snapshot* out);
  std::string replay_all(RangeProfiler* profiler, std::vector<std::vector<double>>* values);
  std::string run_passes(RangeProfiler* profiler);
  std::string recount(RangeProfiler* profiler, std::vector<std::vector<double>>* values);
  std::string run_all();

  static constexpr size_t kMostIdleBytes = size_t{1} << 30;
  void* context_;
  bool flush_caches_;
  SnapshotRoom room_;
  CacheFlusher caches_;
  std::vector<Kept> kept_;
  std::vector<Region> regions_;  // all that any kept launch may have changed
};

}  // namespace warplens::cupti
