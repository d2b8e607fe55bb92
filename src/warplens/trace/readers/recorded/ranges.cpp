// Ranges and operators: pushes and pops of each thread become spans.
#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>

#include "warplens/base/json.h"
#include "warplens/base/text.h"
#include "warplens/trace/profile/host_sample.h"
#include "warplens/trace/readers/recorded/builder.h"
#include "warplens/trace/readers/recorded/range_names.h"

namespace warplens::recorded {
namespace {

constexpr std::string_view kStep = "ProfilerStep#";
constexpr std::string_view kEvaluate = "autograd::engine::evaluate_function: ";

}  // namespace

bool is_operator(std::string_view name, int64_t sequence) {
  return sequence >= 0 || contains(name, "::") || name.starts_with("triton_") || name == "detach";
}

bool is_module(std::string_view name) { return name.starts_with("nn.Module: "); }

void Builder::open(uint64_t thread, operators_row row) {
  row.thread = thread_row(thread);
  std::vector<Open>& stack = open_[row.thread];
  if (is_module(profile_.text(row.name))) {
    const int64_t parent = stack.empty() || !stack.back().is_frame ? -1 : static_cast<int64_t>(stack.back().row) + 1;
    stack.push_back({static_cast<uint32_t>(profile_.python_frames.size()), true});
    append(profile_.python_frames, {.start_ns = row.start_ns,
                                    .name = row.name,
                                    .thread = row.thread,
                                    .python_id = static_cast<int64_t>(profile_.python_frames.size()) + 1,
                                    .python_parent_id = parent,
                                    .python_module_id = -1});
    return;
  }
  stack.push_back({static_cast<uint32_t>(profile_.operators.size()), false});
  append(profile_.operators, row);
}

StringId Builder::domain_arguments(uint64_t domain) {
  const StringId id = name(domain);
  if (id == StringId::kEmpty) return id;
  return profile_.strings.intern(fmt::format("{{\"domain\": {}}}", json::quoted(profile_.text(id))));
}

void Builder::push(uint64_t thread, uint64_t time_ns, uint64_t text_id, uint64_t domain) {
  const StringId id = name(text_id);
  const bool of_torch = domain == 0 && is_operator(profile_.text(id), -1);
  open(thread, {.start_ns = local(time_ns),
                .name = id,
                .kind = of_torch ? OperatorKind::kOperator : OperatorKind::kRange,
                .sequence_number = -1,
                .args = domain_arguments(domain)});
}

Builder::Inputs Builder::inputs_of(uint64_t text_id) {
  const StringId whole = name(text_id);
  const auto [known, is_new] = inputs_.try_emplace(whole);
  if (!is_new) return known->second;
  std::array<StringId*, 3> parts = {&known->second.shapes, &known->second.types, &known->second.values};
  const std::string text(profile_.text(whole));
  size_t at = 0;
  for (StringId* part : parts) {
    const size_t end = std::min(text.find(stream::kInputsSeparator, at), text.size());
    *part = profile_.strings.intern(text.substr(at, end - at));
    at = std::min(end + 1, text.size());
  }
  return known->second;
}

void Builder::begin_operator(uint64_t thread, uint64_t time_ns, uint64_t text_id, uint64_t shapes, int64_t sequence) {
  const StringId id = name(text_id);
  const Inputs inputs = inputs_of(shapes);
  open(thread, {.start_ns = local(time_ns),
                .name = id,
                .kind = is_operator(profile_.text(id), sequence) ? OperatorKind::kOperator : OperatorKind::kRange,
                .sequence_number = sequence,
                .input_shapes = inputs.shapes,
                .input_types = inputs.types,
                .concrete_inputs = inputs.values});
}

void Builder::pop(uint64_t thread, uint64_t time_ns) {
  const int64_t at_ns = local(time_ns);
  std::vector<Open>& stack = open_[thread_row(thread)];
  if (stack.empty()) {
    ++unopened_;
    return;
  }
  const Open top = stack.back();
  stack.pop_back();
  if (top.is_frame) {
    profile_.python_frames.duration_ns.at(top.row) = at_ns - profile_.python_frames.start_ns[top.row];
  } else {
    profile_.operators.duration_ns.at(top.row) = at_ns - profile_.operators.start_ns[top.row];
  }
}

void Builder::mark(uint64_t thread, uint64_t time_ns, uint64_t text_id, uint64_t domain) {
  if (const std::string_view of = profile_.text(name(domain)); of.starts_with(stream::kSampleDomain)) {
    return sample(thread, local(time_ns), profile_.text(name(text_id)), of.substr(stream::kSampleDomain.size()));
  } else if (of == stream::kArgumentsDomain) {
    return arguments(thread, text_id);
  }
  append(profile_.operators, {.start_ns = local(time_ns),
                              .name = name(text_id),
                              .thread = thread_row(thread),
                              .kind = OperatorKind::kInstant,
                              .sequence_number = -1,
                              .args = domain_arguments(domain)});
}

void Builder::sample(uint64_t thread, int64_t time_ns, std::string_view stack, std::string_view state) {
  samples_.push_back({thread_row(thread), time_ns, profile_.strings.intern(stack), profile_.strings.intern(state)});
}

/// Arguments come behind their operator's begin.
void Builder::arguments(uint64_t thread, uint64_t text_id) {
  const std::vector<Open>& stack = open_[thread_row(thread)];
  if (!stack.empty() && !stack.back().is_frame) profile_.operators.args.at(stack.back().row) = name(text_id);
}

/// A sample stands for the time to the next one of its thread, where that is no more than a few periods away.
void Builder::add_samples() {
  if (samples_.empty()) return;
  constexpr int64_t kMostPeriods = 4;
  int64_t period_ns = 0;
  for (size_t i = 0; i < profile_.metadata.size(); ++i) {
    if (profile_.text(profile_.metadata.key[i]) == stream::kSamplePeriod)
      period_ns = parse_int(profile_.text(profile_.metadata.value[i])).value_or(0);
  }
  std::stable_sort(samples_.begin(), samples_.end(), [](const Sample& a, const Sample& b) {
    return std::tie(a.thread, a.time_ns) < std::tie(b.thread, b.time_ns);
  });
  const StringId category = profile_.strings.intern(kHostSampleCategory);
  for (size_t i = 0; i < samples_.size(); ++i) {
    const Sample& sample = samples_[i];
    const bool followed = i + 1 < samples_.size() && samples_[i + 1].thread == sample.thread &&
                          samples_[i + 1].time_ns - sample.time_ns <= kMostPeriods * period_ns;
    const std::string arguments = fmt::format("{{\"state\": {}}}", json::quoted(profile_.text(sample.state)));
    append(profile_.other_events, {.start_ns = sample.time_ns,
                                   .duration_ns = followed ? samples_[i + 1].time_ns - sample.time_ns : period_ns,
                                   .name = sample.stack,
                                   .category = category,
                                   .thread = sample.thread,
                                   .args = profile_.strings.intern(arguments),
                                   .phase = 'P'});
  }
}

/// Start/end ranges cross threads and overlap, so they are no part of any thread's nesting.
void Builder::range_start(uint64_t thread, uint64_t time_ns, uint64_t id, uint64_t text_id, uint64_t domain) {
  started_[id] = static_cast<uint32_t>(profile_.other_events.size());
  append(profile_.other_events, {.start_ns = local(time_ns),
                                 .name = name(text_id),
                                 .category = profile_.strings.intern("nvtx_start_end"),
                                 .thread = thread_row(thread),
                                 .args = domain_arguments(domain),
                                 .phase = 'X'});
}

void Builder::range_end(uint64_t, uint64_t time_ns, uint64_t id) {
  const int64_t at_ns = local(time_ns);
  const auto found = started_.find(id);
  if (found == started_.end()) {
    ++unopened_;
    return;
  }
  profile_.other_events.duration_ns.at(found->second) = at_ns - profile_.other_events.start_ns[found->second];
  started_.erase(found);
}

/// Moves the marks between steps out of the ranges that they lie in, in one walk over the ranges in order of time.
void Builder::move_step_ends(operators_table& steps) {
  const operators_table& ops = profile_.operators;
  std::vector<uint32_t> order(ops.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return ops.start_ns[a] < ops.start_ns[b]; });
  size_t next = 0;
  int64_t outer_end_ns = INT64_MIN;  // of the ranges of the steps' thread that began before the mark
  for (size_t i = 0; i < steps.size(); ++i) {
    const int64_t mark_ns = steps.start_ns[i];
    for (; next < order.size() && ops.start_ns[order[next]] <= mark_ns; ++next) {
      if (ops.thread[order[next]] == steps.thread[i])
        outer_end_ns = std::max(outer_end_ns, ops.start_ns[order[next]] + ops.duration_ns[order[next]]);
    }
    const int64_t moved_ns = std::min(std::max(mark_ns, outer_end_ns), mark_ns + steps.duration_ns[i]) - mark_ns;
    steps.start_ns.at(i) += moved_ns;
    steps.duration_ns.at(i) -= moved_ns;
    if (i > 0) steps.duration_ns.at(i - 1) = steps.start_ns[i] - steps.start_ns[i - 1];
  }
}

/// Steps are marked from inside whatever calls the recorder; each ends where the outermost range around its mark does.
void Builder::adopt_steps() {
  other_events_table kept;
  operators_table steps;
  for (size_t i = 0; i < profile_.other_events.size(); ++i) {
    const other_events_row event = row_of(profile_.other_events, i);
    if (!profile_.text(event.name).starts_with(kStep)) {
      append(kept, event);
      continue;
    }
    append(steps, {.start_ns = event.start_ns,
                   .duration_ns = event.duration_ns,
                   .name = event.name,
                   .thread = event.thread,
                   .kind = OperatorKind::kRange,
                   .sequence_number = -1});
  }
  profile_.other_events = std::move(kept);
  move_step_ends(steps);
  for (size_t i = 0; i < steps.size(); ++i) append(profile_.operators, row_of(steps, i));
}

void Builder::close_open_ranges() {
  for (const auto& [thread, stack] : open_) {
    unclosed_ += static_cast<int64_t>(stack.size());
    for (const Open& range : stack) {
      if (range.is_frame) {
        profile_.python_frames.duration_ns.at(range.row) = last_ns_ - profile_.python_frames.start_ns[range.row];
      } else {
        profile_.operators.duration_ns.at(range.row) = last_ns_ - profile_.operators.start_ns[range.row];
      }
    }
  }
  unclosed_ += static_cast<int64_t>(started_.size());
  for (const auto& [id, row] : started_)
    profile_.other_events.duration_ns.at(row) = last_ns_ - profile_.other_events.start_ns[row];
}

/// Torch's NVTX texts do not name the forward thread; backward functions are told by what the engine calls them, and
/// the one number stands for whichever thread has their sequence numbers.
void Builder::mark_backward() {
  operators_table& ops = profile_.operators;
  std::unordered_map<uint32_t, uint32_t> last_evaluation;  // row of threads -> row of operators
  for (uint32_t row = 0; row < ops.size(); ++row) {
    if (ops.kind[row] != OperatorKind::kOperator) continue;
    const std::string_view name = profile_.text(ops.name[row]);
    if (name.starts_with(kEvaluate)) {
      last_evaluation[ops.thread[row]] = row;
      if (ops.sequence_number[row] >= 0) ops.forward_thread.at(row) = 1;
      continue;
    }
    const auto outer = last_evaluation.find(ops.thread[row]);
    if (outer == last_evaluation.end() || ops.sequence_number[row] < 0) continue;
    const int64_t outer_number = ops.sequence_number[outer->second];  // the engine's own ranges may have none
    if (profile_.text(ops.name[outer->second]).substr(kEvaluate.size()) == name &&
        (outer_number < 0 || outer_number == ops.sequence_number[row]))
      ops.forward_thread.at(row) = 1;
  }
}

}  // namespace warplens::recorded
