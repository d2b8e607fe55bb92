#include "warplens/memory/steps.h"

#include <fmt/format.h>

#include <algorithm>

#include "warplens/memory/analysis.h"

namespace warplens::memory {
namespace {

/// Steps that end at the first event after each of the times.
Steps by_times(const std::vector<int64_t>& times_us, const std::vector<Event>& events, std::string end_at) {
  Steps out;
  out.end_at = std::move(end_at);
  size_t at = 0;
  for (const int64_t time_us : times_us) {
    while (at < events.size() && events[at].time_us <= time_us) ++at;
    if (at > 0 && (out.ends.empty() || at > out.ends.back())) out.ends.push_back(at);
  }
  return out;
}

Steps by_annotations(const Snapshot& snapshot, int64_t device, const std::vector<Event>& events) {
  if (events.empty() || events.back().time_us == 0) return {};
  for (const std::string_view kind : {"ProfilerStep#", "Optimizer.step#"}) {
    std::vector<int64_t> ends;
    std::string_view first;
    for (const Annotation& one : snapshot.annotations) {
      if (one.begins || one.device != device || !one.name.starts_with(kind)) continue;
      if (first.empty()) first = one.name;
      // Each of torch.profiler's steps has its number; of several optimizers, the first ends the steps.
      if (one.name == first || kind == "ProfilerStep#") ends.push_back(one.time_us);
    }
    std::sort(ends.begin(), ends.end());
    if (ends.size() > 1)
      return by_times(ends, events, fmt::format("the end of {}", kind == "ProfilerStep#" ? "ProfilerStep" : first));
  }
  return {};
}

/// The frames of a stack that tell where the program is, from the outermost on.
const Frame* outer_frame(const std::vector<Frame>& stack, size_t depth) {
  for (size_t i = stack.size(); i-- > 0;) {
    if (!is_python(stack[i])) continue;
    if (depth-- == 0) return &stack[i];
  }
  return nullptr;
}

std::vector<Frame> outer_frames(const std::vector<Frame>& stack, size_t depth) {
  std::vector<Frame> out;
  for (size_t i = 0; i <= depth; ++i)
    if (const Frame* frame = outer_frame(stack, i)) out.push_back(*frame);
  return out;
}

bool same_function(const Frame& a, const Frame& b) { return a.file == b.file && a.function == b.function; }

/// Allocations with stacks, of the thread that the first of them is from.
std::vector<size_t> of_first_thread(const Snapshot& snapshot, const std::vector<Event>& events) {
  std::vector<size_t> out;
  const Frame* root = nullptr;
  for (size_t i = 0; i < events.size(); ++i) {
    if (events[i].action != Action::kAlloc || events[i].stack == kNoStack) continue;
    const Frame* here = outer_frame(snapshot.stacks[events[i].stack], 0);
    if (here == nullptr) continue;
    if (root == nullptr) root = here;
    if (same_function(*root, *here)) out.push_back(i);
  }
  return out;
}

/// Where the line at `depth` goes back, while all that is outside of it stays.
Steps by_lines(const Snapshot& snapshot, const std::vector<Event>& events) {
  const std::vector<size_t> allocations = of_first_thread(snapshot, events);
  constexpr size_t kDeepest = 64;
  for (size_t depth = 0; depth < kDeepest; ++depth) {
    Steps out;
    const Frame* before = nullptr;
    bool differs = false;
    for (const size_t i : allocations) {
      const Frame* here = outer_frame(snapshot.stacks[events[i].stack], depth);
      if (here == nullptr || (before != nullptr && !same_function(*before, *here))) return {};
      differs |= before != nullptr && before->line != here->line;
      if (before != nullptr && here->line < before->line) out.ends.push_back(i);
      before = here;
    }
    if (!differs) continue;
    // A loop in a module's forward, its set-up or an optimizer's step is of layers or parameters, not of steps.
    if (category_of(outer_frames(snapshot.stacks[events[allocations.front()].stack], depth)) != "other") return {};
    out.end_at = fmt::format("another round of {} in {}", before->function, before->file);
    return out;
  }
  return {};
}

}  // namespace

Steps steps_of(const Snapshot& snapshot, int64_t device, const std::vector<Event>& events) {
  Steps out = by_annotations(snapshot, device, events);
  if (out.ends.empty()) out = by_lines(snapshot, events);
  if (out.ends.empty()) return {};
  if (out.ends.back() != events.size()) out.ends.push_back(events.size());
  return out;
}

}  // namespace warplens::memory
