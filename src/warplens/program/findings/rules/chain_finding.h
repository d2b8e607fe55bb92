// The shared part of fusable-chain and unfused-normalisation: chains of one kind become one kernel each.
#pragma once
#include "warplens/program/findings/chains.h"

namespace warplens::findings {

/// A finding with counts, saving and places of these chains, the most costly first; title and advice are the rule's.
struct ChainSummary {
  Finding finding;
  size_t kernels = 0, instances = 0;
  int64_t device_ns = 0;  // a step
  std::string longest;    // operators of the most costly chain
};

std::optional<ChainSummary> summarise(const Context& context, const std::vector<Chain>& chains);

}  // namespace warplens::findings
