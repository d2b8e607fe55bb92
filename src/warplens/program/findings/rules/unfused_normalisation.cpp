// unfused-normalisation: layer or RMS normalisation written as separate operators.
#include <cmath>

#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/findings/rules.h"
#include "warplens/program/findings/rules/chain_finding.h"

namespace warplens::findings {

std::optional<Finding> unfused_normalisation(const Context& c) {
  std::vector<Chain> chains = c.chains();
  std::erase_if(chains, [](const Chain& chain) { return !chain.normalises; });
  std::optional<ChainSummary> sum = summarise(c, chains);
  if (!sum) return std::nullopt;
  Finding f = std::move(sum->finding);
  f.title = fmt::format("{} normalisations {} run as {} kernels: {}",
                        format_count(std::round(c.per_step(static_cast<double>(sum->instances)))), c.each_step(),
                        format_count(std::round(c.per_step(static_cast<double>(sum->kernels)))), sum->longest);
  f.detail = fmt::format(
      "They take {} of device time {}; a fused normalisation reads its input once and writes its output once.",
      format_ns(static_cast<double>(sum->device_ns)), c.each_step());
  f.advice = "Use F.layer_norm, F.rms_norm, F.batch_norm or F.normalize, or let torch.compile fuse the expression.";
  return f;
}

}  // namespace warplens::findings
