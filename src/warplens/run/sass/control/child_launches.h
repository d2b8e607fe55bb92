// Kernels that a kernel launches: asked for while its blocks run, run when they have ended.
#pragma once
#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace warplens::simt::sass_machine {

inline constexpr uint64_t kTailLaunch = 3;  // the stream whose launches come behind all others of a grid

struct ChildLaunch {
  std::string kernel;  // mangled
  std::array<uint32_t, 3> grid{}, block{};
  uint32_t dynamic_shared_bytes = 0;
  uint64_t stream = 0;
  uint64_t asked_by = 0;            // the number of the block
  std::vector<uint8_t> parameters;  // with what lies behind them
};

/// Of one launch, whose blocks may run on several CPU threads.
class ChildLaunches {
 public:
  void add(ChildLaunch child);
  /// In the order of blocks, those of a block as it asked for them, tail launches last. None are left.
  std::vector<ChildLaunch> take();

 private:
  std::mutex mutex_;
  std::vector<ChildLaunch> asked_;
};

}  // namespace warplens::simt::sass_machine
