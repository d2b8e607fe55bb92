// Which of a warp's splits goes on next.
#include <algorithm>
#include <utility>
#include <vector>

#include "warplens/base/text.h"
#include "warplens/run/sass/control/flow.h"
#include "warplens/run/sass/decoder.h"
#include "warplens/run/sass/lanes.h"
#include "warplens/run/sass/memory/asynchronous.h"

namespace warplens::simt::sass_machine {
namespace {

bool is_ready(Warp& w, Split& split) {
  if (split.state < Split::State::kCluster || !has_come(w, split)) return split.state == Split::State::kReady;
  split.state = Split::State::kReady;
  return true;
}

}  // namespace

bool select_other(Warp& w) {
  w.current = 0;
  while (w.current < w.splits.size() && !is_ready(w, w.splits[w.current])) ++w.current;
  if (w.current == w.splits.size()) return false;
  return select_split(w);
}

void rotate_split(Warp& w) {
  if (w.splits.size() < 2) return;
  std::rotate(w.splits.begin(), w.splits.begin() + 1, w.splits.end());
  w.current = w.splits.size();
}

void release_barrier(Warp& w, uint32_t barrier) {
  if (w.splits.size() == 1) {
    if (w.splits[0].state == Split::State::kBarrier && w.splits[0].barrier == barrier)
      w.splits[0].state = Split::State::kReady;
    return;
  }
  std::vector<Split> kept;
  for (Split& s : w.splits) {
    if (s.state == Split::State::kBarrier && s.barrier == barrier) s.state = Split::State::kReady;
    const auto same = std::find_if(kept.begin(), kept.end(), [&](const Split& k) {
      return s.state == Split::State::kReady && k.state == s.state && k.pc == s.pc;
    });
    if (same != kept.end()) {
      same->lanes |= s.lanes;
    } else {
      kept.push_back(s);
    }
  }
  w.splits = std::move(kept);
  w.current = w.splits.size();
}

}  // namespace warplens::simt::sass_machine
