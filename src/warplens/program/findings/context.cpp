#include "warplens/program/findings/context.h"

#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/program/analysis/python_stack.h"
#include "warplens/program/analysis/steps/optimizer_steps.h"
#include "warplens/program/findings/cold_start.h"
#include "warplens/program/findings/host_data_work.h"
#include "warplens/program/findings/idle.h"
#include "warplens/program/findings/launch_shape.h"
#include "warplens/program/findings/operators.h"

namespace warplens::findings {
namespace {

uint32_t busiest_device(const Profile& p, const Program& program) {
  std::vector<int64_t> busy(p.devices.size(), 0);
  for (const ProgramEvent& event : program.events) busy[p.device_events.device[event.row]] += event.duration_ns;
  return busy.empty() ? 0 : static_cast<uint32_t>(std::max_element(busy.begin(), busy.end()) - busy.begin());
}

/// From the first step's start to the last one's end, or the run.
analysis::Span recorded_span(const Profile& p, const Joined& joined, const std::vector<analysis::StepTime>& times,
                             uint32_t rank) {
  analysis::Span span{INT64_MAX, INT64_MIN};
  for (const analysis::StepTime& step : times) {
    if (step.rank == rank) {
      span.start_ns = std::min(span.start_ns, step.start_ns);
      span.end_ns = std::max(span.end_ns, step.end_ns);
    }
  }
  return span.start_ns < span.end_ns ? span : analysis::run_time(p, joined.links.event_call, rank);
}

}  // namespace

Joined::Joined(const Profile& profile)
    : operators(analysis::operator_forest(profile)),
      frames(analysis::frame_forest(profile)),
      links(analysis::link_events(profile, operators)),
      step_set(analysis::step_set(profile, links.event_call)) {
  analysis::StepSet run = analysis::longest_run(step_set);
  steps = std::move(run.steps);
  times = std::move(run.times);
  outermost.assign(operators.size(), kNone);
  for (const uint32_t op : operators.order) {
    if (operators.parent[op] != kNone) outermost[op] = outermost[operators.parent[op]];
    if (outermost[op] == kNone && profile.operators.kind[op] == OperatorKind::kOperator) outermost[op] = op;
  }
  if (profile.python_frames.size()) operator_frame = analysis::operator_frames(profile, frames);
}

Context::Context(const Profile& profile, const Joined& all, uint32_t rank)
    : p(profile),
      joined(all),
      program(analysis::build_program(profile, all.operators, all.links, all.steps, rank)),
      device(busiest_device(profile, program)),
      hardware(hardware_of(profile, device)),
      step_ns(program.events.empty() ? 0 : analysis::step_time_ns(program)),
      recorded(recorded_span(profile, all, all.times, rank)),
      steps(analysis::step_summary(all.step_set, rank)),
      recorded_step_ns(steps.steady > 0 ? steps.mean_ns : recorded.end_ns - recorded.start_ns),
      host_data_work(find_host_data_work(profile, all, program)) {}

size_t Context::iterations() const {
  NameMemo updates(p, analysis::is_optimizer_step), loads(p, is_loader_range);
  size_t stepped = 0, loaded = 0;
  for (uint32_t op = 0; op < p.operators.size(); ++op) {
    if (analysis::rank_of_operator(p, op) != program.rank || p.operators.start_ns[op] < program.start_ns ||
        p.operators.start_ns[op] >= program.end_ns)
      continue;
    stepped += updates(p.operators.name[op]);
    loaded += loads(p.operators.name[op]);
  }
  return std::max(program.has_steps ? program.steps : std::max<size_t>(stepped, 1), loaded);
}

const analysis::TimeSet& Context::communication() const {
  if (communication_) return *communication_;
  std::vector<analysis::Span> spans;
  for (const ProgramEvent& event : program.events) {
    if (is_communication(event)) spans.push_back({start_of(event), start_of(event) + event.duration_ns});
  }
  communication_ = std::make_shared<const analysis::TimeSet>(analysis::unite(std::move(spans)));
  return *communication_;
}

const std::unordered_map<uint32_t, std::vector<uint32_t>>& Context::backward_functions() const {
  if (backward_functions_) return *backward_functions_;
  const analysis::BackwardLinks links = analysis::link_backward(p, joined.operators);
  std::unordered_map<uint32_t, std::vector<uint32_t>> out;
  for (const uint32_t op : joined.operators.order) {
    if (links.forward[op] != kNone) out[links.forward[op]].push_back(op);
  }
  backward_functions_ = std::make_shared<const std::unordered_map<uint32_t, std::vector<uint32_t>>>(std::move(out));
  return *backward_functions_;
}

uint32_t Context::evaluation_of(uint32_t function) const {
  const uint32_t around = joined.operators.parent[function];
  return around != kNone && contains(op_name(around), "evaluate_function") ? around : function;
}

uint32_t Context::root_of(uint32_t op) const { return joined.outermost[op] == kNone ? op : joined.outermost[op]; }

analysis::Span Context::span_with_call(uint32_t op) const {
  analysis::Span span = span_of(op);
  const analysis::Forest& forest = joined.operators;
  const uint32_t parent = forest.parent[op], at = forest.position[op];
  if ((parent != kNone && p.operators.kind[parent] == OperatorKind::kOperator) ||
      at == forest.thread_begin[p.operators.thread[op]])
    return span;
  uint32_t before = forest.order[at - 1];
  if (before == parent) return span;
  while (forest.parent[before] != parent && forest.parent[before] != kNone) before = forest.parent[before];
  const int64_t end_ns = span_of(before).end_ns;
  if (end_ns < span.start_ns) span.start_ns = std::max(end_ns, span.start_ns - kPythonCallNs);
  return span;
}

const std::vector<analysis::InputShape>& Context::shapes(uint32_t op) const {
  const auto id = op == kNone ? 0 : static_cast<uint32_t>(p.operators.input_shapes[op]);
  auto at = shapes_.find(id);
  if (at == shapes_.end())
    at =
        shapes_
            .emplace(
                id,
                analysis::parse_shapes(p.text(static_cast<StringId>(id))).value_or(std::vector<analysis::InputShape>{}))
            .first;
  return at->second;
}

const std::vector<std::string>& Context::types(uint32_t op) const {
  const auto id = op == kNone ? 0 : static_cast<uint32_t>(p.operators.input_types[op]);
  auto at = types_.find(id);
  if (at == types_.end())
    at = types_.emplace(id, analysis::parse_string_array(p.text(static_cast<StringId>(id)))).first;
  return at->second;
}

int64_t Context::largest_input(uint32_t op) const {
  int64_t largest = 0;
  for (const analysis::InputShape& shape : shapes(op)) {
    if (!shape.is_list && !shape.dims.empty()) largest = std::max(largest, analysis::element_count(shape.dims));
  }
  return largest;
}

int Context::element_bytes(uint32_t op) const {
  const auto& dtypes = types(op);
  return dtypes.empty() ? 4 : dtype_bytes(dtypes[0]);
}

std::vector<std::string> Context::places(const std::vector<uint32_t>& ops, size_t limit) const {
  std::vector<std::string> out;
  for (const uint32_t op : ops) {
    if (op == kNone || analysis::step_number(op_name(op))) continue;
    std::string place(op_name(op));
    if (!joined.operator_frame.empty() && joined.operator_frame[op] != kNone) {
      const uint32_t frame = analysis::enclosing_user_frame(p, joined.frames, joined.operator_frame[op]);
      const std::string module = analysis::module_path(p, joined.frames, joined.operator_frame[op]);
      if (!module.empty()) place += " in " + module;
      if (frame != kNone) place += fmt::format(" at {}", p.text(p.python_frames.name[frame]));
    } else if (const std::string_view module = p.text(p.operators.module[op]); !module.empty()) {
      place += fmt::format(" in {}", module);
    }
    if (std::find(out.begin(), out.end(), place) == out.end()) out.push_back(place);
    if (out.size() >= limit) break;
  }
  return out;
}

/// What a step can save at most: no path through it gets shorter by more than what vanishes.
namespace {

/// What kernels that fill the device, copies to it or copies from it take a step: those of one kind run one by one,
/// on however many streams.
int64_t busiest_engine_ns(const Context& c) {
  int64_t kernels_ns = 0, up_ns = 0, down_ns = 0;
  for (const ProgramEvent& event : c.program.events) {
    const uint32_t config = c.p.device_events.launch_config[event.row];
    if (c.is_copy(event, CopyKind::kHostToDevice)) up_ns += event.duration_ns;
    else if (c.is_copy(event, CopyKind::kDeviceToHost)) down_ns += event.duration_ns;
    else if (config != kNone && blocks_of(c, config) >= c.hardware.sm_count) kernels_ns += event.duration_ns;
  }
  return std::max({kernels_ns, up_ns, down_ns}) / static_cast<int64_t>(c.program.steps);
}

}  // namespace

int64_t Context::most_saving_ns(const Change& change) const {
  constexpr int64_t kAroundEventNs = 10'000;  // the gap before it and its launch
  if (change.graph) {                         // the device still has its work to do
    int64_t spared_ns = 0;
    for (const uint32_t row : change.events_removed) spared_ns += p.device_events.duration_ns[row];
    for (const auto& [row, duration_ns] : change.event_duration)
      spared_ns += std::max<int64_t>(0, p.device_events.duration_ns[row] - duration_ns);
    const int64_t busy_ns = std::max<int64_t>(0, idle().busy_ns - spared_ns) / static_cast<int64_t>(program.steps);
    return std::max<int64_t>(0, step_ns - busy_ns);
  }
  if (!change.undelayed.empty()) return std::max<int64_t>(0, step_ns - busiest_engine_ns(*this));
  if (!change.prefetched.empty() || !change.detached.empty() || !change.calls_not_waiting.empty()) return INT64_MAX;
  int64_t total = analysis::length_ns(analysis::unite(change.host_removed));
  for (const uint32_t row : change.events_removed) total += p.device_events.duration_ns[row] + kAroundEventNs;
  for (const auto& [row, duration_ns] : change.event_duration)
    total += std::max<int64_t>(0, p.device_events.duration_ns[row] - duration_ns);
  return total / static_cast<int64_t>(program.steps);
}

int64_t Context::saving_ns(const Change& change) const {
  const int64_t most_ns = most_saving_ns(change);
  const analysis::TimeSet& cold = cold_start().time;
  if (cold.empty()) return std::clamp<int64_t>(step_ns - analysis::step_time_ns(program, change), 0, most_ns);
  if (warm_step_ns_ < 0) {
    Change warm;
    warm.host_removed = cold;
    warm_step_ns_ = analysis::step_time_ns(program, warm);
  }
  Change both = change;
  both.host_removed.insert(both.host_removed.end(), cold.begin(), cold.end());
  return std::clamp<int64_t>(warm_step_ns_ - analysis::step_time_ns(program, both), 0, most_ns);
}

void Context::set_saving(Finding& finding, int64_t saving_ns) const {
  finding.saving_ns = saving_ns;
  finding.saving_fraction = step_ns > 0 ? static_cast<double>(*finding.saving_ns) / static_cast<double>(step_ns) : 0;
  finding.level = level_of(*finding.saving_fraction);
}

}  // namespace warplens::findings
