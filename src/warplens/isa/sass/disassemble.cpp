// Names from instructions.def; modifiers as scripts/sass/generate.py learnt them from nvdisasm.
#include "warplens/isa/sass/disassemble.h"

#include <algorithm>
#include <unordered_map>

#include "warplens/base/text.h"

namespace warplens::sass {
namespace {

struct Raw {
  bool is_opcode;
  Opcode opcode;
  uint64_t value;  // the mask, or bits under it
  std::string_view text;
};

constexpr Raw kRaw[] = {
#define MODIFIERS(id, mask) {true, Opcode::k##id, mask, ""},
#define TEXT(value, text) {false, Opcode::kUnknown, value, text},
#include "warplens/isa/sass/modifiers.def"
#undef MODIFIERS
#undef TEXT
};

struct Modifiers {
  uint64_t mask = 0;
  std::unordered_map<uint64_t, std::string_view> texts;
};

/// All that modifiers.def chooses by, as scripts/sass/generate.py has it: the upper half without its scheduling; above,
/// bits of the lower half, and the architecture, since nvdisasm has new names for old bits.
uint64_t key_of(const Word& word, int architecture) {
  constexpr uint64_t kUnscheduled = (uint64_t{1} << 41) - 1;
  return (word.high & kUnscheduled) | uint64_t{architecture >= 90} << 55 | uint64_t{architecture >= 110} << 56 |
         uint64_t{word.bits(32, 2)} << 57 | uint64_t{word.bits(53, 7)} << 45 | uint64_t{word.form()} << 61;
}

std::string_view modifiers_of(Opcode opcode, const Word& word, int architecture) {
  static const auto table = [] {
    std::unordered_map<Opcode, Modifiers> out;
    Modifiers* current = nullptr;
    for (const Raw& raw : kRaw) {
      if (raw.is_opcode) {
        current = &out[raw.opcode];
        current->mask = raw.value;
      } else {
        current->texts.emplace(raw.value, raw.text);
      }
    }
    return out;
  }();
  const auto known = table.find(opcode);
  if (known == table.end()) return "";
  const auto found = known->second.texts.find(key_of(word, architecture) & known->second.mask);
  return found == known->second.texts.end() ? "" : found->second;
}

bool has(std::string_view modifiers, std::string_view word) {
  for (std::string_view each : split(modifiers, '.')) {
    if (each == word) return true;
  }
  return false;
}

/// Bytes a lane moves. Plain loads and stores have a width of their own; others say it in their modifiers.
uint8_t width_of(const Disassembled& d, const Word& word) {
  if (d.space() == MemorySpace::kNone) return 0;
  if (moves_matrices(d.opcode)) return has(d.modifiers, "4") ? 16 : has(d.modifiers, "2") ? 8 : 4;
  const bool plain =
      (d.category() == Category::kLoad || d.category() == Category::kStore) && d.opcode != Opcode::kLdgmc;
  if (plain) {
    if (has(d.modifiers, "256")) return 32;
    constexpr uint8_t kWidths[8] = {1, 1, 2, 2, 4, 8, 16, 16};
    return kWidths[word.width_code()];
  }
  if (has(d.modifiers, "128") || has(d.modifiers, "F32x4") || has(d.modifiers, "F16x8")) return 16;
  const bool eight = has(d.modifiers, "64") || has(d.modifiers, "F64") || has(d.modifiers, "S64") ||
                     has(d.modifiers, "F32x2") || has(d.modifiers, "F16x4");
  return eight ? 8 : 4;
}

void add_branch(Disassembled& out, const Word& word, int architecture) {
  out.is_branch = is_branch(out.opcode) || out.opcode == Opcode::kExit || out.opcode == Opcode::kBreak;
  const bool by_register = word.form() < 4;  // without bit 11 the target is a register or comes with a predicate
  const bool relative =
      out.opcode == Opcode::kBra ? !by_register || architecture >= 90 : out.opcode == Opcode::kCallRel && !by_register;
  const int64_t target = int64_t{out.address} + 16 + branch_distance(word, architecture);
  if (!relative || target < 0 || target > 0xffffffff) return;
  out.has_target = true;
  out.target = static_cast<uint32_t>(target);
}

}  // namespace

int64_t branch_distance(const Word& word, int architecture) {
  const int64_t high = static_cast<int64_t>(word.high << (64 - 18)) >> (64 - 18);  // bits 64 to 81
  const int64_t upper = high << 30 | static_cast<int64_t>(word.low >> 34);         // bits 34 to 81: words of 4 bytes
  return 4 * (architecture >= 90 ? upper << 8 | word.bits(16, 8) : upper);
}

std::string Disassembled::full_name() const { return std::string(name) + modifiers; }

std::string Disassembled::text() const {
  std::string out;
  if (predicate != 7 || predicate_negated) {
    out = fmt::format("@{}{}P{} ", predicate_negated ? "!" : "", uniform_predicate ? "U" : "",
                      predicate == 7 ? "T" : std::to_string(predicate));
  }
  return out + full_name();
}

Disassembled disassemble(const Word& word, uint32_t address, int architecture) {
  const Instruction& row = instruction_of(word, architecture);
  Disassembled out;
  out.address = address;
  out.opcode = row.opcode;
  out.predicate = static_cast<uint8_t>(word.bits(12, 3));
  out.predicate_negated = word.bit(15);
  if (!out.known()) {
    out.modifiers = fmt::format("0x{:03x}", word.bits(0, 12));
    return out;
  }
  out.name = row.name.substr(0, row.name.find('.'));
  out.modifiers = std::string(row.name.substr(out.name.size())).append(modifiers_of(row.opcode, word, architecture));
  out.uniform_predicate = row.uniform;
  out.width_bytes = width_of(out, word);
  if (row.category == Category::kControl) add_branch(out, word, architecture);
  return out;
}

}  // namespace warplens::sass
