#include "warplens/program/findings/rules/chain_finding.h"

#include <algorithm>
#include <map>

namespace warplens::findings {

std::optional<ChainSummary> summarise(const Context& c, const std::vector<Chain>& chains) {
  if (chains.empty()) return std::nullopt;
  ChainSummary out;
  Change change;
  std::map<std::string, std::pair<int64_t, uint32_t>> by_names;  // device time, an operator
  for (const Chain& chain : chains) {
    int64_t time = 0;
    for (const uint32_t event : chain.events) time += c.program.events[event].duration_ns;
    out.kernels += chain.events.size();
    out.instances += chain.instances();
    out.device_ns += time;
    auto& entry = by_names[chain_names(c, chain)];
    entry.first += time;
    entry.second = c.op_of(c.program.events[chain.events[0]]);
    fuse(c, chain, change);
  }
  c.set_saving(out.finding, change);
  std::vector<std::pair<int64_t, std::string>> order;
  for (const auto& [names, entry] : by_names) order.emplace_back(entry.first, names);
  std::sort(order.rbegin(), order.rend());
  out.longest = order[0].second;
  std::vector<uint32_t> ops;
  for (size_t i = 0; i < std::min<size_t>(order.size(), 5); ++i) ops.push_back(by_names[order[i].second].second);
  out.device_ns /= static_cast<int64_t>(c.program.steps);
  out.finding.where = c.places(ops);
  out.finding.evidence = {{"kernels_per_step", c.per_step(static_cast<double>(out.kernels))},
                          {"chains_per_step", c.per_step(static_cast<double>(out.instances))},
                          {"device_ns", out.device_ns},
                          {"operators", out.longest}};
  return out;
}

}  // namespace warplens::findings
