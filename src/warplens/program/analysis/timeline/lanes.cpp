#include "warplens/program/analysis/timeline/lanes.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/output/terminal.h"
#include "warplens/program/analysis/call_role.h"
#include "warplens/program/analysis/classify/classify.h"
#include "warplens/program/analysis/timeline/activity.h"

namespace warplens::analysis {
namespace {

enum Glyph : size_t { kOperator, kCall, kSync, kComputation, kCommunicating, kCopying, kGlyphs };
constexpr std::string_view kDrawn = "ocs#=~";
constexpr std::array<Style, 3> kHostStyles = {Style::kPlain, Style::kCyan, Style::kRed};
constexpr std::array<Style, 12> kClassStyles = {Style::kBlue,          Style::kYellow,       Style::kGreen,
                                                Style::kMagenta,       Style::kCyan,         Style::kRed,
                                                Style::kBrightBlue,    Style::kBrightYellow, Style::kBrightGreen,
                                                Style::kBrightMagenta, Style::kBrightCyan,   Style::kBrightRed};

/// The same in every trace, since the shipped rules name their classes in one order.
Style style_of(ClassId id) { return id == kUnrecognised ? Style::kDim : kClassStyles[id % kClassStyles.size()]; }

/// value * by / of: traces of years, as damaged ones are, do not fit the product.
int64_t scaled(int64_t value, int64_t by, int64_t of) {
  return static_cast<int64_t>(static_cast<__int128>(value) * by / of);
}

size_t most(const int64_t* values, size_t count) {
  return static_cast<size_t>(std::max_element(values, values + count) - values);
}

/// Time of each glyph, and on a device of each class, in each slice of one lane.
class Lane {
 public:
  /// `classes` is 0 where they are not asked for.
  Lane(int64_t start_ns, int64_t end_ns, size_t width, size_t classes)
      : start_(start_ns), end_(end_ns), slices_(width), classes_(classes), class_ns_(width * classes) {}

  void add(Glyph glyph, ClassId id, int64_t from, int64_t to) {
    from = std::max(from, start_);
    to = std::min(to, end_);
    if (to <= from) return;
    const auto width = static_cast<int64_t>(slices_.size()), span = end_ - start_;
    const int64_t last = std::min(width - 1, scaled(to - 1 - start_, width, span));
    for (int64_t slice = scaled(from - start_, width, span); slice <= last; ++slice) {
      const int64_t begin = start_ + scaled(slice, span, width), stop = start_ + scaled(slice + 1, span, width);
      const int64_t within = std::max<int64_t>(0, std::min(to, stop) - std::max(from, begin));
      slices_[static_cast<size_t>(slice)][glyph] += within;
      if (classes_ != 0) class_ns_[static_cast<size_t>(slice) * classes_ + id] += within;
    }
  }

  /// Classes that are drawn are marked in `seen`.
  std::string draw(std::vector<bool>& seen) const {
    std::string out, run;
    Style style = Style::kPlain;
    for (size_t slice = 0; slice < slices_.size(); ++slice) {
      const auto [cell, own] = cell_of(slice, seen);
      if (own != style) {
        out += styled(run, style);
        run.clear();
        style = own;
      }
      run += cell;
    }
    return out + styled(run, style);
  }

 private:
  std::pair<std::string, Style> cell_of(size_t slice, std::vector<bool>& seen) const {
    const auto& times = slices_[slice];
    size_t best = 0;
    for (size_t glyph = 0; glyph < kGlyphs; ++glyph) {
      if (times[glyph] > 0 && (times[glyph] >= times[best] || glyph == kSync)) best = glyph;
    }
    if (times[best] == 0) return {".", Style::kDim};
    const std::string drawn(1, kDrawn[best]);
    if (best < kHostStyles.size()) return {drawn, kHostStyles[best]};
    if (classes_ == 0) return {drawn, Style::kPlain};
    const size_t id = most(&class_ns_[slice * classes_], classes_);
    seen[id] = true;
    return {best == kComputation ? "█" : drawn, style_of(static_cast<ClassId>(id))};
  }

  int64_t start_, end_;
  std::vector<std::array<int64_t, kGlyphs>> slices_;
  size_t classes_;
  std::vector<int64_t> class_ns_;  // slice by slice
};

/// All lanes of a stretch, each made when something is first added to it.
class Lanes {
 public:
  Lanes(const Profile& p, int64_t start_ns, int64_t end_ns, size_t width, size_t classes)
      : p_(p), start_(start_ns), end_(end_ns), width_(width), classes_(classes) {}

  void add_host(uint32_t thread, Glyph glyph, int64_t from, int64_t length) {
    if (touches(from, length)) lane({p_.threads.rank[thread], 0, thread, 0}).add(glyph, 0, from, from + length);
  }
  void add_device(uint32_t row, Glyph glyph, ClassId id) {
    const int64_t from = p_.device_events.start_ns[row], length = p_.device_events.duration_ns[row];
    const uint32_t device = p_.device_events.device[row];
    if (touches(from, length))
      lane({p_.devices.rank[device], 1, device, p_.device_events.stream[row]}).add(glyph, id, from, from + length);
  }

  std::string draw(std::vector<bool>& seen) const {
    size_t widest = 0;
    for (const auto& [key, lane] : lanes_) widest = std::max(widest, name_of(key).size());
    std::string out;
    for (const auto& [key, lane] : lanes_) out += fmt::format("{:<{}}  {}\n", name_of(key), widest, lane.draw(seen));
    return out;
  }

 private:
  using Key = std::tuple<uint32_t, int, int64_t, int64_t>;  // rank, host or device, ids

  bool touches(int64_t from, int64_t length) const { return from < end_ && from + length > start_; }
  Lane& lane(const Key& key) {
    return lanes_.try_emplace(key, start_, end_, width_, std::get<1>(key) == 1 ? classes_ : 0).first->second;
  }
  std::string name_of(const Key& key) const {
    const auto& [rank, on_device, id, stream] = key;
    return on_device ? fmt::format("GPU {} stream {}", p_.devices.ordinal[static_cast<size_t>(id)], stream)
                     : fmt::format("thread {}", p_.text(p_.threads.thread[static_cast<size_t>(id)]));
  }

  const Profile& p_;
  int64_t start_, end_;
  size_t width_, classes_;
  std::map<Key, Lane> lanes_;
};

void add_host_lanes(const Profile& p, Lanes& lanes) {
  for (uint32_t row = 0; row < p.operators.size(); ++row) {
    if (p.operators.kind[row] == OperatorKind::kOperator)
      lanes.add_host(p.operators.thread[row], kOperator, p.operators.start_ns[row], p.operators.duration_ns[row]);
  }
  CallRoles roles(p);
  for (uint32_t row = 0; row < p.calls.size(); ++row)
    lanes.add_host(p.calls.thread[row], is_sync(roles(row)) ? kSync : kCall, p.calls.start_ns[row],
                   p.calls.duration_ns[row]);
}

void add_device_lanes(const Profile& p, const Classes& classes, Lanes& lanes) {
  for (uint32_t row = 0; row < p.device_events.size(); ++row) {
    const DeviceEventKind kind = p.device_events.kind[row];
    if (kind == DeviceEventKind::kRange) continue;
    const Glyph glyph = kind != DeviceEventKind::kKernel ? kCopying
                        : is_communication(p, row)       ? kCommunicating
                                                         : kComputation;
    lanes.add_device(row, glyph, classes.of_event.empty() ? kUnrecognised : classes.of_event[row]);
  }
}

std::string class_legend(const ClassRules& rules, const std::vector<bool>& seen) {
  std::string out;
  for (size_t id = 0; id < seen.size(); ++id) {
    if (seen[id]) out += "  " + styled("█", style_of(static_cast<ClassId>(id))) + " " + rules.names[id];
  }
  return out.empty() ? out : "by class of kernels:" + out + "\n";
}

}  // namespace

std::string draw_lanes(const Profile& p, const Causes& causes, const ClassRules& rules, int64_t start_ns,
                       int64_t end_ns, size_t width) {
  if (end_ns <= start_ns || width == 0) return {};
  std::vector<bool> seen(rules.names.size());
  Lanes lanes(p, start_ns, end_ns, width, colored() ? seen.size() : 0);
  add_host_lanes(p, lanes);
  add_device_lanes(p, colored() ? classify(p, causes.links.event_operator, rules) : Classes{}, lanes);
  const std::string drawn = lanes.draw(seen);
  return fmt::format(
             "{}, one character is {}: o operator, c call, s synchronization, {} computation, = communication, ~ "
             "copy\n",
             format_ns(static_cast<double>(end_ns - start_ns)),
             format_ns(static_cast<double>(end_ns - start_ns) / static_cast<double>(width)), colored() ? "█" : "#") +
         class_legend(rules, seen) + drawn;
}

}  // namespace warplens::analysis
