// input-bound: the device waits while the host loads or makes the next batch.
#include <algorithm>
#include <array>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/model/constants.h"
#include "warplens/program/analysis/host_samples.h"
#include "warplens/program/findings/cold_start.h"
#include "warplens/program/findings/host_data_work.h"
#include "warplens/program/findings/repeated_copies.h"
#include "warplens/program/findings/rules.h"

namespace warplens::findings {
namespace {

constexpr double kLeastSaving = 0.05;
constexpr double kLeastUnexplained = 0.15;  // where nothing recorded names the work
constexpr int64_t kBatchBytes = 4096;       // what a step's input has at least
constexpr size_t kFirstEvents = 4;          // after making a batch: it is copied to the device then

struct Loading {
  analysis::TimeSet time;
  std::vector<uint32_t> operators;  // ranges of loaders, or CPU operators, the longest first
  bool loader = false;              // a DataLoader's range names it
  bool workers = false;             // that loader has worker processes
  bool around = false;              // time holds what the host does around the loader, too: starting workers, reading
  analysis::Span silence{0, 0};     // the longest stretch in no operator, where such stretches are most of the time
  bool silent() const { return silence.end_ns > silence.start_ns; }
};

analysis::Span longest(const analysis::TimeSet& set) {
  return *std::max_element(set.begin(), set.end(),
                           [](const auto& a, const auto& b) { return a.end_ns - a.start_ns < b.end_ns - b.start_ns; });
}

/// Whether most of the silence ends in a copy to the device: then the host had made input. Otherwise it computed,
/// compiled or slept.
bool makes_input(const Context& c, const analysis::TimeSet& silence) {
  int64_t before_copies_ns = 0;
  const auto& calls = c.program.calls;
  for (const analysis::Span& span : silence) {
    auto call = std::lower_bound(calls.begin(), calls.end(), span.end_ns,
                                 [](const analysis::ProgramCall& at, int64_t time) { return at.start_ns < time; });
    bool copies = false;
    for (size_t seen = 0; call != calls.end() && seen < kFirstEvents && !copies; ++call) {
      for (uint32_t e = call->events_begin; e < call->events_end && seen < kFirstEvents; ++e, ++seen) {
        const ProgramEvent& event = c.program.events[e];
        copies |= c.is_copy(event, CopyKind::kHostToDevice) && c.bytes_of(event) >= kBatchBytes;
      }
    }
    if (copies) before_copies_ns += span.end_ns - span.start_ns;
  }
  return 2 * before_copies_ns > analysis::length_ns(silence);
}

Loading find_loading(const Context& c) {
  Loading out;
  std::vector<analysis::Span> spans;
  const auto& ops = c.p.operators;
  for (uint32_t op = 0; op < ops.size(); ++op) {
    if (ops.kind[op] != OperatorKind::kRange || !is_loader_range(c.op_name(op)) ||
        analysis::rank_of_operator(c.p, op) != c.program.rank)
      continue;
    out.loader = true;
    out.workers |= contains(c.op_name(op), "MultiProcessing");
    out.operators.push_back(op);
    spans.push_back(c.span_of(op));
  }
  if (out.loader) {
    out.time = analysis::unite(std::move(spans));
    analysis::TimeSet rest = analysis::subtract(analysis::subtract(c.host_data_work, c.cold_start().time), out.time);
    out.around = analysis::length_ns(rest) > analysis::length_ns(out.time) && makes_input(c, rest);
    if (!out.around) return out;
    rest.insert(rest.end(), out.time.begin(), out.time.end());
    out.time = analysis::unite(std::move(rest));
    return out;
  }
  // Data that is made and copied again and again is told by its copies.
  const analysis::TimeSet repeated = analysis::unite(repeated_copies(c).without.host_removed);
  out.time = analysis::subtract(analysis::subtract(c.host_data_work, c.cold_start().time), repeated);
  if (out.time.empty()) return out;
  out.operators = long_host_operators(c.p, c.joined, c.program);
  std::erase_if(out.operators, [&](uint32_t op) {
    const analysis::Span span = c.span_of(op);
    return 2 * analysis::overlap_ns(repeated, span.start_ns, span.end_ns) > span.end_ns - span.start_ns;
  });
  std::stable_sort(out.operators.begin(), out.operators.end(),
                   [&](uint32_t a, uint32_t b) { return ops.duration_ns[a] > ops.duration_ns[b]; });
  for (const uint32_t op : out.operators) spans.push_back(c.span_of(op));
  const analysis::TimeSet silence = analysis::subtract(out.time, analysis::unite(std::move(spans)));
  if (2 * analysis::length_ns(silence) <= analysis::length_ns(out.time)) return out;
  if (makes_input(c, silence)) out.silence = longest(silence);
  else out.time = analysis::subtract(out.time, silence);
  return out;
}

/// Adds to `change` the time to hand each loader's batch over, as many bytes as are copied to the device before the
/// next one is loaded; no more than the loader took.
void hand_over(const Context& c, const Loading& loading, Change& change) {
  std::vector<uint32_t> loads = loading.operators;
  std::ranges::sort(loads, {}, [&](uint32_t op) { return c.p.operators.start_ns[op]; });
  size_t next = 0;
  for (size_t i = 0; i < loads.size(); ++i) {
    const int64_t until = i + 1 < loads.size() ? c.p.operators.start_ns[loads[i + 1]] : c.program.end_ns;
    int64_t bytes = 0;
    for (; next < c.program.events.size(); ++next) {
      const ProgramEvent& event = c.program.events[next];
      if (c.program.calls[event.call].start_ns >= until) break;
      if (c.is_copy(event, CopyKind::kHostToDevice)) bytes += c.bytes_of(event);
    }
    const analysis::Span span = c.span_of(loads[i]);
    if (span.start_ns < c.program.start_ns || span.start_ns >= c.program.end_ns) continue;
    // What stays with the step when worker processes load.
    const auto takes_ns =
        static_cast<int64_t>(model::kBatchHandOverNs + static_cast<double>(bytes) / model::kBatchHandOverRate);
    change.host_added.emplace_back(span.start_ns, std::min(takes_ns, span.end_ns - span.start_ns));
  }
}

int64_t hand_over_ns(const Change& change) {
  int64_t out = 0;
  for (const auto& [at_ns, takes_ns] : change.host_added) out += takes_ns;
  return out;
}

/// The outermost operators that ended last before a stretch of silence and began first after it, or kNone.
std::pair<uint32_t, uint32_t> neighbours(const Context& c, const analysis::Span& silence) {
  const auto& ops = c.p.operators;
  uint32_t before = kNone, after = kNone;
  for (const uint32_t op : c.joined.operators.order) {
    if (ops.kind[op] != OperatorKind::kOperator || analysis::rank_of_operator(c.p, op) != c.program.rank ||
        c.root_of(op) != op)
      continue;
    const analysis::Span span = c.span_of(op);
    if (span.end_ns <= silence.start_ns && (before == kNone || span.end_ns > c.span_of(before).end_ns)) before = op;
    if (span.start_ns >= silence.end_ns && (after == kNone || span.start_ns < c.span_of(after).start_ns)) after = op;
  }
  return {before, after};
}

/// Where the host was in that stretch: the innermost Python frame of the program's own, where stacks were recorded.
std::string frame_of(const Context& c, const analysis::Span& silence) {
  const auto& frames = c.p.python_frames;
  const int64_t middle = silence.start_ns + (silence.end_ns - silence.start_ns) / 2;
  uint32_t innermost = kNone;
  for (uint32_t row = 0; row < frames.size(); ++row) {
    if (frames.start_ns[row] > middle || frames.start_ns[row] + frames.duration_ns[row] <= middle ||
        c.p.threads.rank[frames.thread[row]] != c.program.rank)
      continue;
    if (innermost == kNone || frames.duration_ns[row] < frames.duration_ns[innermost]) innermost = row;
  }
  return innermost == kNone ? std::string() : std::string(c.p.text(frames.name[innermost]));
}

/// Where stacks were sampled: the line that the thread was in which launches first behind that stretch.
std::string sampled_line(const Context& c, const analysis::Span& silence) {
  const analysis::HostSamples samples(c.p);
  const auto& calls = c.p.calls;
  uint32_t next = kNone;
  for (uint32_t row = 0; row < calls.size() && !samples.empty(); ++row) {
    if (calls.start_ns[row] < silence.end_ns || analysis::rank_of_call(c.p, row) != c.program.rank) continue;
    if (next == kNone || calls.start_ns[row] < calls.start_ns[next]) next = row;
  }
  if (next == kNone) return {};
  const uint32_t sample = samples.most(calls.thread[next], silence.start_ns, silence.end_ns).sample;
  return sample == kNone ? std::string() : analysis::code_of(c.p.text(c.p.other_events.name[sample]));
}

std::vector<std::string> places(const Context& c, const Loading& loading) {
  if (!loading.silent()) return c.places(loading.operators, 3);
  std::vector<std::string> out;
  for (std::string& line : std::array{frame_of(c, loading.silence), sampled_line(c, loading.silence)}) {
    if (!line.empty()) out.push_back(std::move(line));
  }
  const auto [before, after] = neighbours(c, loading.silence);
  if (before != kNone || after != kNone) {
    out.push_back(before == kNone  ? fmt::format("before {}", c.op_name(after))
                  : after == kNone ? fmt::format("after {}", c.op_name(before))
                                   : fmt::format("between {} and {}", c.op_name(before), c.op_name(after)));
  }
  return out;
}

bool is_random(std::string_view name) {
  return contains(name, "rand") || contains(name, "normal") || contains(name, "uniform") || contains(name, "bernoulli");
}

void explain(const Context& c, const Loading& loading, int64_t per_step_ns, Finding& f) {
  const std::string time = format_ns(static_cast<double>(per_step_ns));
  const std::string_view first = loading.operators.empty() ? std::string_view{} : c.op_name(loading.operators.front());
  if (loading.loader) {
    f.title =
        fmt::format("the data loader {} {} of a {} {}", loading.around ? "and the host work around it take" : "takes",
                    time, format_ns(static_cast<double>(c.step_ns)), c.program.has_steps ? "step" : "run");
    f.advice = loading.workers ? "Give the loader more workers or a larger prefetch_factor, move decoding and "
                                 "augmentation to the device, or cache prepared batches. The step itself is faster "
                                 "than its input."
                               : "Load in worker processes: DataLoader(num_workers=..., pin_memory=True, "
                                 "persistent_workers=True, prefetch_factor=4).";
  } else if (loading.silent()) {
    f.title = fmt::format("the device waits for {} {} while the host runs neither operators nor CUDA calls", time,
                          c.each_step());
    f.advice =
        "Find the program's work there (files, sleep, locks, plain Python), and do it ahead of time in another "
        "thread or process. `warplens record --cpu` names the line.";
  } else if (is_random(first)) {
    f.title = fmt::format("random numbers are made on the host: {} takes most of {} {}", first, time, c.each_step());
    f.advice =
        "Make them on the device (torch.randn(..., device=\"cuda\")), where it takes microseconds and needs no copy.";
  } else {
    f.title = fmt::format("the host works for {} {} while the device has nothing to do{}{}", time, c.each_step(),
                          first.empty() ? "" : ", most in ", first);
    f.advice = "Move this work to the device, or do it ahead of time in another thread or process.";
  }
}

}  // namespace

std::optional<Finding> input_bound(const Context& c) {
  const Loading loading = find_loading(c);
  if (loading.time.empty() || (loading.silent() && c.program.events.size() < kExcerptEvents)) return std::nullopt;
  Change change;
  change.host_removed = loading.time;
  if (loading.loader) hand_over(c, loading, change);
  Finding f;
  c.set_saving(f, change);
  if (*f.saving_fraction < (loading.silent() ? kLeastUnexplained : kLeastSaving)) return std::nullopt;
  const int64_t per_step_ns = analysis::length_ns(analysis::clip(loading.time, c.program.start_ns, c.program.end_ns)) /
                              static_cast<int64_t>(c.program.steps);
  explain(c, loading, per_step_ns, f);
  constexpr double kNsPerMs = 1e6;
  f.detail = loading.loader
                 ? fmt::format(
                       "The saving assumes that four worker processes load the data. This process still "
                       "takes over and pins each batch: {} {} ({:.2f} ms a batch and {:.1f} ms a megabyte).",
                       format_ns(static_cast<double>(hand_over_ns(change)) / static_cast<double>(c.program.steps)),
                       c.each_step(), model::kBatchHandOverNs / kNsPerMs,
                       1 / model::kBatchHandOverRate)  // ns a byte are ms a megabyte
                 : "The saving assumes that this work runs in parallel with the device, not before it.";
  f.evidence = {
      {"host_data_ns", per_step_ns},
      {"data_loader", loading.loader},
      {"concerned_fraction", std::min(1.0, static_cast<double>(per_step_ns) / static_cast<double>(c.step_ns))}};
  f.where = places(c, loading);
  return f;
}

}  // namespace warplens::findings
