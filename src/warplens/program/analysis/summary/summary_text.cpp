#include "warplens/program/analysis/summary/summary_text.h"

#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/output/terminal.h"
#include "warplens/program/analysis/kernel_name.h"
#include "warplens/program/analysis/steps/step_range.h"

namespace warplens::analysis {
namespace {

constexpr size_t kLabelWidth = 12, kBarWidth = 24;
constexpr double kSmallest = 0.001;  // classes below this share of the time are put together

double share_of(int64_t part, int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

std::string time_text(int64_t ns) { return format_ns(static_cast<double>(ns)); }

std::string line(std::string_view label, const std::string& text) {
  return fmt::format("{:<{}}{}\n", label, kLabelWidth, text);
}

std::string heading(const std::string& text) { return '\n' + styled(text, Style::kBold) + '\n'; }

std::string device_text(const Profile& p, uint32_t device) {
  const std::string_view name = p.text(p.devices.name[device]);
  std::string out =
      fmt::format("{}", name.empty() ? fmt::format("device {}", p.devices.ordinal[device]) : std::string(name));
  if (p.devices.sm_count[device] > 0) out += fmt::format(", {} SMs", p.devices.sm_count[device]);
  if (p.devices.memory_bytes[device] > 0)
    out += ", " + format_bytes(static_cast<double>(p.devices.memory_bytes[device]));
  return out;
}

std::string span_text(const RankSummary& rank, StepSource source) {
  std::string out = time_text(rank.span_ns);
  const StepSummary& steps = rank.steps;
  if (steps.steps != 0) {
    out += fmt::format(", {} step{} of {}", steps.steady, steps.steady == 1 ? "" : "s", time_text(steps.mean_ns));
    if (const std::string range = range_text(steps); !range.empty()) out += fmt::format(" ({})", range);
    if (source != StepSource::kProfiler) out += fmt::format(" by {}", source_name(source));
    if (const std::string left_out = left_out_text(steps); !left_out.empty())
      out += fmt::format("; of {} steps {}", steps.steps, left_out);
  }
  return out + fmt::format("; {} operators and ranges, {} CUDA calls on {} thread{}",
                           format_count(static_cast<double>(rank.operators)),
                           format_count(static_cast<double>(rank.calls)), rank.threads, rank.threads == 1 ? "" : "s");
}

std::string busy_lines(const SummaryPage& page, const RankSummary& rank, const DeviceSummary& device) {
  const int64_t span_ns = busy_span_ns(page, rank, device);
  const double busy = share_of(device.busy_ns, span_ns);
  std::string out =
      line("GPU busy", fmt::format("{} {} ({} of {}{}; {} kernels, copies and sets)", bar(busy, kBarWidth),
                                   format_share(busy), time_text(device.busy_ns), time_text(span_ns),
                                   span_ns == rank.span_ns ? "" : " after its first event", device.count));
  if (!device.activity.empty()) out += line("over time", strip(device.activity));
  return out;
}

/// Whose the memory was: the largest owners, and what the trace cannot tell.
std::string owners_text(const RankSummary& rank) {
  constexpr size_t kShown = 3;
  if (!rank.peak) return {};
  std::vector<std::string> parts;
  for (const MemoryOwner& owner : rank.peak->owners) {
    if (parts.size() == kShown) break;
    const size_t last = owner.module.rfind('/');
    const std::string module = owner.module.substr(last == std::string::npos ? 0 : last + 1);
    parts.push_back(fmt::format("{} {}{}", format_share(share_of(owner.bytes, rank.peak->allocated_bytes)), owner.name,
                                module.empty() ? "" : " in " + module));
  }
  parts.push_back(
      fmt::format("{} before the trace", format_share(share_of(rank.peak->before_bytes, rank.peak->allocated_bytes))));
  return "; " + join(parts, ", ");
}

std::string one_rank(const SummaryPage& page, const RankSummary& rank) {
  std::string out;
  for (const DeviceSummary& device : rank.devices) out += line("device", device_text(page.profile, device.device));
  out += line("time", span_text(rank, page.summary.step_source));
  if (rank.devices.empty())
    out += line("GPU", is_cut(page.profile) ? "nothing ran on a device in this part of the trace"
                                            : "nothing ran on a device, or the trace was recorded without it "
                                              "(ProfilerActivity.CUDA, nsys --trace=cuda)");
  for (const DeviceSummary& device : rank.devices) out += busy_lines(page, rank, device);
  if (rank.peak_allocated_bytes > 0) {
    out += line("memory", fmt::format("peak {} allocated{}, {} reserved{}",
                                      format_bytes(static_cast<double>(rank.peak_allocated_bytes)),
                                      rank.peak_step ? fmt::format(" in step {}", *rank.peak_step) : "",
                                      format_bytes(static_cast<double>(rank.peak_reserved_bytes)), owners_text(rank)));
  }
  return out;
}

/// Kernels whose use of tensor cores is unknown may be all on them: without any seen, there is no share to give.
std::string tensor_line(const Summary& s) {
  const int64_t unknown = s.work_ns - s.tensor_ns - s.no_tensor_ns;
  const std::string not_known = fmt::format("unknown for {} of GPU time", format_share(share_of(unknown, s.work_ns)));
  if (s.tensor_ns == 0 && unknown > 0) return line("tensor cores", " none seen; " + not_known);
  const char* least = unknown > 0 ? "at least " : "";
  std::string out = fmt::format("{}{} of GPU time", least, format_share(share_of(s.tensor_ns, s.work_ns)));
  if (s.matrix_ns > 0)
    out += fmt::format("; {}{} of gemm, attention and convolution", least,
                       format_share(share_of(s.matrix_tensor_ns, s.matrix_ns)));
  return line("tensor cores", " " + out + (unknown > 0 ? "; " + not_known : ""));
}

std::string class_lines(const Summary& s) {
  std::string out;
  Share rest;
  int small = 0;
  const auto add = [&](std::string_view name, const Share& c) {
    const double share = share_of(c.device_ns, s.work_ns);
    out += fmt::format("  {:<15}{:>9}  {:>7}  {} {:>8} events\n", name, time_text(c.device_ns), format_share(share),
                       bar(share, kBarWidth), c.count);
  };
  for (const Share& c : s.classes) {
    if (share_of(c.device_ns, s.work_ns) < kSmallest && c.name != "unrecognised") {
      ++small;
      rest.count += c.count;
      rest.device_ns += c.device_ns;
    } else add(c.name, c);
  }
  if (small != 0) add(fmt::format("({} more)", small), rest);
  return out;
}

std::string share_lines(const std::vector<Share>& shares, int64_t whole, const SummaryPage& page, bool kernels) {
  std::string out;
  const size_t fixed = 2 + 9 + 2 + 7 + 2 + 9 + 2, width = page.width == 0 ? 200 : std::max<size_t>(page.width, 60);
  for (size_t i = 0; i < std::min(page.limit, shares.size()); ++i) {
    const Share& s = shares[i];
    std::string note = kernels && s.tensor_use == TensorUse::kYes ? fmt::format("  [{}, tensor cores]", s.class_name)
                                                                  : fmt::format("  [{}]", s.class_name);
    const std::string name = s.name.empty() ? "(no operator in the trace)" : s.name;
    if (s.class_name.empty() || s.name.empty()) note.clear();
    const size_t room = width > fixed + note.size() + 10 ? width - fixed - note.size() : 10;
    out += fmt::format(
        "  {:>9}  {:>7}  {:>7} x  {}{}\n", time_text(s.device_ns), format_share(share_of(s.device_ns, whole)), s.count,
        whole_names() ? name : cut_to_width(kernels ? short_kernel_name(name) : name, room), styled(note, Style::kDim));
  }
  return out;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> summary_facts(const SummaryPage& page) {
  std::vector<std::pair<std::string, std::string>> facts;
  const Summary& s = page.summary;
  const std::string lines =
      (s.ranks.size() == 1 ? one_rank(page, s.ranks[0]) : "") + (s.work_ns > 0 ? tensor_line(s) : "");
  for (const std::string_view each : split(lines, '\n')) {
    if (each.size() > kLabelWidth)
      facts.emplace_back(trim(each.substr(0, kLabelWidth)), trim(each.substr(kLabelWidth)));
  }
  return facts;
}

std::string to_terminal(const SummaryPage& page) {
  const Summary& s = page.summary;
  std::string out;
  if (s.ranks.size() == 1) {
    out += one_rank(page, s.ranks[0]);
  } else {
    out += heading("ranks") + to_terminal(rank_table(page), page.width);
  }
  if (!s.phases.empty())
    out +=
        heading("phases (--phase NAME limits every report to one phase)") + to_terminal(phase_table(page), page.width);
  if (s.work_ns > 0) {
    out += tensor_line(s);
    out += heading(fmt::format("GPU time by class ({} in all)", time_text(s.work_ns))) + class_lines(s);
    out += heading("top kernels, copies and sets") + share_lines(s.kernels, s.work_ns, page, true);
    if (std::ranges::any_of(s.operators, [](const Share& each) { return !each.name.empty(); }))
      out += heading("top operators, by the GPU time they launch themselves") +
             share_lines(s.operators, s.work_ns, page, false);
  } else if (!s.host_operators.empty()) {
    int64_t whole = 0;
    for (const Share& op : s.host_operators) whole += op.device_ns;
    out += heading("top operators, by their own host time") + share_lines(s.host_operators, whole, page, false);
  }
  if (!page.headlines.empty() || !page.findings_note.empty()) out += heading("findings");
  if (!page.findings_note.empty()) out += "  " + page.findings_note + '\n';
  for (const std::string& headline : page.headlines) out += "  " + headline + '\n';
  return out;
}

}  // namespace warplens::analysis
