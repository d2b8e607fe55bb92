// unfused-normalisation: layer or RMS normalisation written as separate operators.
#include <algorithm>
#include <cmath>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/findings/operators.h"
#include "warplens/program/findings/replaced_work.h"
#include "warplens/program/findings/rules.h"
#include "warplens/program/findings/rules/chain_finding.h"

namespace warplens::findings {
namespace {

uint32_t operator_in(const Context& c, const Chain& chain, size_t i) {
  return c.op_of(c.program.events[chain.events[i]]);
}

/// Does it work on a tensor and on rows' statistics or weights, of fewer elements?
bool scales(const Context& c, uint32_t op) {
  const int64_t largest = c.largest_input(op);
  return std::ranges::any_of(c.shapes(op), [&](const analysis::InputShape& shape) {
    const int64_t elements = shape.is_list || shape.dims.empty() ? 0 : analysis::element_count(shape.dims);
    return elements > 1 && elements < largest;
  });
}

/// Bytes of the rows that a reduction reads; 0 where the trace does not tell.
int64_t row_bytes(const Context& c, uint32_t op) {
  const auto inputs = analysis::parse_string_array(c.p.text(c.p.operators.concrete_inputs[op]));
  const auto over = inputs.size() > 1 ? analysis::parse_shapes("[" + inputs[1] + "]") : std::nullopt;
  const analysis::Shape shape = shape_of(c, op);
  if (!over || over->empty()) return 0;
  int64_t elements = 1;
  for (const int64_t dim : over->front().dims) {
    const int64_t at = dim < 0 ? dim + static_cast<int64_t>(shape.size()) : dim;
    if (at < 0 || at >= static_cast<int64_t>(shape.size())) return 0;
    elements = analysis::element_count({elements, shape[static_cast<size_t>(at)]});
  }
  return analysis::element_count({elements, c.element_bytes(op)});
}

/// Rows that an SM cannot hold are read twice, by two kernels of a library: one for their sums, one that scales. Each
/// takes as long as the fastest of its kind in the chain. 0 where rows are shorter.
int64_t two_kernels_ns(const Context& c, const Chain& chain) {
  int64_t longest_row = 0, reduces_ns = INT64_MAX, scales_ns = INT64_MAX;
  for (size_t i = 0; i < std::min(chain.period, chain.events.size()); ++i) {
    const uint32_t op = operator_in(c, chain, i);
    if (c.largest_input(op) != chain.elements) continue;
    const int64_t took_ns = c.program.events[chain.events[i]].duration_ns;
    if (is_row_reduction(c.op_name(op))) {
      longest_row = std::max(longest_row, row_bytes(c, op));
      reduces_ns = std::min(reduces_ns, took_ns);
    } else {
      scales_ns = std::min(scales_ns, took_ns);
    }
  }
  const auto held = static_cast<int64_t>(c.p.devices.shared_bytes_per_sm[c.device]);
  const bool is_held = held <= 0 || longest_row <= held;
  return is_held || scales_ns == INT64_MAX ? 0 : reduces_ns + scales_ns;
}

/// Of each instance what a library's normalisation does: from its first sum, or the squares before it, to the last
/// scaling. Sums of residuals and casts around it stay.
Chain normalisation_of(const Context& c, const Chain& chain) {
  size_t begin = chain.period, end = 0;
  for (size_t i = 0; i < std::min(chain.period, chain.events.size()); ++i) {
    const uint32_t op = operator_in(c, chain, i);
    const bool reduces = is_row_reduction(c.op_name(op));
    if (reduces) begin = std::min(begin, i);
    if (reduces || scales(c, op)) end = i + 1;
  }
  while (begin > 0 && begin < chain.period) {
    const std::string_view before = c.op_name(operator_in(c, chain, begin - 1));
    if (before != "aten::pow" && before != "aten::square") break;
    --begin;
  }
  if (begin >= end) return chain;
  Chain out = chain;
  out.period = end - begin;
  out.events.clear();
  for (size_t from = begin; from < chain.events.size(); from += chain.period)
    for (size_t i = from; i < std::min(from + out.period, chain.events.size()); ++i)
      out.events.push_back(chain.events[i]);
  return out;
}

}  // namespace

std::optional<Finding> unfused_normalisation(const Context& c) {
  std::vector<Chain> chains = c.chains();
  std::erase_if(chains, [](const Chain& chain) { return !chain.normalises; });
  for (Chain& chain : chains) {
    if (chain.backward) continue;
    chain = normalisation_of(c, chain);
    chain.least_ns = two_kernels_ns(c, chain);
  }
  std::optional<ChainSummary> sum = summarise(c, chains);
  if (!sum) return std::nullopt;
  Finding f = std::move(sum->finding);
  f.title = fmt::format("normalisations run as separate operators: {} {}, {} kernels: {}",
                        format_count(std::round(c.per_step(static_cast<double>(sum->instances)))), c.each_step(),
                        format_count(std::round(c.per_step(static_cast<double>(sum->kernels)))), sum->longest);
  f.detail = fmt::format(
      "They take {} of device time {}; a fused normalisation reads its input once and writes its output once.",
      format_ns(static_cast<double>(sum->device_ns)), c.each_step());
  f.advice = "Use F.layer_norm, F.rms_norm, F.batch_norm or F.normalize, or let torch.compile fuse the expression.";
  return f;
}

}  // namespace warplens::findings
