#include "warplens/report/shapes/gathers.h"

#include <map>

#include "warplens/report/instruction_class.h"
#include "warplens/report/shapes/flow.h"

namespace warplens::report {
namespace {

using sass::Access;
using simt::sass_machine::MachineCounts, simt::sass_machine::Program;

constexpr uint64_t kSectorBytes = 32;

bool loads_data(Access access) {
  return access == Access::kGlobalLoad || access == Access::kGenericLoad || access == Access::kSharedLoad;
}

bool is_apart(const simt::InstructionCounts& c) { return c.sectors > c.ideal_sectors + c.requests; }

/// The load that gives the address of instruction `k`, in a turn of the innermost loop about it; kNowhere if none does.
size_t index_of(const Program& program, const Flow& flow, size_t k) {
  size_t index = Flow::kNowhere;
  const LoopRange loop = flow.loops_about(k).front();
  flow.comes_from(loop, k, program.code[k].source_a(), [&](const Flow::Definition& found) {
    if (loads_data(program.at(found.at).access)) index = found.at;
    return index != Flow::kNowhere;
  });
  return index;
}

}  // namespace

std::vector<bool> find_gathers(const Program& program, const MachineCounts& counts) {
  std::vector<bool> out(program.code.size());
  std::map<size_t, std::vector<size_t>> of_index;
  std::map<size_t, uint64_t> bytes;  // that an index brings
  const Flow flow(program, [&](size_t k) { return counts.instructions[k].predicated_on_threads > 0; });
  for (size_t k = 0; k < program.code.size(); ++k) {
    const Access access = program.at(k).access;
    const bool global = access == Access::kGlobalLoad || access == Access::kGlobalStore;
    if (!global || !is_apart(counts.instructions[k])) continue;
    const size_t index = index_of(program, flow, k);
    if (index == Flow::kNowhere) continue;
    of_index[index].push_back(k);
    bytes[index] += kLaneBytes[program.code[k].width_code()];
  }
  for (const auto& [index, users] : of_index) {
    for (const size_t k : users) out[k] = bytes[index] < kSectorBytes;
  }
  return out;
}

}  // namespace warplens::report
