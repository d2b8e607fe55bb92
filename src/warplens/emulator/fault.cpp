// Faults and the places where they happen, in words.
#include "warplens/base/demangle.h"
#include "warplens/base/text.h"
#include "warplens/emulator/place.h"

namespace warplens::emulator {

Place place_of(const Grid& grid, uint64_t block, uint32_t warp, uint32_t lane, uint32_t row) {
  const Program& program = *grid.program;
  Place place;
  place.kernel = program.name;
  place.index = row;
  const Dim3& g = grid.config->grid;
  place.block = {static_cast<uint32_t>(block % g[0]), static_cast<uint32_t>(block / g[0] % g[1]),
                 static_cast<uint32_t>(block / g[0] / g[1])};
  const Dim3& b = grid.config->block;
  const uint32_t thread = warp * kLanes + lane;
  place.thread = {thread % b[0], thread / b[0] % b[1], thread / b[0] / b[1]};
  if (row == kNoRow) return place;
  const kernel::InstructionPlace& at = program.places[row];
  const ptx::Function& function = program.module->functions[at.function];
  const ptx::Instruction& instruction = function.instructions[at.instruction];
  place.ptx_line = instruction.position.line;
  if (function.name != program.name) place.function = function.name;
  if (instruction.debug != ptx::kNone) {
    const ptx::DebugLocation& debug = function.debug_locations[instruction.debug];
    place.file = program.module->file_name(debug.file);
    place.line = debug.line;
  }
  return place;
}

bool same_line(const Program& program, uint32_t row, uint32_t other) {
  if (row == other) return true;
  const auto line = [&](uint32_t of) -> std::pair<uint32_t, uint32_t> {
    const kernel::InstructionPlace& at = program.places[of];
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

std::string_view name(Fault::Kind kind) {
  switch (kind) {
    case Fault::Kind::kIllegalAddress: return "illegal-address";
    case Fault::Kind::kMisaligned: return "misaligned-address";
    case Fault::Kind::kTrap: return "trap";
    case Fault::Kind::kAssert: return "assert";
    case Fault::Kind::kDeadlock: return "deadlock";
    case Fault::Kind::kInstructionLimit: return "instruction-limit";
    case Fault::Kind::kTimeout: return "timeout";
    case Fault::Kind::kCancelled: return "cancelled";
    case Fault::Kind::kUnsupported: return "unsupported";
    case Fault::Kind::kStackOverflow: return "stack-overflow";
    case Fault::Kind::kInvalid: return "invalid";
  }
  return "";
}

std::string Place::text() const {
  std::string where;
  if (!file.empty()) where = fmt::format(" at {}:{}", file, line);
  if (ptx_line)
    where += fmt::format("{}PTX line {}{}", where.empty() ? " at " : " (", ptx_line, where.empty() ? "" : ")");
  return fmt::format("kernel '{}' block ({},{},{}) thread ({},{},{}){}{}", short_name(kernel), block[0], block[1],
                     block[2], thread[0], thread[1], thread[2],
                     function.empty() ? "" : fmt::format(" in function '{}'", short_name(function)), where);
}

std::string Fault::text() const { return message + ": " + place.text(); }

}  // namespace warplens::emulator
