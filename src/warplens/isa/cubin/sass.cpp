// One SASS instruction from its 128 bits, by the table that scripts/sass/generate.py learnt.
#include <algorithm>
#include <unordered_map>

#include "warplens/base/text.h"
#include "warplens/isa/cubin/cubin.h"

namespace warplens::cubin {
namespace {

struct Raw {
  bool is_opcode;
  uint64_t value;  // code, or the bits of the upper half
  std::string_view text;
  Category category;
  uint64_t mask;
};

constexpr Raw kRaw[] = {
#define SASS(code, name, category, mask) {true, code, name, Category::k##category, mask},
#define MODIFIERS(value, text) {false, value, text, Category::kOther, 0},
#include "warplens/isa/cubin/sass_table.def"
#undef SASS
#undef MODIFIERS
};

struct Row {
  std::string_view name;
  Category category = Category::kOther;
  uint64_t mask = 0;
  std::unordered_map<uint64_t, std::string_view> modifiers;
};

const std::unordered_map<uint16_t, Row>& rows() {
  static const auto table = [] {
    std::unordered_map<uint16_t, Row> out;
    Row* current = nullptr;
    for (const Raw& raw : kRaw) {
      if (raw.is_opcode) {
        current = &out[static_cast<uint16_t>(raw.value)];
        *current = {raw.text, raw.category, raw.mask, {}};
      } else {
        current->modifiers.emplace(raw.value, raw.text);
      }
    }
    return out;
  }();
  return table;
}

/// Forms of one opcode (register, immediate, constant, uniform) differ in bits 9 to 11 alone.
const Row* find_row(uint16_t code) {
  const auto exact = rows().find(code);
  if (exact != rows().end()) return &exact->second;
  const Row* same = nullptr;
  for (const auto& [other, row] : rows()) {
    if ((other & 0x1ff) != (code & 0x1ff)) continue;
    if (same != nullptr && same->name != row.name) return nullptr;
    same = &row;
  }
  return same;
}

MemorySpace space_of(std::string_view name) {
  if (name == "LD" || name == "ST" || name == "ATOM" || name == "QSPC") return MemorySpace::kGeneric;
  if (name.starts_with("LDG") || name == "STG" || name == "ATOMG" || name.starts_with("RED") || name == "LDGSTS") {
    return MemorySpace::kGlobal;
  }
  if (name == "LDS" || name == "STS" || name == "ATOMS" || name == "LDSM" || name == "STSM" || name == "STAS") {
    return MemorySpace::kShared;
  }
  if (name == "LDL" || name == "STL") return MemorySpace::kLocal;
  if (name == "LDC" || name == "ULDC" || name == "LDCU") return MemorySpace::kConstant;
  return name == "LDTM" || name == "STTM" ? MemorySpace::kTensor : MemorySpace::kNone;
}

bool has(std::string_view modifiers, std::string_view word) {
  for (std::string_view each : split(modifiers, '.')) {
    if (each == word) return true;
  }
  return false;
}

/// Bytes a lane moves. Plain loads and stores have their width in bits 73 to 75; others say it in their modifiers.
uint8_t width_of(const SassInstruction& instruction, uint64_t high) {
  const std::string_view name = instruction.opcode, modifiers = instruction.modifiers;
  if (instruction.space == MemorySpace::kNone || name == "QSPC") return 0;
  if (name == "LDSM" || name == "STSM") {
    return has(modifiers, "4") ? 16 : has(modifiers, "2") ? 8 : 4;
  }
  const bool plain =
      (instruction.category == Category::kLoad || instruction.category == Category::kStore) && name != "LDGMC";
  if (plain) {
    if (has(modifiers, "256")) return 32;
    constexpr uint8_t kWidths[8] = {1, 1, 2, 2, 4, 8, 16, 16};
    return kWidths[(high >> 9) & 7];
  }
  if (has(modifiers, "128") || has(modifiers, "F32x4") || has(modifiers, "F16x8")) return 16;
  const bool eight = has(modifiers, "64") || has(modifiers, "F64") || has(modifiers, "S64") ||
                     has(modifiers, "F32x2") || has(modifiers, "F16x4");
  return eight ? 8 : 4;
}

/// The byte offset from the next instruction that a branch goes by.
int64_t branch_offset(uint64_t low, uint64_t high, int architecture) {
  if (architecture < 90) return static_cast<int32_t>(low >> 32);
  const uint64_t upper = (low >> 34) | ((high & 0x3ffff) << 30);  // 48 bits
  const int64_t signed_upper = static_cast<int64_t>(upper << 16) >> 16;
  return (signed_upper * 256 + static_cast<int64_t>((low >> 16) & 0xff)) * 4;
}

void decode_branch(SassInstruction& out, uint64_t low, uint64_t high, int architecture) {
  const std::string& name = out.opcode;
  const bool relative = name == "BRA" || (name == "CALL" && has(out.modifiers, "REL"));
  out.is_branch = relative || name == "BRX" || name == "BRXU" || name == "JMP" || name == "JMX" || name == "CALL" ||
                  name == "RET" || name == "EXIT" || name == "BREAK" || name == "KILL";
  if (!relative || (out.code & 0x800) == 0) {  // without bit 11 the target is a register or comes with a predicate
    if (!(relative && name == "BRA" && architecture >= 90)) return;
  }
  const int64_t target = int64_t{out.address} + 16 + branch_offset(low, high, architecture);
  if (target < 0 || target > 0xffffffff) return;
  out.has_target = true;
  out.target = static_cast<uint32_t>(target);
}

constexpr std::string_view kCategories[kCategoryCount] = {
    "integer", "fp16",    "fp32",       "fp64",   "special function", "conversion", "move", "load",
    "store",   "atomic",  "async copy", "matrix", "matrix move",      "barrier",    "warp", "control",
    "texture", "uniform", "other"};

}  // namespace

std::string_view text(Category category) { return kCategories[static_cast<size_t>(category)]; }

std::string_view text(MemorySpace space) {
  constexpr std::string_view kSpaces[] = {"", "generic", "global", "shared", "local", "constant", "tensor"};
  return kSpaces[static_cast<size_t>(space)];
}

std::string SassInstruction::text() const {
  std::string out;
  if (predicate != 7 || predicate_negated) {
    out = fmt::format("@{}{}P{} ", predicate_negated ? "!" : "", uniform_predicate ? "U" : "",
                      predicate == 7 ? "T" : std::to_string(predicate));
  }
  return out + opcode + modifiers;
}

SassInstruction decode(uint64_t low, uint64_t high, uint32_t address, int architecture) {
  SassInstruction out;
  out.address = address;
  out.code = static_cast<uint16_t>(low & 0xfff);
  out.predicate = static_cast<uint8_t>((low >> 12) & 7);
  out.predicate_negated = ((low >> 15) & 1) != 0;
  const Row* row = find_row(out.code);
  if (row == nullptr) {
    out.known = false;
    out.opcode = fmt::format("0x{:03x}", out.code);
    return out;
  }
  out.opcode = row->name;
  out.category = row->category;
  const auto modifiers = row->modifiers.find(high & row->mask);
  if (modifiers != row->modifiers.end()) out.modifiers = modifiers->second;
  out.uniform_predicate = out.opcode[0] == 'U';
  out.space = space_of(out.opcode);
  out.width_bytes = width_of(out, high);
  if (out.category == Category::kControl) decode_branch(out, low, high, architecture);
  return out;
}

}  // namespace warplens::cubin
