// Every count of a launch by its name, once for all that go through them.
#pragma once
#include "warplens/model/work.h"

namespace warplens::model {

/// Gives each member to `archive`, as a name and a reference.
template <typename Archive>
void fields(Archive& a, gpu::BlockNeeds& n) {
  a("threads", n.threads), a("registers", n.registers), a("static_shared_bytes", n.static_shared_bytes);
  a("dynamic_shared_bytes", n.dynamic_shared_bytes), a("barriers", n.barriers), a("carveout", n.carveout_percent);
}
template <typename Archive>
void fields(Archive& a, Work& w) {
  a("blocks", w.blocks), a("needs", w.needs), a("instructions", w.instructions), a("alu", w.alu), a("fma", w.fma);
  a("imad", w.imad), a("fp64", w.fp64), a("half", w.half), a("special", w.special), a("memory", w.memory);
  a("tensor", w.tensor), a("fp32_flops", w.fp32_flops), a("fp64_flops", w.fp64_flops), a("half_flops", w.half_flops);
  a("tensor_flops", w.tensor_flops), a("tensor_time_flops", w.tensor_time_flops);
  a("tensor_lost_flops", w.tensor_lost_flops), a("double_tensor", w.double_tensor), a("load_sectors", w.load_sectors),
      a("store_sectors", w.store_sectors);
  a("local_sectors", w.local_sectors), a("local_store_sectors", w.local_store_sectors);
  a("partial_sectors", w.partial_sectors), a("cache_lines", w.cache_lines), a("passes", w.shared_wavefronts);
  a("conflicts", w.shared_conflicts), a("atomic_lanes", w.atomic_lanes), a("atomic_sectors", w.atomic_sectors);
  a("hottest_atomic_cycles", w.hottest_atomic_cycles), a("read_sectors", w.read_sectors);
  a("written_sectors", w.written_sectors), a("lost_sectors", w.lost_sectors), a("lone_sectors", w.lone_sectors);
  a("stored_bytes", w.stored_bytes), a("merged_sectors", w.merged_sectors), a("branches", w.branches);
  a("partial_local_sectors", w.partial_local_sectors), a("l1_hit_rate", w.l1_hit_rate);
  a("l1_late_rate", w.l1_late_rate), a("block_cycles_l1", w.block_cycles_l1);
  a("block_cycles_l2", w.block_cycles_l2), a("block_cycles_dram", w.block_cycles_dram), a("barrier_waits", w.barriers);
  a("exchanged_sectors", w.exchanged_sectors), a("register_waits", w.register_waits),
      a("remote_sectors", w.remote_sectors), a("remote_whole_sectors", w.remote_whole_sectors);
  a("remote_atomic_sectors", w.remote_atomic_sectors), a("crowded_sectors", w.crowded_sectors);
  a("distinct_of_warps", w.distinct_of_warps), a("warm_sectors", w.warm_sectors);
  a("completed_sectors", w.completed_sectors), a("apart_sectors", w.apart_sectors), a("warps_stay", w.warps_stay);
  a("fresh_rate", w.fresh_rate), a("longest_block", w.longest_block);
}

}  // namespace warplens::model
