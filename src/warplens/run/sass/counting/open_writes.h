// Stores that L1 puts together before they go to L2: sectors that one store writes in part and another soon after.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace warplens::simt::sass_machine {

/// The lines of 128 bytes that a block wrote in part last. More at once are not merged. Measured on an H200, stores of
/// a warp to 8 lines and more reach L2 sector by sector. Those to 6 or fewer are mostly merged
/// (benchmarks/gpu/merged_stores.cu). Nor are those between which a warp waits, as for a load: by then a line has gone.
class OpenWrites {
 public:
  static constexpr size_t kLines = 7;
  /// How long a line stays open, in cycles of a warp by itself.
  static constexpr int64_t kOpenCycles = 24;
  using Bytes = std::array<uint32_t, 4>;  // of a line, a bit each, by sector

  /// A store at `now` to `bytes` of a line, which is never 0.
  void add(uint64_t line, const Bytes& bytes, int64_t now) {
    Open* open = find(line);
    if (open == nullptr) {
      open = &lines_[next_];
      next_ = (next_ + 1) % kLines;
    } else if (std::abs(now - open->last) <= kOpenCycles) {
      return join(open, bytes, now);
    }
    close(open);
    *open = {line, bytes, now};
  }
  /// All that is open goes to L2.
  void close() {
    for (Open& open : lines_) close(&open);
  }
  /// Sectors that a store found open, and those that reached L2 whole although no store wrote them whole.
  uint64_t merged() const { return merged_; }
  uint64_t completed() const { return completed_; }

 private:
  struct Open {
    uint64_t line = 0;
    Bytes bytes{};
    int64_t last = 0;
  };
  Open* find(uint64_t line) {
    for (Open& open : lines_) {
      if (open.line == line) return &open;
    }
    return nullptr;
  }
  void join(Open* open, const Bytes& bytes, int64_t now) {
    for (size_t k = 0; k < bytes.size(); ++k) {
      merged_ += open->bytes[k] != 0 && bytes[k] != 0;
      open->bytes[k] |= bytes[k];
    }
    open->last = now;
  }
  void close(Open* open) {
    for (const uint32_t bytes : open->bytes) completed_ += bytes == ~uint32_t{0};
    *open = {};
  }
  std::array<Open, kLines> lines_{};
  size_t next_ = 0;
  uint64_t merged_ = 0, completed_ = 0;
};

}  // namespace warplens::simt::sass_machine
