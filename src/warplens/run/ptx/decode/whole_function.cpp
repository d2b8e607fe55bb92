// What is known of a function once all its blocks are decoded: their order, who waits in loops, what must be cleared.
#include <algorithm>
#include <set>

#include "warplens/run/ptx/decode/decode.h"
#include "warplens/run/ptx/decode/flow.h"

namespace warplens::simt::ptx_machine {

/// Float reductions may be applied at the end of their block, in block order, when nothing after them can read what
/// they change; otherwise blocks must run one after another.
void Decoding::judge_reductions() {
  for (uint32_t i = 0; i < starts_.size(); ++i) {
    if (!sets_[i].reduces) continue;
    bool loads = sets_[i].loads_after_reduction || !ptx_.is_kernel;
    std::vector<uint8_t> seen(starts_.size());
    std::vector<uint32_t> work(graph_[i].begin(), graph_[i].end());
    while (!work.empty() && !loads) {
      const uint32_t at = work.back();
      work.pop_back();
      if (seen[at]) continue;
      seen[at] = 1;
      loads = sets_[at].loads;
      work.insert(work.end(), graph_[at].begin(), graph_[at].end());
    }
    (loads ? program().order_dependent : program().logs_reductions) = true;
  }
}

void Decoding::finish_blocks() {
  Program& program = context_.program;
  FlowGraph graph(starts_.size());
  for (uint32_t i = 0; i < starts_.size(); ++i) {
    const Block& block = program.blocks[first_block_ + i];
    const auto add = [&](uint32_t to) {
      if (to != kNoBlock) graph[i].push_back(to - first_block_);
    };
    const bool guarded = block.guard != kNoSlot;
    switch (block.end) {
      case End::kNext:
      case End::kCall:
      case End::kSync: add(block.next); break;
      case End::kBranch:
        add(block.target);
        if (guarded) add(block.next);
        break;
      case End::kIndexed:
        for (int64_t k = 0; k < program.ops[block.end_op].value; ++k)
          add(program.targets[block.target + static_cast<uint32_t>(k)]);
        if (guarded) add(block.next);
        break;
      case End::kReturn:
      case End::kExit:
        if (guarded) add(block.next);
        break;
    }
  }
  const Flow flow = analyse_flow(graph);
  for (uint32_t i = 0; i < starts_.size(); ++i) program.blocks[first_block_ + i].order = flow.order[i];
  for (const Loop& loop : flow.loops) {
    const bool waits = std::any_of(loop.blocks.begin(), loop.blocks.end(), [&](uint32_t b) { return sets_[b].waits; });
    for (const uint32_t b : loop.blocks) program.blocks[first_block_ + b].spin |= waits;
  }
  graph_ = std::move(graph);
}

void Decoding::find_cleared() {
  // Registers that are live at the entry, by the usual backward data flow over sets of slots.
  std::vector<std::set<uint32_t>> live(starts_.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = starts_.size(); i-- > 0;) {
      std::set<uint32_t> in(sets_[i].used.begin(), sets_[i].used.end());
      const std::set<uint32_t> defined(sets_[i].defined.begin(), sets_[i].defined.end());
      for (const uint32_t next : graph_[i]) {
        for (const uint32_t slot : live[next]) {
          if (!defined.contains(slot)) in.insert(slot);
        }
      }
      if (in.size() != live[i].size()) {
        live[i] = std::move(in);
        changed = true;
      }
    }
  }
  for (const uint32_t slot : live.empty() ? std::set<uint32_t>{} : live[0]) {
    if (invariant_.contains(slot)) continue;
    code().cleared.push_back(slot);
    code().cleared_bytes.push_back(slot_bytes_[slot]);
  }
}

}  // namespace warplens::simt::ptx_machine
