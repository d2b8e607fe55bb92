// unused-gradients: operators keep what a backward pass would need, and no backward pass comes.
#include <algorithm>
#include <map>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/model/constants.h"
#include "warplens/program/findings/rules.h"

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

}  // namespace

std::optional<Finding> unused_gradients(const Context& c) {
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
  f.title = fmt::format("{} operators {} keep what a backward pass would need, and none comes", format_count(count),
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

}  // namespace warplens::findings
