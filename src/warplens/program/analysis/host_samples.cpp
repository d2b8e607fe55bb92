#include "warplens/program/analysis/host_samples.h"

#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/program/analysis/python_stack.h"
#include "warplens/trace/profile/host_sample.h"

namespace warplens::analysis {

namespace {

bool is_native(std::string_view frame) { return !contains(frame, "): ") && contains(frame, ": "); }

/// The C library, its loader, compilers' runtimes and CUDA: what code calls, and seldom what it is.
bool is_everybodys(std::string_view native) {
  constexpr std::string_view kFiles[] = {"libc.so",  "libc-",     "ld-linux", "libpthread", "linux-vdso", "libm.so",
                                         "libgcc_s", "libstdc++", "libgomp",  "libcuda.so", "libcudart"};
  return std::ranges::any_of(kFiles, [&](std::string_view file) { return native.starts_with(file); });
}

/// The innermost frame of `stack` that `wanted` holds for; empty where there is none.
template <typename Wanted>
std::string_view innermost(std::string_view stack, Wanted wanted) {
  while (!stack.empty()) {
    const size_t at = stack.rfind(';');
    const std::string_view frame = at == std::string_view::npos ? stack : stack.substr(at + 1);
    if (wanted(frame)) return frame;
    stack = at == std::string_view::npos ? std::string_view() : stack.substr(0, at);
  }
  return {};
}

}  // namespace

std::string_view own_frame(std::string_view stack) {
  const std::string_view own = innermost(stack, is_user_frame);
  return !own.empty() ? own : innermost(stack, [](std::string_view frame) { return !is_native(frame); });
}

std::string_view native_frame(std::string_view stack) {
  const auto says = [](std::string_view frame) { return is_native(frame) && !is_everybodys(frame); };
  const std::string_view named =
      innermost(stack, [&](std::string_view frame) { return says(frame) && !frame.ends_with(": ?"); });
  if (!named.empty()) return named;
  const std::string_view other = innermost(stack, says);
  return !other.empty() || !own_frame(stack).empty() ? other : innermost(stack, is_native);
}

std::string code_of(std::string_view stack) {
  const std::string_view own = own_frame(stack), native = native_frame(stack);
  if (own.empty() || native.empty()) return std::string(own.empty() ? native : own);
  return std::string(own) + " > " + std::string(native);
}

HostSamples::HostSamples(const Profile& profile) : p_(profile) {
  const other_events_table& t = profile.other_events;
  for (uint32_t row = 0; row < t.size(); ++row) {
    if (profile.text(t.category[row]) != kHostSampleCategory) continue;
    threads_[t.thread[row]].push_back(row);
    in_python_ = in_python_ || !own_frame(profile.text(t.name[row])).empty();
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
    std::map<std::string_view, Share> within;  // by native frame
    void add(int64_t more_ns, uint32_t of_row) {
      ns += more_ns;
      if (row == kNone) row = of_row;
    }
    const Share& most() const {
      return std::ranges::max_element(within, {}, [](const auto& part) { return part.second.ns; })->second;
    }
  };
  Share all;  // by the program's own frame
  int64_t all_ns = 0, gil_ns = 0, loader_ns = 0;
  for (; at != rows.end() && t.start_ns[*at] < end_ns; ++at) {
    const int64_t ns = std::min(t.start_ns[*at] + t.duration_ns[*at], end_ns) - std::max(t.start_ns[*at], start_ns);
    if (ns <= 0) continue;
    const std::string_view stack = p_.text(t.name[*at]), state = p_.text(t.args[*at]);
    all_ns += ns;
    if (contains(state, kWaitsForGil)) gil_ns += ns;
    else if (contains(stack, "torch/utils/data/dataloader.py") && contains(state, "waits")) loader_ns += ns;
    Share& share = all.within[own_frame(stack)];
    share.add(ns, *at);
    share.within[native_frame(stack)].add(ns, *at);
  }
  Code out;
  if (!all.within.empty()) out.sample = all.most().most().row;
  out.gil = 2 * gil_ns > all_ns;
  out.loader = 2 * loader_ns > all_ns;
  return out;
}

}  // namespace warplens::analysis
