// Kernels that a kernel launches, and its copies and fills: asked for while its blocks run, done when they have ended.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warplens::simt::sass_machine {

inline constexpr uint64_t kTailLaunch = 3;  // the stream whose launches come after all others of a grid

/// Rows of bytes that a kernel copies or fills.
struct ChildCopy {
  uint64_t target = 0, source = 0;  // source 0: `value` fills them
  uint64_t size_bytes = 0, rows = 1, pitch_bytes = 0;
  uint32_t value = 0;
};

struct ChildLaunch {
  std::string kernel;  // mangled
  std::array<uint32_t, 3> grid{}, block{};
  uint32_t dynamic_shared_bytes = 0;
  uint64_t stream = 0;
  uint64_t asked_by = 0;            // the number of the block
  std::vector<uint8_t> parameters;  // with the data after them
  std::optional<ChildCopy> copy;    // in place of all of the above but the stream and who asked
};

/// The host's knowledge, for queries of kernels, from one thread at a time. Answers are errors of CUDA.
struct HostAnswers {
  std::function<uint32_t(const ChildLaunch& launch)> refusal;  // 0: it may be launched
  std::function<uint32_t(int* value, int attribute, int device)> attribute;
  int device = 0, devices = 1, version = 0;
};

/// The requests of one launch, whose blocks may run on several CPU threads.
class ChildLaunches {
 public:
  explicit ChildLaunches(HostAnswers host) : host_(std::move(host)) {}

  /// Errors of CUDA: the host refuses it.
  uint32_t add(ChildLaunch child);
  /// In the order of blocks, those of a block in its own order, tail launches last. None remain.
  std::vector<ChildLaunch> take();

  /// cudaGetLastError's of a thread: a call of it went wrong; what it was; and whether that is forgotten then.
  void went_wrong(uint64_t block, uint32_t thread, uint32_t error);
  uint32_t last_error(uint64_t block, uint32_t thread, bool forgets);

  template <typename F>
  auto ask(F question) {
    const std::lock_guard lock(mutex_);
    return question(host_);
  }

 private:
  HostAnswers host_;
  std::mutex mutex_;
  std::vector<ChildLaunch> asked_;
  std::map<std::pair<uint64_t, uint32_t>, uint32_t> last_errors_;  // by block and thread
};

}  // namespace warplens::simt::sass_machine
