// unused-gradients: a backward pass is prepared that never comes, or makes gradients that nothing takes.
#include <algorithm>
#include <map>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/model/constants.h"
#include "warplens/program/findings/rules.h"
#include "warplens/program/findings/untaken_gradients.h"

namespace warplens::findings {
namespace {

/// The operators that autograd follows, by thread and sequence number. The last one to start under a number has it.
using Followed = std::map<std::pair<uint32_t, int64_t>, uint32_t>;

/// Empty if there is a backward pass.
Followed followed_in_vain(const Context& c) {
  const auto& ops = c.p.operators;
  NameMemo evaluates(c.p, [](std::string_view name) { return contains(name, "evaluate_function"); });
  Followed out;
  for (const uint32_t op : c.joined.operators.order) {
    if (analysis::rank_of_operator(c.p, op) != c.program.rank || ops.start_ns[op] < c.program.start_ns ||
        ops.start_ns[op] >= c.program.end_ns)
      continue;
    if (evaluates(ops.name[op])) return {};
    if (ops.sequence_number[op] >= 0) out[{ops.thread[op], ops.sequence_number[op]}] = op;
  }
  return out;
}

/// A number that nothing of its thread goes beyond belongs to operators that autograd did not follow.
void leave_out_last(Followed& followed) {
  for (auto at = followed.begin(); at != followed.end();) {
    const auto next = std::next(at);
    if (next == followed.end() || next->first.first != at->first.first) at = followed.erase(at);
    else at = next;
  }
}

std::optional<Finding> untaken(const Context& c) {
  const UntakenGradients untaken = untaken_gradients(c);
  if (!untaken.tensors) return std::nullopt;
  Finding f;
  c.set_saving(f, untaken.change);
  if (saves_little(f)) return std::nullopt;
  const double count = c.per_step(static_cast<double>(untaken.tensors));
  f.title =
      fmt::format("{} gradients {} are computed, and no optimizer takes them", format_count(count), c.each_step());
  f.detail = fmt::format(
      "Each step adds to them, and nothing clears them. The kernels that make them take {} of device time {}.",
      format_ns(c.per_step(static_cast<double>(untaken.device_ns))), c.each_step());
  f.advice =
      "Call requires_grad_(False) on the parameters that are not trained. Run frozen layers at the beginning of the "
      "model in torch.no_grad().";
  f.evidence = {{"gradients_per_step", count},
                {"device_ns", untaken.device_ns / static_cast<int64_t>(c.program.steps)}};
  f.where = c.places(untaken.operators);
  return f;
}

/// Of a program without a backward pass.
std::optional<Finding> never_used(const Context& c) {
  Followed followed = followed_in_vain(c);
  leave_out_last(followed);
  if (followed.empty()) return std::nullopt;
  Finding f;
  Change change;
  std::vector<uint32_t> operators;
  for (const auto& [number, op] : followed) {
    const analysis::Span span = c.span_of(op);
    change.host_removed.push_back(
        {span.start_ns, std::min(span.end_ns, span.start_ns + static_cast<int64_t>(model::kFollowedNs))});
    operators.push_back(c.root_of(op));
  }
  c.set_saving(f, change);
  if (saves_little(f)) return std::nullopt;
  const double count = c.per_step(static_cast<double>(followed.size()));
  f.title = fmt::format("{} operators {} keep tensors for a backward pass that never runs", format_count(count),
                        c.each_step());
  f.detail = fmt::format(
      "The host makes a node of autograd's graph for each, and drops it again: {} for each node is assumed. Until "
      "then, "
      "the tensors that these operators read stay in memory.",
      format_ns(model::kFollowedNs));
  f.advice = "Run evaluation and inference in torch.inference_mode() or torch.no_grad().";
  f.evidence = {{"operators_per_step", count}};
  f.where = c.places(operators);
  return f;
}

}  // namespace

std::optional<Finding> unused_gradients(const Context& c) {
  std::optional<Finding> found = untaken(c);
  return found ? found : never_used(c);
}

}  // namespace warplens::findings
