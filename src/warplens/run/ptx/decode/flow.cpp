#include "warplens/run/ptx/decode/flow.h"

#include <algorithm>
#include <cstddef>
#include <map>

namespace warplens::simt::ptx_machine {
namespace {

constexpr uint32_t kUnreached = 0xffffffff;

/// Reverse post-order of the blocks that can be reached.
std::vector<uint32_t> reverse_post_order(const FlowGraph& graph) {
  std::vector<uint32_t> result;
  std::vector<uint8_t> seen(graph.size());
  std::vector<std::pair<uint32_t, size_t>> stack{{0, 0}};
  seen[0] = 1;
  while (!stack.empty()) {
    auto& [block, at] = stack.back();
    if (at < graph[block].size()) {
      const uint32_t next = graph[block][at++];
      if (!seen[next]) {
        seen[next] = 1;
        stack.emplace_back(next, 0);
      }
    } else {
      result.push_back(block);
      stack.pop_back();
    }
  }
  std::reverse(result.begin(), result.end());
  return result;
}

std::vector<std::vector<uint32_t>> predecessors_of(const FlowGraph& graph, const std::vector<uint32_t>& reachable) {
  std::vector<std::vector<uint32_t>> predecessors(graph.size());
  for (const uint32_t from : reachable) {
    for (const uint32_t to : graph[from]) predecessors[to].push_back(from);
  }
  return predecessors;
}

bool dominates(const std::vector<uint32_t>& dominator, const std::vector<uint32_t>& rank, uint32_t a, uint32_t b) {
  while (rank[b] > rank[a]) b = dominator[b];
  return a == b;
}

std::vector<uint32_t> ranks(const FlowGraph& graph, const std::vector<uint32_t>& order) {
  std::vector<uint32_t> rank(graph.size(), kUnreached);
  for (uint32_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
  return rank;
}

Loop natural_loop(uint32_t header, const std::vector<uint32_t>& latches,
                  const std::vector<std::vector<uint32_t>>& predecessors) {
  Loop loop{header, {header}};
  std::vector<uint8_t> in(predecessors.size());
  in[header] = 1;
  std::vector<uint32_t> work = latches;
  while (!work.empty()) {
    const uint32_t block = work.back();
    work.pop_back();
    if (in[block]) continue;
    in[block] = 1;
    loop.blocks.push_back(block);
    for (const uint32_t p : predecessors[block]) work.push_back(p);
  }
  return loop;
}

/// Emits blocks whose forward predecessors are all out, staying in the innermost open loop while it has one ready.
class Scheduler {
 public:
  Scheduler(const FlowGraph& graph, const std::vector<uint32_t>& reachable, const std::vector<uint32_t>& rank,
            const std::vector<Loop>& loops)
      : graph_(graph), rank_(rank), waiting_(graph.size()), inside_(graph.size()) {
    for (const uint32_t from : reachable) {
      for (const uint32_t to : graph[from]) {
        if (forward(from, to)) ++waiting_[to];
      }
    }
    // Loops from the outermost (largest) to the innermost, so that inside_ lists them in that order.
    std::vector<uint32_t> by_size(loops.size());
    for (uint32_t i = 0; i < by_size.size(); ++i) by_size[i] = i;
    std::stable_sort(by_size.begin(), by_size.end(),
                     [&](uint32_t a, uint32_t b) { return loops[a].blocks.size() > loops[b].blocks.size(); });
    for (const uint32_t l : by_size) {
      for (const uint32_t block : loops[l].blocks) inside_[block].push_back(l);
    }
    left_.resize(loops.size());
    for (uint32_t l = 0; l < loops.size(); ++l) left_[l] = loops[l].blocks.size();
  }

  std::vector<uint32_t> run(size_t count) {
    std::vector<uint32_t> out;
    ready_.push_back(0);
    while (out.size() < count) {
      const size_t pick = best();
      const uint32_t block = ready_[pick];
      ready_.erase(ready_.begin() + static_cast<ptrdiff_t>(pick));
      out.push_back(block);
      enter(block);
      for (const uint32_t to : graph_[block]) {
        if (forward(block, to) && --waiting_[to] == 0) ready_.push_back(to);
      }
    }
    return out;
  }

 private:
  // An edge that goes against the reverse post-order closes a loop, natural or not.
  bool forward(uint32_t from, uint32_t to) const { return rank_[from] < rank_[to]; }

  void enter(uint32_t block) {
    for (const uint32_t l : inside_[block]) {
      if (std::find(open_.begin(), open_.end(), l) == open_.end()) open_.push_back(l);
      --left_[l];
    }
    while (!open_.empty() && left_[open_.back()] == 0) open_.pop_back();
  }

  size_t best() const {
    for (size_t depth = open_.size() + 1; depth-- > 0;) {
      size_t found = ready_.size();
      for (size_t i = 0; i < ready_.size(); ++i) {
        const auto& in = inside_[ready_[i]];
        const bool fits = depth == 0 || std::find(in.begin(), in.end(), open_[depth - 1]) != in.end();
        if (fits && (found == ready_.size() || rank_[ready_[i]] < rank_[ready_[found]])) found = i;
      }
      if (found < ready_.size()) return found;
    }
    return 0;
  }

  const FlowGraph& graph_;
  const std::vector<uint32_t>& rank_;
  std::vector<uint32_t> waiting_, ready_, open_;
  std::vector<std::vector<uint32_t>> inside_;  // loops that a block is in, outermost first
  std::vector<size_t> left_;                   // blocks of a loop that are not out yet
};

}  // namespace

std::vector<uint32_t> immediate_dominators(const FlowGraph& graph) {
  const std::vector<uint32_t> order = reverse_post_order(graph), rank = ranks(graph, order);
  const auto predecessors = predecessors_of(graph, order);
  std::vector<uint32_t> dominator(graph.size(), kUnreached);
  dominator[0] = 0;
  const auto meet = [&](uint32_t a, uint32_t b) {
    while (a != b) {
      while (rank[a] > rank[b]) a = dominator[a];
      while (rank[b] > rank[a]) b = dominator[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const uint32_t block : order) {
      if (block == 0) continue;
      uint32_t best = kUnreached;
      for (const uint32_t p : predecessors[block]) {
        if (dominator[p] != kUnreached) best = best == kUnreached ? p : meet(p, best);
      }
      if (dominator[block] != best) {
        dominator[block] = best;
        changed = true;
      }
    }
  }
  return dominator;
}

Flow analyse_flow(const FlowGraph& graph) {
  Flow flow;
  if (graph.empty()) return flow;
  const std::vector<uint32_t> reachable = reverse_post_order(graph), rank = ranks(graph, reachable);
  const std::vector<uint32_t> dominator = immediate_dominators(graph);
  const auto predecessors = predecessors_of(graph, reachable);
  std::map<uint32_t, std::vector<uint32_t>> latches;  // by header
  for (const uint32_t from : reachable) {
    for (const uint32_t to : graph[from]) {
      if (dominates(dominator, rank, to, from)) latches[to].push_back(from);
    }
  }
  for (const auto& [header, ends] : latches) flow.loops.push_back(natural_loop(header, ends, predecessors));
  const std::vector<uint32_t> out = Scheduler(graph, reachable, rank, flow.loops).run(reachable.size());
  flow.order.assign(graph.size(), static_cast<uint32_t>(graph.size()));
  for (uint32_t i = 0; i < out.size(); ++i) flow.order[out[i]] = i;
  return flow;
}

}  // namespace warplens::simt::ptx_machine
