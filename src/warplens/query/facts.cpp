#include "warplens/query/facts.h"

#include <algorithm>

#include "warplens/query/column.h"

namespace warplens::query {
namespace {

/// `value` of the place that each row refers to; kNoValue where it refers to nothing.
Numbers at_rows(const Rows& rows, const Numbers& values) {
  Numbers out(rows.size(), kNoValue);
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] != kNone) out[i] = values[rows[i]];
  }
  return out;
}

}  // namespace

const analysis::Causes& Facts::causes() {
  if (!causes_) causes_.emplace(profile_);
  return *causes_;
}

const Rows& Facts::event_operator() {
  if (causes_) return causes_->links.event_operator;
  if (!event_operator_) event_operator_ = analysis::link_device_operators(profile_);
  return *event_operator_;
}

const Rows& Facts::event_call() {
  if (causes_) return causes_->links.event_call;
  if (!event_call_) event_call_ = analysis::link_device_calls(profile_);
  return *event_call_;
}

const analysis::StepSet& Facts::steps() {
  if (!steps_) steps_ = analysis::step_set(profile_, event_call());
  return *steps_;
}

Numbers Facts::steps_at(const Rows& ranks, const Column<int64_t>& starts_ns) {
  const std::vector<analysis::Step>& all = steps().steps;
  std::vector<std::pair<const analysis::Step*, const analysis::Step*>> of_rank(profile_.ranks.size());
  for (size_t i = 0, end = 0; i < all.size(); i = end) {
    while (end < all.size() && all[end].rank == all[i].rank) ++end;
    of_rank[all[i].rank] = {all.data() + i, all.data() + end};
  }
  Numbers out(starts_ns.size(), kNoValue);
  for (size_t row = 0; row < starts_ns.size(); ++row) {
    const auto [first, last] = of_rank[ranks[row]];
    const analysis::Step* after = std::upper_bound(
        first, last, starts_ns[row], [](int64_t time, const analysis::Step& step) { return time < step.start_ns; });
    if (after != first && starts_ns[row] < (after - 1)->end_ns) out[row] = (after - 1)->number;
  }
  return out;
}

const Numbers& Facts::operator_step() {
  if (!operator_step_)
    operator_step_ = steps_at(ranks_of_threads(profile_.operators.thread), profile_.operators.start_ns);
  return *operator_step_;
}

const Numbers& Facts::call_step() {
  if (!call_step_) call_step_ = steps_at(ranks_of_threads(profile_.calls.thread), profile_.calls.start_ns);
  return *call_step_;
}

const Numbers& Facts::event_step() {
  if (!event_step_) event_step_ = at_rows(event_call(), call_step());
  return *event_step_;
}

const analysis::Classes& Facts::classes() {
  if (classes_) return *classes_;
  Result<analysis::ClassRules> rules = analysis::class_rules("");
  rules_ = rules.ok() ? std::move(rules).value() : analysis::ClassRules{};
  class_names_.assign(rules_->names.begin(), rules_->names.end());
  classes_ = analysis::classify(profile_, event_operator(), *rules_);
  return *classes_;
}

const std::vector<std::string_view>& Facts::class_names() {
  classes();
  return class_names_;
}

const Rows& Facts::ranks_through(const Column<uint32_t>& rows, const Column<uint32_t>& ranks) {
  for (const auto& [column, known] : ranks_) {
    if (column == &rows) return *known;
  }
  auto out = std::make_unique<Rows>(rows.size(), kNone);
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] != kNone) (*out)[i] = ranks[rows[i]];
  }
  return *ranks_.emplace_back(&rows, std::move(out)).second;
}

const Rows& Facts::ranks_of_threads(const Column<uint32_t>& threads) {
  return ranks_through(threads, profile_.threads.rank);
}

const Rows& Facts::ranks_of_devices(const Column<uint32_t>& devices) {
  return ranks_through(devices, profile_.devices.rank);
}

Rows Facts::events_of(DeviceEventKind kind) const {
  const auto& kinds = profile_.device_events.kind;
  Rows out;
  for (uint32_t row = 0; row < kinds.size(); ++row) {
    if (kinds[row] == kind || (kind == DeviceEventKind::kCopy && kinds[row] == DeviceEventKind::kSet))
      out.push_back(row);
  }
  return out;
}

const Rows& Facts::selected(DeviceEventKind kind, Reference what) {
  auto& known = kind == DeviceEventKind::kKernel ? kernels_ : copies_;
  std::optional<Rows>& wanted = known[static_cast<size_t>(what)];
  if (wanted) return *wanted;
  if (what == Reference::kEvent) return wanted.emplace(events_of(kind));
  const auto& events = profile_.device_events;
  const auto through = [&](std::span<const uint32_t> values) -> const Rows& {
    Rows out;
    for (const uint32_t row : selected(kind, Reference::kEvent)) out.push_back(values[row]);
    return wanted.emplace(std::move(out));
  };
  switch (what) {
    case Reference::kDevice: return through(events.device.values());
    case Reference::kRank: return through(ranks_of_devices(events.device));
    case Reference::kOperator: return through(event_operator());
    case Reference::kLaunchConfig: return through(events.launch_config.values());
    case Reference::kCollective:
    case Reference::kEvent: break;
  }
  return through(events.collective.values());
}

const analysis::Timeline& Facts::timeline() {
  if (!timeline_) timeline_ = analysis::device_timeline(profile_, causes(), steps());
  return *timeline_;
}

const analysis::RankAnalysis& Facts::rank_analysis() {
  if (!rank_analysis_) rank_analysis_ = analysis::analyse_ranks(profile_);
  return *rank_analysis_;
}

}  // namespace warplens::query
