#include "warplens/run/sass/code/ready_code.h"

#include <algorithm>

namespace warplens::simt::sass_machine {
namespace {

constexpr uint32_t kStackSlack = 1024;  // beyond the frame, for calls

/// One more than ops, for the stalls before what would come behind the last.
std::vector<Schedule> schedules_of(const std::vector<Op>& ops) {
  std::vector<Schedule> out;
  out.reserve(ops.size() + 1);
  int64_t before = 0;
  for (const Op& op : ops) {
    Schedule& schedule = out.emplace_back(schedule_of(op.word, instruction(op.opcode).latency));
    schedule.before = before;
    before += schedule.stall;
  }
  out.emplace_back().before = before;
  return out;
}

/// Registers of a thread: as many as a warp may ask for while it runs.
uint32_t registers_of(const Program& program) {
  uint32_t out = std::max(program.registers, 16u);
  for (size_t k = 0; k < program.code.size(); ++k) {
    if (program.at(k).opcode == Opcode::kUsetmaxreg) out = std::max(out, std::min(program.code[k].immediate(), 255u));
  }
  return out;
}

void decode(const Program& program, bool counts, const VaryingConstants& varying, ReadyCode* code) {
  code->decoder.emplace(program, code->state.constants, registers_of(program) + 8, varying);
  code->ops = code->decoder->decode();
  code->schedules = schedules_of(code->ops);
  code->accesses = 0;
  for (Op& op : code->ops) {
    if (op.native >= Native::kLoadGlobal) op.access = code->accesses++;
  }
  const auto any = [&](auto what) { return std::ranges::any_of(code->ops, what); };
  code->waits_in_code = any([](const Op& op) { return op.opcode == Opcode::kSyncs; });
  code->counted = counts || any([](const Op& op) { return op.reads_clock; });
  code->translation.reset();
  if (!code->counted) forget_time(program, &code->ops);
  code->translation =
      Translation::make(code->ops, code->decoder->layout().zero, code->counted ? &code->schedules : nullptr);
}

void find_allocations(const Program& program, const MachineLaunch& launch, ReadyCode* code) {
  const simt::Allocation parameters = code->state.parameters(), barrier = code->state.grid_barrier(),
                         constants = program.constants_at == 0 ? code->state.constant_memory() : simt::Allocation{};
  const ReadyCode::AllocationsOf now{launch.memory,
                                     launch.memory->version(),
                                     parameters.begin,
                                     parameters.end,
                                     launch.cooperative ? barrier.begin : 0,
                                     constants.begin};
  if (now == code->allocations_of) return;
  code->allocations_of = now;
  auto& all = code->allocations;
  all = launch.memory->live();
  all.push_back(parameters);
  if (launch.cooperative) all.push_back(barrier);
  if (constants.begin != constants.end) all.push_back(constants);
  for (const auto& [name, bytes] : program.variables) {
    const auto begin = reinterpret_cast<uint64_t>(bytes.data());
    all.push_back({begin, begin + bytes.size(), 0, name});
  }
  std::ranges::sort(all, {}, &simt::Allocation::begin);
}

}  // namespace

uint32_t local_bytes_of(const Program& program) { return (program.frame_bytes + kStackSlack + 15) / 16 * 16; }

CodeCache::CodeCache() = default;
CodeCache::CodeCache(CodeCache&&) noexcept = default;
CodeCache& CodeCache::operator=(CodeCache&&) noexcept = default;
CodeCache::~CodeCache() = default;

Result<ReadyCode*> CodeCache::ready(const Program& program, const MachineLaunch& launch) {
  const bool counts = launch.counted || launch.restore;
  auto& [code, varying] = kept_[counts];
  const bool first = !code;
  if (first) code = std::make_unique<ReadyCode>();
  WL_TRY(code->state.prepare(program, launch, local_bytes_of(program)));
  find_allocations(program, launch, code.get());
  if (!first && code->decoder && code->decoder->refill(&varying)) return code.get();
  decode(program, counts, varying, code.get());
  return code.get();
}

}  // namespace warplens::simt::sass_machine
