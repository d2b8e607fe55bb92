// unfused-normalisation: layer or RMS normalisation written as separate operators.
#include <algorithm>
#include <cmath>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/findings/operators.h"
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
    if (!chain.backward) chain = normalisation_of(c, chain);
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
