// fusable-chain: short kernels in a row that each read and write the same tensor.
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/findings/rules.h"
#include "warplens/program/findings/rules/chain_finding.h"

namespace warplens::findings {

std::optional<Finding> fusable_chain(const Context& c) {
  std::vector<Chain> chains = c.chains();
  std::erase_if(chains, [](const Chain& chain) { return chain.normalises; });
  std::optional<ChainSummary> sum = summarise(c, chains);
  if (!sum || saves_little(sum->finding)) return std::nullopt;
  Finding f = std::move(sum->finding);
  f.title = fmt::format("{} kernels {} in {} could be one kernel each: {}",
                        format_count(c.per_step(static_cast<double>(sum->kernels))), c.each_step(),
                        counted(c.per_step(static_cast<double>(sum->instances)), "chain", "chains"), sum->longest);
  f.detail = fmt::format("They take {} of device time {}; every one reads its tensor from memory and writes it back.",
                         format_ns(static_cast<double>(sum->device_ns)), c.each_step());
  f.advice =
      "Fuse them: torch.compile does it for whole modules, a Triton or CUDA kernel for one expression; for a known "
      "function use the library's (F.gelu, F.silu, F.softmax, ...).";
  return f;
}

}  // namespace warplens::findings
