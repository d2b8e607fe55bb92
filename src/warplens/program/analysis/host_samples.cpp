#include "warplens/program/analysis/host_samples.h"

#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/program/analysis/python_stack.h"
#include "warplens/trace/profile/host_sample.h"

namespace warplens::analysis {

std::string_view own_frame(std::string_view stack) {
  const size_t last = stack.rfind(';');
  const std::string_view innermost = last == std::string_view::npos ? stack : stack.substr(last + 1);
  for (std::string_view rest = stack; !rest.empty();) {
    const size_t at = rest.rfind(';');
    const std::string_view frame = at == std::string_view::npos ? rest : rest.substr(at + 1);
    if (is_user_frame(frame)) return frame;
    rest = at == std::string_view::npos ? std::string_view() : rest.substr(0, at);
  }
  return innermost;
}

HostSamples::HostSamples(const Profile& profile) : p_(profile) {
  const other_events_table& t = profile.other_events;
  for (uint32_t row = 0; row < t.size(); ++row) {
    if (profile.text(t.category[row]) == kHostSampleCategory) threads_[t.thread[row]].push_back(row);
  }
  for (auto& [thread, rows] : threads_)
    std::sort(rows.begin(), rows.end(), [&](uint32_t a, uint32_t b) { return t.start_ns[a] < t.start_ns[b]; });
}

HostSamples::Code HostSamples::most(uint32_t thread, int64_t start_ns, int64_t end_ns) const {
  const auto of_thread = threads_.find(thread);
  if (of_thread == threads_.end()) return {};
  const other_events_table& t = p_.other_events;
  const std::vector<uint32_t>& rows = of_thread->second;
  auto at = std::upper_bound(rows.begin(), rows.end(), start_ns,
                             [&](int64_t time, uint32_t row) { return time < t.start_ns[row]; });
  if (at != rows.begin()) --at;
  struct Share {
    int64_t ns = 0;
    uint32_t row = kNone;
  };
  std::map<std::string_view, Share> by_frame;
  int64_t all_ns = 0, gil_ns = 0, loader_ns = 0;
  for (; at != rows.end() && t.start_ns[*at] < end_ns; ++at) {
    const int64_t ns = std::min(t.start_ns[*at] + t.duration_ns[*at], end_ns) - std::max(t.start_ns[*at], start_ns);
    if (ns <= 0) continue;
    const std::string_view stack = p_.text(t.name[*at]), state = p_.text(t.args[*at]);
    all_ns += ns;
    if (contains(state, kWaitsForGil)) gil_ns += ns;
    else if (contains(stack, "torch/utils/data/dataloader.py") && contains(state, "waits")) loader_ns += ns;
    Share& share = by_frame[own_frame(stack)];
    share.ns += ns;
    if (share.row == kNone) share.row = *at;
  }
  Code out;
  int64_t most_ns = 0;
  for (const auto& [frame, share] : by_frame) {
    if (share.ns > most_ns) out.sample = share.row;
    most_ns = std::max(most_ns, share.ns);
  }
  out.gil = 2 * gil_ns > all_ns;
  out.loader = 2 * loader_ns > all_ns;
  return out;
}

}  // namespace warplens::analysis
