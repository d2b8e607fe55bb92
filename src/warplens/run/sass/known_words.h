// Which words of bank 0 are known. Before a launch's parameters, the driver keeps there what it says of the launch.
#pragma once
#include <string>

#include "warplens/base/text.h"
#include "warplens/run/sass/program.h"

namespace warplens::simt::sass_machine {

inline bool is_known_word(const ConstantBanks& constants, uint32_t bank, uint64_t offset) {
  return bank != 0 || offset / 4 >= constants.known.size() || constants.known[offset / 4] != 0;
}

/// For messages: such a word.
inline std::string unknown_word(uint64_t offset) {
  return fmt::format("c[0x0][{:#x}], where a GPU keeps something of the launch that the emulator does not know",
                     offset);
}

}  // namespace warplens::simt::sass_machine
