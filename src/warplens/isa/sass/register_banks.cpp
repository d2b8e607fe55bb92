#include "warplens/isa/sass/register_banks.h"

#include <algorithm>

namespace warplens::sass {

uint32_t RegisterBanks::waits(const Instruction& instruction, const Word& word) {
  const bool of_three = instruction.opcode == Opcode::kFfma;
  if (!of_three && instruction.opcode != Opcode::kFadd && instruction.opcode != Opcode::kFmul) {
    kept_.fill(kNone);
    for (uint32_t& behind : behind_) behind -= std::min(behind, 1u);
    return 0;
  }
  constexpr int kReuse = 122;  // and the next two bits
  std::array<uint32_t, 3> sources{word.source_a(), word.is(Form::kRegisters) ? word.source_low() : kNone,
                                  of_three ? word.source_high() : kNone};
  for (size_t k = 0; k < sources.size(); ++k) {
    const bool again = std::find(sources.begin(), sources.begin() + k, sources[k]) != sources.begin() + k;
    if (sources[k] != kNone && sources[k] != kept_[k] && !again) ++behind_[sources[k] % 2];
  }
  for (size_t k = 0; k < sources.size(); ++k) kept_[k] = word.bit(kReuse + static_cast<int>(k)) ? sources[k] : kNone;
  constexpr uint32_t kAhead = 1;  // registers that a bank may be behind
  const uint32_t most = std::max(behind_[0], behind_[1]), cycles = std::max(1u, most - std::min(most, kAhead));
  for (uint32_t& behind : behind_) behind -= std::min(behind, cycles);
  return cycles - 1;
}

}  // namespace warplens::sass
