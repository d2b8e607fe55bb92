#include "warplens/program/findings/idle.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/analysis/host_samples.h"
#include "warplens/program/analysis/steps/steps.h"
#include "warplens/program/findings/cold_start.h"

namespace warplens::findings {
namespace {

using analysis::Gap;
using analysis::Span;

constexpr int64_t kHandOverNs =
    1'000'000;  // a driver that hands launches over in batches (Windows) delays them so long

/// A short gap before what was launched within it or just before, with nothing to wait for.
bool handed_over_late(const Context& c, const Gap& gap) {
  const uint32_t call = c.joined.links.event_call[gap.next];
  return gap.cause == analysis::GapCause::kQueued && gap.end_ns - gap.start_ns <= kHandOverNs && call != kNone &&
         c.p.calls.start_ns[call] + kHandOverNs / 4 >= gap.start_ns;
}

/// The window's time before the device's first event, and of it what that event waited in the queue.
void find_head(const Context& c, IdleTime& out) {
  const ProgramEvent* first = nullptr;
  for (const ProgramEvent& event : c.program.events) {
    if (c.p.device_events.device[event.row] != c.device) continue;
    if (!first || c.start_of(event) < c.start_of(*first)) first = &event;
  }
  const int64_t start = first ? c.start_of(*first) : c.recorded.end_ns;
  out.before_first_ns = std::max<int64_t>(0, start - c.recorded.start_ns);
  if (!first) return;
  const int64_t waited = start - std::max(c.program.calls[first->call].start_ns, c.recorded.start_ns);
  if (waited > kHandOverNs) out.unrecorded_ns = waited;
}

IdleTime find_idle_time(const Context& c) {
  IdleTime out;
  out.host.fill(kNone);
  out.span_ns = c.recorded.end_ns - c.recorded.start_ns;
  out.busy_ns = recorded_busy_ns(c);
  find_head(c, out);
  std::vector<Span> other = c.host_data_work;
  other.insert(other.end(), c.cold_start().time.begin(), c.cold_start().time.end());
  const analysis::TimeSet not_launching = analysis::unite(std::move(other));
  const analysis::TimeSet head = analysis::unite({{c.recorded.start_ns, c.recorded.start_ns + out.before_first_ns}});
  std::map<std::pair<size_t, StringId>, int64_t> hosts;
  std::map<std::pair<size_t, std::string>, int64_t> codes;
  std::array<int64_t, analysis::kGapCauses> longest{}, longest_code{};
  for (const Gap& gap :
       analysis::find_gaps(c.p, c.joined.operators, c.joined.links, c.device, c.recorded.start_ns, c.recorded.end_ns)) {
    const auto cause = static_cast<size_t>(gap.cause);
    out.by_cause[cause] += gap.end_ns - gap.start_ns;
    out.before_first_ns -= analysis::overlap_ns(head, gap.start_ns, gap.end_ns);  // each nanosecond has one cause
    if (gap.cause == analysis::GapCause::kLaunchBound || gap.cause == analysis::GapCause::kPython ||
        gap.cause == analysis::GapCause::kHost || handed_over_late(c, gap))
      out.launching_ns += gap.end_ns - gap.start_ns - analysis::overlap_ns(not_launching, gap.start_ns, gap.end_ns);
    if (gap.sample != kNone) {
      const std::string code = analysis::code_of(c.p.text(c.p.other_events.name[gap.sample]));
      int64_t& in_code = codes[{cause, code}];
      in_code += gap.end_ns - gap.start_ns;
      if (in_code > longest_code[cause]) {
        longest_code[cause] = in_code;
        out.code[cause] = code;
      }
    }
    if (gap.host == kNone || analysis::step_number(c.op_name(gap.host))) continue;
    int64_t& in_host = hosts[{cause, c.p.operators.name[gap.host]}];
    in_host += gap.end_ns - gap.start_ns;
    if (in_host > longest[cause]) {
      longest[cause] = in_host;
      out.host[cause] = gap.host;
    }
  }
  return out;
}

}  // namespace

int64_t recorded_busy_ns(const Context& c) {
  std::vector<Span> busy;
  const auto& events = c.p.device_events;
  for (uint32_t row = 0; row < events.size(); ++row) {
    if (events.device[row] == c.device && events.kind[row] != DeviceEventKind::kRange)
      busy.push_back({events.start_ns[row], events.start_ns[row] + events.duration_ns[row]});
  }
  return analysis::length_ns(analysis::clip(analysis::unite(std::move(busy)), c.recorded.start_ns, c.recorded.end_ns));
}

const IdleTime& Context::idle() const {
  if (!idle_) idle_ = std::make_shared<const IdleTime>(find_idle_time(*this));
  return *idle_;
}

int64_t Context::own_step_ns() const {
  return std::max<int64_t>(step_ns - idle().unrecorded_ns / static_cast<int64_t>(program.steps), 1);
}

std::string causes_text(const Context& c, const IdleTime& idle) {
  constexpr double kWorthTelling = 0.05;
  const int64_t whole = idle.span_ns - idle.busy_ns;
  std::array<size_t, analysis::kGapCauses> order;
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return idle.by_cause[a] > idle.by_cause[b]; });
  std::vector<std::string> parts;
  const auto head = [&](std::string_view what, int64_t ns) {
    if (static_cast<double>(ns) >= kWorthTelling * static_cast<double>(whole))
      parts.push_back(fmt::format("{} {}", what, format_share(static_cast<double>(ns) / static_cast<double>(whole))));
  };
  head("host work before the first kernel", std::max<int64_t>(0, idle.before_first_ns - idle.unrecorded_ns));
  head("work launched before the recording", idle.unrecorded_ns);
  for (const size_t cause : order) {
    const auto ns = static_cast<double>(idle.by_cause[cause]);
    if (ns <= 0 || ns < kWorthTelling * static_cast<double>(whole)) break;
    std::string place = ellipsis(c.op_name(idle.host[cause]), 60);
    if (!idle.code[cause].empty()) place += (place.empty() ? "" : ", ") + idle.code[cause];
    parts.push_back(fmt::format("{} {}{}", analysis::gap_cause_name(static_cast<analysis::GapCause>(cause)),
                                format_share(ns / static_cast<double>(whole)),
                                place.empty() ? "" : fmt::format(" (most in {})", place)));
  }
  return join(parts, ", ");
}

}  // namespace warplens::findings
