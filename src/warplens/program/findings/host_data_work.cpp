#include "warplens/program/findings/host_data_work.h"

#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/program/analysis/host_work.h"
#include "warplens/program/findings/context.h"
#include "warplens/trace/profile/name_memo.h"

namespace warplens::findings {
namespace {

using analysis::Span;

bool in_window(const Profile& p, const Program& program, uint32_t op) {
  return analysis::rank_of_operator(p, op) == program.rank && p.operators.start_ns[op] >= program.start_ns &&
         p.operators.start_ns[op] < program.end_ns;
}

Span span_of(const Profile& p, uint32_t op) {
  return {p.operators.start_ns[op], p.operators.start_ns[op] + p.operators.duration_ns[op]};
}

/// An operator that no other operator called.
bool is_outermost(const Profile& p, const Joined& joined, uint32_t op) {
  const uint32_t parent = joined.operators.parent[op];
  return p.operators.kind[op] == OperatorKind::kOperator &&
         (parent == kNone || p.operators.kind[parent] != OperatorKind::kOperator);
}

/// Stretches of the window in which the host is in no operator and in no call.
analysis::TimeSet silence(const Profile& p, const Joined& joined, const Program& program) {
  std::vector<Span> busy;
  for (const uint32_t op : joined.operators.order) {
    if (is_outermost(p, joined, op) && in_window(p, program, op)) busy.push_back(span_of(p, op));
  }
  const int64_t least_ns = busy.empty() ? kSilenceOfCallsNs : kSilenceNs;
  for (const analysis::ProgramCall& call : program.calls) busy.push_back({call.start_ns, call.end_ns});
  analysis::TimeSet silent = analysis::subtract({{program.start_ns, program.end_ns}}, analysis::unite(std::move(busy)));
  std::erase_if(silent, [&](const Span& span) { return span.end_ns - span.start_ns < least_ns; });
  return silent;
}

}  // namespace

bool is_loader_range(std::string_view name) { return contains(name, "DataLoader") && contains(name, "__next__"); }

std::vector<uint32_t> long_host_operators(const Profile& p, const Joined& joined, const Program& program) {
  std::vector<uint32_t> out;
  for (const uint32_t op : joined.operators.order) {
    if (p.operators.duration_ns[op] < analysis::kLongOperatorNs || !is_outermost(p, joined, op) ||
        !in_window(p, program, op))
      continue;
    if (analysis::only_arranges(p.text(p.operators.name[op]))) continue;
    if (!program.calls_within(span_of(p, op))) out.push_back(op);
  }
  return out;
}

analysis::TimeSet named_data_work(const Profile& p, const Joined& joined, const Program& program) {
  std::vector<Span> spans;
  for (const uint32_t op : long_host_operators(p, joined, program)) spans.push_back(span_of(p, op));
  NameMemo loads(p, is_loader_range);
  for (uint32_t op = 0; op < p.operators.size(); ++op) {
    if (p.operators.kind[op] == OperatorKind::kRange && loads(p.operators.name[op]) && in_window(p, program, op))
      spans.push_back(span_of(p, op));
  }
  return analysis::unite(std::move(spans));
}

analysis::TimeSet find_host_data_work(const Profile& p, const Joined& joined, const Program& program) {
  analysis::TimeSet spans = named_data_work(p, joined, program);
  const analysis::TimeSet silent = silence(p, joined, program);
  spans.insert(spans.end(), silent.begin(), silent.end());
  return analysis::unite(std::move(spans));
}

}  // namespace warplens::findings
