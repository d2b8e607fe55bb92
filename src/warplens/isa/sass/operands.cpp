#include "warplens/isa/sass/operands.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "warplens/base/half.h"
#include "warplens/base/text.h"

namespace warplens::sass {
namespace {

enum class Numbers : uint8_t { kBits, kSigned, kFloat, kDouble, kHalves };
enum class Signs : uint8_t { kNone, kNegate, kInvert, kNegateOrAbsolute };

struct Pattern {
  Numbers numbers = Numbers::kBits;
  Signs signs = Signs::kNone;
  const char* operands = nullptr;  // none: the table has no row
};

constexpr std::array<Pattern, kOpcodes + 1> kPatterns = [] {
  std::array<Pattern, kOpcodes + 1> out{};
#define OPERANDS(id, numbers, signs, operands) \
  out[static_cast<size_t>(Opcode::k##id)] = {Numbers::k##numbers, Signs::k##signs, operands};
#include "warplens/isa/sass/operands.def"
#undef OPERANDS
  return out;
}();

constexpr uint32_t kNoRegister = 255, kTrue = 7;

std::string lane_register(uint32_t number) { return number == kNoRegister ? "RZ" : fmt::format("R{}", number); }

std::string predicate(uint32_t number, bool uniform, bool inverted = false) {
  return fmt::format("{}{}P{}", inverted ? "!" : "", uniform ? "U" : "",
                     number == kTrue ? "T" : std::to_string(number));
}

std::string hex(int64_t value) {
  return value < 0 ? fmt::format("-{:#x}", -static_cast<uint64_t>(value)) : fmt::format("{:#x}", value);
}

std::string number(auto value) {
  if (std::isnan(value)) return std::signbit(value) ? "-QNAN" : "+QNAN";
  if (std::isinf(value)) return std::signbit(value) ? "-INF" : "+INF";
  return fmt::format("{}", value);
}

std::string special_register(uint32_t number) {
  switch (number) {
#define SPECIAL(number, name) \
  case number: return name;
#include "warplens/isa/sass/special_registers.def"
#undef SPECIAL
    default: return fmt::format("SR{}", number);
  }
}

/// A source: its text, and where the word keeps its signs and, of packed halves, which of them it means.
struct Source {
  std::string text;
  int negate_at = 0, absolute_at = 0, halves_at = 0;
};

/// Writes the operands of one word, token by token.
class Writer {
 public:
  Writer(const Disassembled& instruction, const Word& word, int architecture)
      : instruction_(instruction),
        pattern_(kPatterns[static_cast<size_t>(instruction.opcode)]),
        word_(word),
        uniform_(sass::instruction(instruction.opcode).uniform),
        architecture_(architecture) {}

  std::optional<std::string> text() {
    if (pattern_.operands == nullptr) return {};
    for (const std::string_view token : split(pattern_.operands, ' ')) {
      if (!token.empty()) write(token);
    }
    if (!known_) return {};
    return join(parts_, ", ");
  }

 private:
  bool has(std::string_view modifier) const {
    const std::vector<std::string_view> all = split(instruction_.modifiers, '.');
    return std::ranges::find(all, modifier) != all.end();
  }

  void write(std::string_view token) {
    if (const size_t slash = token.find('/'); slash != token.npos) {
      if (has(token.substr(1, slash - 1)) != (token[0] == '.')) return;
      return write(token.substr(slash + 1));
    }
    if (const size_t literal = token.find('&'); literal != token.npos) {
      parts_.push_back(operand(token.substr(0, literal)).append(token.substr(literal + 1)));
      return;
    }
    const bool may_be_left_out = token.back() == '?';
    if (may_be_left_out) token.remove_suffix(1);
    std::string text = operand(token);
    if (may_be_left_out && (text == "PT" || text == "UPT" || text == "RZ" || text == "URZ")) return;
    if (!text.empty()) parts_.push_back(std::move(text));
  }

  std::string operand(std::string_view token) {
    const std::string_view rest = token.substr(1);
    const int at = static_cast<int>(parse_int(rest.substr(0, rest.find(':'))).value_or(0));
    const auto bits = [&] { return static_cast<int>(parse_int(rest.substr(rest.find(':') + 1)).value_or(0)); };
    switch (token[0]) {
      case 'd': return own_register(16);
      case 'a': return source({own_register(24), 72, 73, 74});
      case 'L': return low();
      case 'b': return word_.holds_c_low() ? high() : low();
      case 'c': return word_.holds_c_low() ? low() : high();
      case 'r': return own_register(at);
      case 'u': return uniform_register(at);
      case 'h': return high();
      case 'D': return fmt::format("SB{}", word_.bits(at, 3));
      case 'P': return predicate(word_.bits(at, 3), uniform_);
      case 'V': return predicate(word_.bits(at, 3), true);
      case 'p': return predicate(word_.bits(at, 3), uniform_, word_.bit(at + 3));
      case 'x': return hex(word_.bits(at, bits()));
      case '3': return predicate(word_.bits(68, 3), uniform_ || word_.bit(67), word_.bit(71));
      case 'T': return hex(word_.bits(72, 5) << 3 | word_.bits(64, 3));
      case 'k': return constant(38, "RZ");
      case 'n': return constant(at, own_register(24));
      case 'w': return wide_number();
      case 'A': return "[" + uniform_register(at) + "]";
      case 'g': return global_address();
      case 's': return near_address(at, word_.bits(78, 2));
      case 'e': return near_address(at, 0);
      case 'z': return word_.bits(at, bits()) == 0 ? "" : unknown();
      case 'G': return "[" + plus(lane_register(word_.bits(16, 8)), word_.signed_bits(44, 20)) + "]";
      case 'B': return fmt::format("B{}", word_.bits(at, 4));
      case 'S': return special_register(word_.bits(at, 8));
      case 't': return instruction_.has_target ? hex(instruction_.target) : unknown();
      case 'R': return return_address();
      case 'q': return hex(int64_t{instruction_.address} + 16 + word_.signed_bits(32, 32));
      case 'Q': return hex(int64_t{instruction_.address} + 16 + branch_distance(word_, architecture_));
      case 'j': return branch_condition();
      case 'y': return barrier();
      case 'W': return architecture_ >= 90 ? own_register(24) : low();
      case 'i': return distance();
      case 'm': return lanes_joined();
      case '!': return unknown();
      case '\'': return std::string(rest);
      default: return unknown();
    }
  }

  std::string unknown() {
    known_ = false;
    return "";
  }

  std::string uniform_register(int at) const {
    const bool wide = architecture_ >= 100;
    const uint32_t index = word_.bits(at, wide ? 8 : 6), none = wide ? 255 : 63;
    return index == none ? "URZ" : fmt::format("UR{}", index);
  }
  std::string own_register(int at) const { return uniform_ ? uniform_register(at) : lane_register(word_.bits(at, 8)); }

  std::string source(const Source& of) const {
    std::string text = of.text;
    if (pattern_.signs == Signs::kNegateOrAbsolute && word_.bit(of.absolute_at)) text = "|" + text + "|";
    if (pattern_.numbers == Numbers::kHalves) text += halves(of.halves_at);
    if (pattern_.signs == Signs::kNone || !word_.bit(of.negate_at)) return text;
    return (pattern_.signs == Signs::kInvert || has("X") ? "~" : "-") + text;
  }

  /// Which halves of a register it takes; nothing where it takes both as they lie.
  std::string_view halves(int at) const {
    if (at == 60 && word_.bit(86) && word_.code() == 0x31) return ".H0_NH1";
    constexpr std::string_view kTexts[] = {"", ".F32", ".H0_H0", ".H1_H1"};
    return kTexts[word_.bits(at, 2)];
  }

  std::string high() const {
    const bool packed = pattern_.numbers == Numbers::kHalves;
    return source({own_register(64), packed ? 84 : 75, packed ? 83 : 74, 81});
  }

  std::string low() {
    const auto register_or = [&](std::string text) { return source({std::move(text), 63, 62, 60}); };
    switch (static_cast<Form>(word_.form())) {
      case Form::kRegisters: return register_or(own_register(32));
      case Form::kImmediateC:
      case Form::kImmediateB: return immediate();
      case Form::kConstantC:
      case Form::kConstantB: return register_or(constant(38, "RZ"));
      case Form::kUniformB:
      case Form::kUniformC: return register_or(uniform_register(32));
      default: return unknown();
    }
  }

  std::string immediate() const {
    const uint32_t bits = word_.immediate();
    switch (pattern_.numbers) {
      case Numbers::kSigned: return hex(static_cast<int32_t>(bits));
      case Numbers::kFloat: return number(std::bit_cast<float>(bits));
      case Numbers::kDouble: return number(std::bit_cast<double>(uint64_t{bits} << 32));
      case Numbers::kHalves: return number(half(bits >> 16)) + ", " + number(half(bits & 0xffff));
      default: return hex(bits);
    }
  }

  float half(uint32_t bits) const {
    return has("BF16_V2") || has("BF16") ? std::bit_cast<float>(bits << 16) : half_value(bits);
  }

  /// "c[0x0][0x28]", "c[0x3][R4+0x10]"; `offset_at`: the bit where the byte offset begins, which ends at bit 53.
  std::string constant(int offset_at, std::string_view index) const {
    const int bits = 54 - offset_at;
    const bool is_first = instruction_.opcode == Opcode::kLdc && word_.bits(offset_at, bits) == 0;
    const bool indexed = is_first || (index != "RZ" && index != "URZ");
    const std::string at =
        indexed ? plus(std::string(index), word_.signed_bits(offset_at, bits)) : hex(word_.bits(offset_at, bits));
    return fmt::format("c[{}][{}]", hex(word_.bits(54, 5)), at);
  }

  /// 64 bits, which take the place of the sources.
  std::string wide_number() {
    if (!word_.is(Form::kImmediateC)) return low();
    return fmt::format("{:#x}", word_.low >> 24 | (word_.high & 0xffffff) << 40);
  }

  static std::string plus(std::string base, int64_t offset) {
    if (base.empty()) return hex(offset);
    return offset == 0 ? base : base + "+" + hex(offset);
  }

  /// A descriptor says how to cache; without one, a uniform register is a base. See run/sass/memory/addresses.cpp.
  std::string global_address() {
    const Category category = instruction_.category();
    const bool is_load = category == Category::kLoad, is_plain = is_load || category == Category::kStore;
    const bool is_generic = instruction_.space() == MemorySpace::kGeneric;
    if (architecture_ < 80 && is_plain && is_generic) return unknown();  // the offset stands elsewhere
    const bool has_uniform = word_.bit(91);
    const bool is_base = has_uniform && (architecture_ < 80 || (is_plain && architecture_ >= 90 && !word_.bit(76)));
    const std::string uniform = uniform_register(is_load ? 32 : 64);
    std::string base = lane_register(word_.bits(24, 8));
    if (is_base) base += (word_.bit(90) ? ".64+" : ".U32+") + uniform;
    else if (has_uniform && (word_.bit(72) || category == Category::kAsyncCopy)) base += ".64";
    else if (base == "RZ") base.clear();
    const int64_t offset = category == Category::kAsyncCopy  ? word_.signed_bits(32, 12)
                           : is_plain || architecture_ < 100 ? word_.signed_bits(40, 24)
                                                             : word_.signed_bits(40, 23);  // bit 63 is another's
    const std::string at = "[" + plus(base, offset) + "]";
    return has_uniform && !is_base && architecture_ >= 90 ? "desc[" + uniform + "]" + at : at;
  }

  /// In shared or local memory.
  std::string near_address(int uniform_at, uint32_t scale) const {
    std::string base = lane_register(word_.bits(24, 8));
    if (base == "RZ") base.clear();
    else if (scale != 0) base += fmt::format(".X{}", 2u << scale);
    if (word_.bit(91)) base += (base.empty() ? "" : "+") + uniform_register(uniform_at);
    return "[" + (base.empty() && word_.signed_bits(40, 24) == 0 ? "RZ" : plus(base, word_.signed_bits(40, 24))) + "]";
  }

  /// Of a shuffle: from where, and which lanes belong together.
  std::string distance() const {
    return word_.form() == 4 || word_.form() == 7 ? hex(word_.bits(53, 5)) : own_register(32);
  }
  std::string lanes_joined() const {
    return word_.form() == 2 || word_.form() == 7 ? hex(word_.bits(40, 13)) : own_register(64);
  }

  /// Of a branch, beside its guard.
  std::string branch_condition() {
    if (word_.form() == 2) return predicate(word_.bits(24, 3), true, word_.bit(27));
    if (has("DIV") || has("CONV")) return (architecture_ < 90 && word_.bit(30) ? "~" : "") + uniform_register(24);
    const std::string condition = predicate(word_.bits(87, 3), false, word_.bit(90));
    return condition == "PT" ? "" : condition;
  }

  /// Where it returns to: a register, and a place that it is relative to.
  std::string return_address() const {
    const int64_t distance = branch_distance(word_, architecture_);
    return own_register(24) + " " + hex(has("REL") ? int64_t{instruction_.address} + 16 + distance : distance);
  }

  /// Of a block: its number, and how many threads meet there where that is not all.
  std::string barrier() const {
    const uint32_t form = word_.form();
    std::string out = form == 4 || form == 5 ? hex(word_.bits(54, 4)) : own_register(32);
    if (form == 2 || form == 5) return word_.bits(42, 12) == 0 ? out : out + ", " + hex(word_.bits(42, 12));
    return out + ", " + own_register(64);
  }

  const Disassembled& instruction_;
  const Pattern& pattern_;
  const Word& word_;
  bool uniform_;
  int architecture_;
  std::vector<std::string> parts_;
  bool known_ = true;
};

}  // namespace

std::string whole_text(const Word& word, uint32_t address, int architecture) {
  const Disassembled instruction = disassemble(word, address, architecture);
  const std::optional<std::string> operands = operands_text(instruction, word, architecture);
  if (!operands) return instruction.text() + " " + std::string(kNotDecoded);
  return operands->empty() ? instruction.text() : instruction.text() + " " + *operands;
}

std::optional<std::string> operands_text(const Disassembled& instruction, const Word& word, int architecture) {
  return Writer(instruction, word, architecture).text();
}

}  // namespace warplens::sass
