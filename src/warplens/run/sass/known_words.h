// Which words of bank 0 are known. Before a launch's parameters, the driver keeps there what it says of the launch.
#pragma once
#include <string>

#include "warplens/base/text.h"
#include "warplens/run/sass/program.h"

namespace warplens::simt::sass_machine {

/// A bank that no instruction can name: a byte for each of these words, 1 if its meaning is known.
inline constexpr uint32_t kKnownWords = 0x100;

inline bool is_known_word(const ConstantBanks& constants, uint32_t bank, uint64_t offset) {
  if (bank != 0) return true;
  const auto known = constants.banks.find(kKnownWords);
  return known == constants.banks.end() || offset / 4 >= known->second.size() || known->second[offset / 4] != 0;
}

/// For messages: such a word.
inline std::string unknown_word(uint64_t offset) {
  return fmt::format("c[0x0][{:#x}], where a GPU keeps something of the launch that the emulator does not know",
                     offset);
}

}  // namespace warplens::simt::sass_machine
