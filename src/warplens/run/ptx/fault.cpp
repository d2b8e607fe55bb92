// Faults and the places where they happen, in words.
#include "warplens/base/library_header.h"
#include "warplens/base/text.h"
#include "warplens/run/ptx/place.h"
#include "warplens/simt/numbering.h"

namespace warplens::simt::ptx_machine {
namespace {

/// Of the places that an instruction was inlined through, the innermost outside of a library's headers, and the
/// outermost.
void find_lines(const ptx::Module& module, const ptx::Function& function, uint32_t debug, Place& place) {
  const auto caller = [&](uint32_t at) { return function.debug_locations[at].inlined_at; };
  const auto file = [&](uint32_t at) { return module.file_name(function.debug_locations[at].file); };
  uint32_t named = debug, outermost = debug;
  while (is_library_header(file(named)) && caller(named) != ptx::kNone) named = caller(named);
  while (caller(outermost) != ptx::kNone) outermost = caller(outermost);
  const ptx::DebugLocation &here = function.debug_locations[named], &there = function.debug_locations[outermost];
  place.file = module.file_name(here.file);
  place.line = here.line;
  if (named == outermost) return;
  place.caller_file = module.file_name(there.file);
  place.caller_line = there.line;
}

}  // namespace

Place place_of(const Grid& grid, uint64_t block, uint32_t warp, uint32_t lane, uint32_t row) {
  const Program& program = *grid.program;
  Place place;
  place.kernel = program.name;
  place.index = row;
  place.block = place_in(grid.config->grid, block);
  place.thread = place_in(grid.config->block, warp * kLanes + lane);
  if (row == kNoRow) return place;
  const InstructionPlace& at = program.places[row];
  const ptx::Function& function = program.module->functions[at.function];
  const ptx::Instruction& instruction = function.instructions[at.instruction];
  place.ptx_line = instruction.position.line;
  if (function.name != program.name) place.function = function.name;
  if (instruction.debug != ptx::kNone) find_lines(*program.module, function, instruction.debug, place);
  return place;
}

bool same_line(const Program& program, uint32_t row, uint32_t other) {
  if (row == other) return true;
  const auto line = [&](uint32_t of) -> std::pair<uint32_t, uint32_t> {
    const InstructionPlace& at = program.places[of];
    const ptx::Function& function = program.module->functions[at.function];
    const uint32_t debug = function.instructions[at.instruction].debug;
    if (debug == ptx::kNone) return {0, of + 1};
    return {function.debug_locations[debug].file + 1, function.debug_locations[debug].line};
  };
  return line(row) == line(other);
}

void raise(Warp& w, const Op& op, Fault::Kind kind, uint32_t lane, Address address, std::string message) {
  if (w.faulted) return;
  w.faulted = true;
  Cluster& cluster = *w.cta->cluster;
  Grid& grid = *cluster.grid;
  const std::lock_guard lock(grid.mutex);
  if (grid.fault && cluster.linear >= grid.fault_cluster) return;
  grid.fault_cluster = cluster.linear;
  grid.fault = Fault{kind, std::move(message), place_of(grid, w.cta->linear, w.index, lane, op.row), address};
  if (cluster.linear < grid.last_cluster.load()) grid.last_cluster.store(cluster.linear);
}

}  // namespace warplens::simt::ptx_machine
