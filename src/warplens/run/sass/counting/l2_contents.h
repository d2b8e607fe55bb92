// The contents of L2 from launch to launch of a program: the memory that it touched last.
#pragma once
#include <cstdint>
#include <deque>
#include <span>
#include <unordered_map>
#include <vector>

namespace warplens::simt::sass_machine {

/// The usable bytes of L2: data from its other half, half of everything, is in both.
inline constexpr double kL2Share = 2 / 3.0;

/// Pieces of memory that follow each other, of which a launch touched as many sectors each.
struct TouchedRun {
  static constexpr uint64_t kPieceBytes = 4096;
  static constexpr uint16_t kPieceSectors = kPieceBytes / 32;

  uint64_t first = 0, pieces = 0;  // address / kPieceBytes
  uint16_t read = 0, touched = 0;  // sectors of each: read; read or written

  uint64_t end() const { return first + pieces; }
};

/// The pieces that were touched last, until their sectors fill the cache. Within a launch all stretches of memory are
/// passed side by side, from begin to end.
class L2Contents {
 public:
  explicit L2Contents(uint64_t l2_bytes)
      : most_(static_cast<uint64_t>(kL2Share * static_cast<double>(l2_bytes) / 32)) {}
  /// A launch touches these. Returns the number of its read sectors that are in L2.
  uint64_t pass(std::span<const TouchedRun> runs);
  /// A copy, a fill or a library touches these bytes.
  void touch_bytes(uint64_t begin, uint64_t bytes);

 private:
  struct Piece {
    uint64_t turn = 0;  // when it was touched last
    uint16_t sectors = 0;
  };
  /// Those of its `read` sectors that were here.
  uint64_t touch(uint64_t piece, uint16_t read, uint16_t touched);
  void evict();

  bool is_filled(uint64_t piece) const { return piece >= filled_begin_ && piece < filled_end_; }

  uint64_t most_, held_ = 0, turn_ = 0;         // sectors of pieces_
  uint64_t filled_begin_ = 0, filled_end_ = 0;  // by one that left nothing else: older than all of pieces_
  std::unordered_map<uint64_t, Piece> pieces_;
  std::deque<std::pair<uint64_t, uint64_t>> order_;  // piece and turn, the oldest first; some are touched again later
};

}  // namespace warplens::simt::sass_machine
