#include "warplens/run/sass/control/grid_group.h"

#include <algorithm>

#include "warplens/base/set_bits.h"
#include "warplens/run/sass/checks/checker.h"
#include "warplens/run/sass/control/call_arguments.h"
#include "warplens/run/sass/control/system_calls.h"
#include "warplens/simt/numbering.h"

namespace warplens::simt::sass_machine {
namespace {

constexpr uint32_t kGridScope = 1;            // cudaCGScopeGrid
constexpr uint64_t kGridHandle = kGridScope;  // any number that is not 0
constexpr uint32_t kForBlock = 1;             // a flag
constexpr uint32_t kGrids = 1;                // that work together: several did until CUDA 13
constexpr uint32_t kGridRank = 1;             // of the grid among them: an H200's answer

bool is_cooperative(const Warp& w) { return w.block->run->launch->cooperative; }

/// (scope): a handle, or 0.
void get_handle(Warp& w, uint32_t on, Split*) {
  for (const uint32_t lane : set_bits(on)) {
    const bool known = w.row(kFirst)[lane] == kGridScope && is_cooperative(w);
    set_result(w, lane, known ? kGridHandle : 0);
  }
}

/// (where to put the grid's threads, where to put how many grids there are, handle)
void get_size(Warp& w, uint32_t on, Split*) {
  const MachineLaunch& launch = *w.block->run->launch;
  const auto threads = static_cast<uint32_t>(blocks_of(launch.grid) * blocks_of(launch.block));
  for (const uint32_t lane : set_bits(on)) {
    put_word(w, lane, argument(w, kFirst, lane), threads);
    put_word(w, lane, argument(w, kSecond, lane), kGrids);
    set_result(w, lane, 0);
  }
}

/// (where to put the thread's number in the grid, where to put the grid's, handle)
void get_rank(Warp& w, uint32_t on, Split*) {
  const MachineLaunch& launch = *w.block->run->launch;
  const uint64_t before = number_in(launch.grid, w.block->index) * blocks_of(launch.block) + w.index * kLanes;
  for (const uint32_t lane : set_bits(on)) {
    put_word(w, lane, argument(w, kFirst, lane), static_cast<uint32_t>(before) + lane);
    put_word(w, lane, argument(w, kSecond, lane), kGridRank);
    set_result(w, lane, 0);
  }
}

/// (handle, flags): every thread comes, or with kForBlock one of each block, for which the others wait.
void synchronise(Warp& w, uint32_t on, Split* then) {
  bool known = is_cooperative(w);
  for (const uint32_t lane : set_bits(on)) known &= argument(w, kFirst, lane) == kGridHandle;
  if (!known)
    return w.block->fail(Stop::Kind::kTrap,
                         "a barrier of the whole grid in a launch that is not cooperative: launch it by "
                         "cudaLaunchCooperativeKernel");
  for (const uint32_t lane : set_bits(on)) set_result(w, lane, 0);
  if (WarpChecker* checker = w.block->run->checker) checker->arrive_in_grid(w);
  then->state = Split::State::kGrid;
  then->barrier = w.block->run->grid_phase;
  then->parity = w.row(kSecond)[std::countr_zero(on)] == kForBlock;
}

struct GridCall {
  std::string_view name;
  void (*run)(Warp& warp, uint32_t on, Split* then);
};
constexpr GridCall kGridCalls[] = {{"__cuda_syscall_CGS_get_intrinsic_handle", get_handle},
                                   {"__cuda_syscall_CGS_get_size", get_size},
                                   {"__cuda_syscall_CGS_get_rank", get_rank},
                                   {"__cuda_syscall_CGS_sync", synchronise}};

bool all_there(const Block& block) {
  const auto here = [](const Split& s) { return s.state == Split::State::kGrid; };
  const auto for_block = [&](const Split& s) { return here(s) && s.parity; };
  return std::ranges::any_of(block.warps,
                             [&](const Warp& w) { return w.live && std::ranges::any_of(w.splits, for_block); }) ||
         std::ranges::all_of(block.warps,
                             [&](const Warp& w) { return !w.live || std::ranges::all_of(w.splits, here); });
}

}  // namespace

bool call_grid_group(Warp& w, std::string_view name, uint32_t on, Split* then) {
  const auto known = std::ranges::find(kGridCalls, name, &GridCall::name);
  if (known != std::end(kGridCalls)) known->run(w, on, then);
  return known != std::end(kGridCalls);
}

bool open_grid_barrier(Run& run, std::span<const std::unique_ptr<Cluster>> clusters) {
  bool waited_for = false;
  Clock latest;
  for (const auto& cluster : clusters) {
    for (const Block& block : cluster->blocks) {
      if (!all_there(block)) return false;
      waited_for |= std::ranges::any_of(block.warps, [](const Warp& w) { return w.live != 0; });
      for (const Clock& clock : block.clocks) latest.meet(clock.now());
    }
  }
  if (!waited_for) return false;
  for (const auto& cluster : clusters) {
    for (Block& block : cluster->blocks) {
      for (Clock& clock : block.clocks) clock.meet(latest.now());
    }
  }
  if (run.checker) run.checker->complete_grid(clusters);
  ++run.grid_phase;
  return true;
}

}  // namespace warplens::simt::sass_machine
