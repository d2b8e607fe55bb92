#include "warplens/run/sass/counting/l2_contents.h"

#include <algorithm>

namespace warplens::simt::sass_machine {
namespace {

/// Runs that follow each other in memory, which a launch passes from begin to end.
struct Stretch {
  std::span<const TouchedRun> runs;
  uint64_t pieces = 0, passed = 0, in_run = 0;

  double share() const { return static_cast<double>(passed) / static_cast<double>(pieces); }
};

std::vector<Stretch> stretches_of(std::span<const TouchedRun> runs) {
  std::vector<Stretch> out;
  for (size_t i = 0; i < runs.size(); ++i) {
    const bool follows = i > 0 && runs[i - 1].end() == runs[i].first;
    if (!follows) out.push_back({runs.subspan(i, 0)});
    Stretch& stretch = out.back();
    stretch.runs = {stretch.runs.data(), stretch.runs.size() + 1};
    stretch.pieces += runs[i].pieces;
  }
  return out;
}

}  // namespace

uint64_t L2Contents::pass(std::span<const TouchedRun> runs) {
  std::vector<Stretch> stretches = stretches_of(runs);
  constexpr uint64_t kAtOnce = 16;  // pieces of one stretch, before the next one's
  const auto later = [&](size_t a, size_t b) {
    const double x = stretches[a].share(), y = stretches[b].share();
    return x != y ? x > y : a > b;
  };
  std::vector<size_t> waiting(stretches.size());  // a heap: the one that is behind the others first
  for (size_t i = 0; i < waiting.size(); ++i) waiting[i] = i;
  uint64_t warm = 0;
  while (!waiting.empty()) {
    std::pop_heap(waiting.begin(), waiting.end(), later);
    Stretch& at = stretches[waiting.back()];
    for (uint64_t k = 0; k < kAtOnce && !at.runs.empty(); ++k) {
      const TouchedRun& run = at.runs.front();
      warm += touch(run.first + at.in_run, run.read, run.touched);
      ++at.passed;
      if (++at.in_run == run.pieces) {
        at.runs = at.runs.subspan(1);
        at.in_run = 0;
      }
    }
    if (at.runs.empty()) waiting.pop_back();
    else std::push_heap(waiting.begin(), waiting.end(), later);
  }
  return warm;
}

void L2Contents::touch_bytes(uint64_t begin, uint64_t bytes) {
  if (bytes == 0) return;
  const uint64_t most_bytes = most_ * 32;
  if (bytes > most_bytes) {
    pieces_.clear();
    order_.clear();
    held_ = 0;
    filled_end_ = (begin + bytes) / TouchedRun::kPieceBytes;
    filled_begin_ = filled_end_ - most_ / TouchedRun::kPieceSectors;
    return;
  }
  const uint64_t last = (begin + bytes - 1) / 32;
  for (uint64_t sector = begin / 32; sector <= last;) {
    const uint64_t piece = sector / TouchedRun::kPieceSectors, end = (piece + 1) * TouchedRun::kPieceSectors;
    const auto sectors = static_cast<uint16_t>(std::min(end, last + 1) - sector);
    touch(piece, 0, sectors);
    sector = end;
  }
}

uint64_t L2Contents::touch(uint64_t at, uint16_t read, uint16_t touched) {
  Piece& piece = pieces_[at];
  const uint16_t before = piece.sectors, here = is_filled(at) ? TouchedRun::kPieceSectors : before;
  piece.sectors = std::max(before, touched);
  held_ += piece.sectors - before;
  piece.turn = ++turn_;
  order_.emplace_back(at, turn_);
  evict();
  return std::min(here, read);
}

void L2Contents::evict() {
  const auto too_many = [&] { return held_ + (filled_end_ - filled_begin_) * TouchedRun::kPieceSectors > most_; };
  while (filled_begin_ < filled_end_ && too_many()) ++filled_begin_;
  while (!order_.empty()) {
    const auto [at, turn] = order_.front();
    const auto found = pieces_.find(at);
    const bool is_last = found != pieces_.end() && found->second.turn == turn;
    if (is_last && !too_many()) return;
    if (is_last) {
      held_ -= found->second.sectors;
      pieces_.erase(found);
    }
    order_.pop_front();
  }
}

}  // namespace warplens::simt::sass_machine
