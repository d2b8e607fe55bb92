#include "warplens/program/analysis/timeline/lanes.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/analysis/critical_path/call_role.h"
#include "warplens/program/analysis/timeline/activity.h"

namespace warplens::analysis {
namespace {

constexpr std::string_view kGlyphs = "ocs#=~";  // later ones lie over earlier ones on the host

/// value * by / of: traces of years, as damaged ones are, do not fit the product.
int64_t scaled(int64_t value, int64_t by, int64_t of) {
  return static_cast<int64_t>(static_cast<__int128>(value) * by / of);
}

/// Time of each glyph in each slice of one lane.
class Lane {
 public:
  Lane(int64_t start_ns, int64_t end_ns, size_t width) : start_(start_ns), end_(end_ns), slices_(width) {}

  void add(size_t glyph, int64_t from, int64_t to) {
    from = std::max(from, start_);
    to = std::min(to, end_);
    if (to <= from) return;
    const auto width = static_cast<int64_t>(slices_.size()), span = end_ - start_;
    const int64_t last = std::min(width - 1, scaled(to - 1 - start_, width, span));
    for (int64_t slice = scaled(from - start_, width, span); slice <= last; ++slice) {
      const int64_t begin = start_ + scaled(slice, span, width), stop = start_ + scaled(slice + 1, span, width);
      slices_[static_cast<size_t>(slice)][glyph] += std::max<int64_t>(0, std::min(to, stop) - std::max(from, begin));
    }
  }

  std::string draw() const {
    std::string out;
    for (const auto& slice : slices_) {
      size_t best = 0;
      for (size_t glyph = 0; glyph < kGlyphs.size(); ++glyph) {
        if (slice[glyph] > 0 && (slice[glyph] >= slice[best] || glyph == 2)) best = glyph;
      }
      out += slice[best] > 0 ? kGlyphs[best] : '.';
    }
    return out;
  }

 private:
  int64_t start_, end_;
  std::vector<std::array<int64_t, kGlyphs.size()>> slices_;
};

}  // namespace

std::string draw_lanes(const Profile& p, int64_t start_ns, int64_t end_ns, size_t width) {
  if (end_ns <= start_ns || width == 0) return {};
  std::map<std::tuple<uint32_t, int, int64_t, int64_t>, std::pair<std::string, Lane>>
      lanes;  // rank, host or device, ids
  auto lane = [&](std::tuple<uint32_t, int, int64_t, int64_t> key, auto name) -> Lane& {
    auto at = lanes.find(key);
    if (at == lanes.end()) at = lanes.emplace(key, std::pair{name(), Lane(start_ns, end_ns, width)}).first;
    return at->second.second;
  };
  auto touches = [&](int64_t from, int64_t duration) { return from < end_ns && from + duration > start_ns; };
  auto host = [&](uint32_t thread) -> Lane& {
    return lane({p.threads.rank[thread], 0, thread, 0},
                [&] { return fmt::format("thread {}", p.text(p.threads.thread[thread])); });
  };
  CallRoles roles(p);
  for (uint32_t row = 0; row < p.operators.size(); ++row) {
    const int64_t from = p.operators.start_ns[row], length = p.operators.duration_ns[row];
    if (p.operators.kind[row] == OperatorKind::kOperator && touches(from, length))
      host(p.operators.thread[row]).add(0, from, from + length);
  }
  for (uint32_t row = 0; row < p.calls.size(); ++row) {
    const int64_t from = p.calls.start_ns[row], length = p.calls.duration_ns[row];
    if (touches(from, length)) host(p.calls.thread[row]).add(is_sync(roles(row)) ? 2 : 1, from, from + length);
  }
  for (uint32_t row = 0; row < p.device_events.size(); ++row) {
    const int64_t from = p.device_events.start_ns[row], length = p.device_events.duration_ns[row];
    if (p.device_events.kind[row] == DeviceEventKind::kRange || !touches(from, length)) continue;
    const uint32_t device = p.device_events.device[row];
    const int64_t stream = p.device_events.stream[row];
    const size_t glyph = p.device_events.kind[row] != DeviceEventKind::kKernel ? 5 : is_communication(p, row) ? 4 : 3;
    lane({p.devices.rank[device], 1, device, stream}, [&] {
      return fmt::format("GPU {} stream {}", p.devices.ordinal[device], stream);
    }).add(glyph, from, from + length);
  }
  size_t widest = 0;
  for (const auto& [key, entry] : lanes) widest = std::max(widest, entry.first.size());
  std::string out = fmt::format(
      "{}, one character is {}: o operator, c call, s synchronization, # computation, = communication, ~ copy\n",
      format_ns(static_cast<double>(end_ns - start_ns)),
      format_ns(static_cast<double>(end_ns - start_ns) / static_cast<double>(width)));
  for (const auto& [key, entry] : lanes) out += fmt::format("{:<{}}  {}\n", entry.first, widest, entry.second.draw());
  return out;
}

}  // namespace warplens::analysis
