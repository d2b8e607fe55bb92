#include "warplens/run/sass/cluster.h"

#include <bit>

#include "warplens/base/set_bits.h"
#include "warplens/base/text.h"
#include "warplens/run/sass/checks/checker.h"
#include "warplens/run/sass/control/flow.h"
#include "warplens/run/sass/decoder.h"
#include "warplens/run/sass/memory/moves.h"
#include "warplens/simt/launch.h"

namespace warplens::simt::sass_machine {
namespace {

void arrive(Warp& w, const Op&, uint32_t on) {
  if (w.block->run->checker && on) w.block->run->checker->arrive_in_cluster(w);
  w.at_cluster |= on;
  w.cluster_phase = w.block->cluster->phase;
}
void wait(Warp& w, const Op&, uint32_t on) {
  if (!on || w.cluster_phase != w.block->cluster->phase) return go_on(w);
  Split until;
  until.state = Split::State::kCluster;
  until.barrier = w.cluster_phase;
  wait_until(w, until);
}
bool prepare_barrier(Decoder&, Op& op) {
  op.flow = op.word.form() == 6;
  op.run = op.flow ? wait : arrive;
  return op.word.form() == 4 || op.flow;
}

}  // namespace

uint8_t* cluster_bytes(Warp& w, uint64_t address, uint32_t size) {
  auto& blocks = w.block->cluster->blocks;
  const uint32_t rank = rank_of(address);
  if (rank >= blocks.size()) {
    // An H200 fails so for rank 4 of 2. For rank 128 it calls the instruction illegal.
    w.block->fail(rank < gpu::kMostCluster ? Stop::Kind::kNoSuchBlock : Stop::Kind::kInvalid,
                  fmt::format("block {} of a cluster of {}", rank, blocks.size()));
    return nullptr;
  }
  const uint64_t offset = address & kInBlock;
  if (offset + size <= blocks[rank].shared.size()) return blocks[rank].shared.data() + offset;
  return shared_bytes(w, offset, size);  // which says so
}

uint32_t remote_lanes(const Warp& w, const Addresses& at, uint32_t on, uint32_t* own) {
  uint32_t out = 0;
  *own = 0;
  for (const uint32_t lane : set_bits(on)) {
    if (at.value[lane] >> 56 != simt::kSharedWindow >> 56) continue;
    (rank_of(at.value[lane]) == w.block->rank ? *own : out) |= 1u << lane;
  }
  return out;
}

void count_remote(Warp& w, const Addresses& at, uint32_t on, uint32_t own, uint32_t size, RemoteCounts::Kind kind) {
  if (!w.block->run->counted) return;
  RemoteTurns& turns = w.block->cluster->remote;
  const uint64_t turn = turns.next(&w);
  uint64_t sectors[kLanes];
  uint32_t count = 0;
  const auto ask = [&](uint32_t lanes) {
    for (const uint32_t lane : set_bits(lanes)) {
      const uint64_t address = at.value[lane] & 0xffffffff, sector = address / 32;
      if (std::find(sectors, sectors + count, sector) != sectors + count) continue;
      sectors[count++] = sector;
      turns.add(turn, rank_of(address), 1);
    }
    return count;
  };
  const uint32_t away = ask(on);
  ask(own);  // takes time, and Nsight Compute does not count it
  ++w.block->remote.requests[kind];
  w.block->remote.sectors[kind] += away;
  if (kind != RemoteCounts::kAtomic && uint64_t{size} * static_cast<uint32_t>(std::popcount(on)) >= uint64_t{32} * away)
    w.block->remote.whole_sectors += away;
}

void access_remote(Warp& w, const Op& op, const Addresses& at, uint32_t on, bool is_store) {
  uint32_t* rows = is_store ? const_cast<uint32_t*>(w.in(op.b)) : w.row(op.target);
  for (const uint32_t lane : set_bits(on)) {
    uint8_t* bytes = cluster_bytes(w, at.value[lane] & 0xffffffff, op.size_bytes);
    if (!bytes) return;
    is_store ? get_lane(rows, lane, bytes, op) : put_lane(rows, lane, bytes, op);
  }
}

void close_remote_turns(Cluster& cluster) {
  cluster.blocks[0].remote.crowded_sectors += cluster.remote.take(cluster.blocks.size());
}

bool open_cluster_barrier(Cluster& cluster) {
  bool waited_for = false;
  for (const Block& block : cluster.blocks) {
    for (const Warp& w : block.warps) {
      if (w.live & ~w.at_cluster) return false;
      waited_for |= w.at_cluster != 0;
    }
  }
  if (!waited_for) return false;
  if (WarpChecker* checker = cluster.blocks[0].run->checker) checker->complete(cluster);
  Clock latest;
  for (Block& block : cluster.blocks) {
    for (Warp& w : block.warps) w.at_cluster = 0;
    for (const Clock& clock : block.clocks) latest.meet(clock.now());
  }
  latest.wait(cluster.barrier_cycles);
  cluster.opened = latest.now();
  ++cluster.phase;
  close_remote_turns(cluster);
  return true;
}

const Row kClusterRows[] = {
    {Opcode::kUcgabarArv, prepare_barrier},
    {Opcode::kUcgabarWait, prepare_barrier},
    {Opcode::kUnknown, nullptr},
};

}  // namespace warplens::simt::sass_machine
