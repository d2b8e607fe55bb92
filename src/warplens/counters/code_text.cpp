#include "warplens/counters/code_text.h"

#include <cstring>

#include "warplens/isa/sass/operands.h"

namespace warplens::counters {

std::vector<std::string> code_text(std::string_view bytes, int compute) {
  std::vector<std::string> out;
  size_t used = 0;  // without the NOPs behind the last instruction
  for (size_t at = 0; at + sizeof(sass::Word) <= bytes.size(); at += sizeof(sass::Word)) {
    sass::Word word;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    out.push_back(sass::whole_text(word, static_cast<uint32_t>(at), compute));
    if (sass::instruction_of(word, compute).opcode != sass::Opcode::kNop) used = out.size();
  }
  out.resize(used);
  return out;
}

}  // namespace warplens::counters
