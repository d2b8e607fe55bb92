#include "warplens/collect/stacks/call_frames.h"

#include <cstring>
#include <string_view>
#include <vector>

namespace warplens::collect {
namespace {

using std::string_view_literals::operator""sv;

// Encodings of pointers ("DW_EH_PE_..."): the low half says how wide, 0x70 from where.
constexpr uint8_t kFromHere = 0x10, kFromHeader = 0x30, kSigned4 = 0x0b, kUnsigned4 = 0x03, kWhole = 0x00;

/// Reads forwards, and nothing beyond the end: then everything is 0 and `good` false.
class Cursor {
 public:
  Cursor(MappedBytes bytes, const uint8_t* at) : bytes_(bytes), at_(at), good_(at >= bytes.begin && at <= bytes.end) {}

  bool good() const { return good_; }
  bool done() const { return !good_ || at_ >= bytes_.end; }
  const uint8_t* at() const { return at_; }
  std::string_view rest() const {
    return good_ ? std::string_view(reinterpret_cast<const char*>(at_), static_cast<size_t>(bytes_.end - at_)) : "";
  }
  void skip(uint64_t count) {
    if (take(count)) at_ += count;
  }
  /// What lies in the next `count` bytes alone.
  Cursor part(uint64_t count) const {
    Cursor out = *this;
    if (out.take(count)) out.bytes_.end = at_ + count;
    return out;
  }

  template <typename Number>
  Number fixed() {
    Number out{};
    if (!take(sizeof out)) return out;
    std::memcpy(&out, at_, sizeof out);
    at_ += sizeof out;
    return out;
  }

  uint64_t unsigned_leb() {
    uint64_t out = 0;
    for (unsigned shift = 0; good_; shift += 7) {
      const auto byte = fixed<uint8_t>();
      if (shift < 64) out |= uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) break;
    }
    return out;
  }

  int64_t signed_leb() {
    uint64_t out = 0;
    for (unsigned shift = 0; good_;) {
      const auto byte = fixed<uint8_t>();
      if (shift < 64) out |= uint64_t{byte & 0x7fU} << shift;
      shift += 7;
      if (byte >= 0x80) continue;
      if ((byte & 0x40) != 0 && shift < 64) out |= ~uint64_t{0} << shift;
      break;
    }
    return static_cast<int64_t>(out);
  }

  /// A number of this encoding's width, without where it counts from.
  int64_t encoded(uint8_t encoding) {
    switch (encoding & 0x0f) {
      case 0x00:
      case 0x04:
      case 0x0c: return fixed<int64_t>();
      case 0x01: return static_cast<int64_t>(unsigned_leb());
      case 0x02: return fixed<uint16_t>();
      case kUnsigned4: return fixed<uint32_t>();
      case 0x09: return signed_leb();
      case 0x0a: return fixed<int16_t>();
      case kSigned4: return fixed<int32_t>();
      default: good_ = false; return 0;
    }
  }

 private:
  bool take(uint64_t count) {
    good_ = good_ && count <= static_cast<uint64_t>(bytes_.end - at_);
    return good_;
  }
  MappedBytes bytes_;
  const uint8_t* at_;
  bool good_;
};

uint64_t address_of(const uint8_t* at) { return reinterpret_cast<uint64_t>(at); }

/// What the functions of a compilation have in common.
struct CommonEntry {
  uint64_t code_unit = 1;
  int64_t data_unit = 1;
  uint8_t pointers = kWhole;
  bool augmented = false;
  Cursor instructions;
};

/// Past an entry's length, with its end cut to it; the 64-bit form is not read.
std::optional<Cursor> entry_at(MappedBytes bytes, const uint8_t* at) {
  Cursor cursor(bytes, at);
  const auto length = cursor.fixed<uint32_t>();
  if (!cursor.good() || length == 0 || length == UINT32_MAX) return std::nullopt;
  const Cursor entry = cursor.part(length);
  return entry.good() ? std::optional(entry) : std::nullopt;
}

std::optional<CommonEntry> common_entry(MappedBytes bytes, const uint8_t* at) {
  std::optional<Cursor> entry = entry_at(bytes, at);
  if (!entry || entry->fixed<uint32_t>() != 0) return std::nullopt;
  const auto version = entry->fixed<uint8_t>();
  if (version != 1 && version != 3) return std::nullopt;
  std::vector<char> augmentation;
  for (char letter = entry->fixed<char>(); letter != 0 && entry->good(); letter = entry->fixed<char>())
    augmentation.push_back(letter);
  CommonEntry out{.instructions = *entry};
  out.code_unit = entry->unsigned_leb();
  out.data_unit = entry->signed_leb();
  const uint64_t return_column = version == 1 ? entry->fixed<uint8_t>() : entry->unsigned_leb();
  if (return_column != kReturnColumn) return std::nullopt;
  for (const char letter : augmentation) {
    if (letter == 'z') {
      out.augmented = true;
      entry->unsigned_leb();
    } else if (letter == 'R') {
      out.pointers = entry->fixed<uint8_t>();
    } else if (letter == 'P') {
      const auto encoding = entry->fixed<uint8_t>();
      entry->encoded(encoding);
    } else if (letter == 'L') {
      entry->fixed<uint8_t>();
    } else {
      return std::nullopt;  // 'S': a signal's frame, whose rules are expressions
    }
  }
  out.instructions = *entry;
  return entry->good() ? std::optional(out) : std::nullopt;
}

/// Runs the instructions of an entry up to one place of the code.
class RuleMachine {
 public:
  RuleMachine(const CommonEntry& common, uint64_t begin, uint64_t address)
      : common_(common), place_(begin), address_(address) {
    rule_.function = begin;
  }

  const FrameRule& rule() const { return rule_; }
  void begin_function() { initial_ = rule_; }

  /// False where something is met that is not done here.
  bool run(Cursor code) {
    while (!code.done() && place_ <= address_) {
      if (!step(code)) return false;
    }
    return code.good();
  }

 private:
  void advance(uint64_t units) { place_ += units * common_.code_unit; }
  void save(uint64_t number, int64_t units) {
    set(number, {SavedRegister::kCaller, static_cast<int32_t>(units * common_.data_unit)});
  }
  void set(uint64_t number, SavedRegister where) {
    if (number < kRegisters) rule_.saved[number] = where;
  }
  void restore(uint64_t number) {
    if (number < kRegisters) rule_.saved[number] = initial_.saved[number];
  }

  bool step(Cursor& code) {
    const auto byte = code.fixed<uint8_t>();
    const uint8_t low = byte & 0x3f;
    switch (byte & 0xc0) {
      case 0x40: advance(low); return true;
      case 0x80: save(low, static_cast<int64_t>(code.unsigned_leb())); return true;
      case 0xc0: restore(low); return true;
      default: return other(byte, code);
    }
  }

  bool other(uint8_t byte, Cursor& code) {
    switch (byte) {
      case 0x00: return true;                                  // nop
      case 0x02: advance(code.fixed<uint8_t>()); return true;  // advance_loc1, 2, 4
      case 0x03: advance(code.fixed<uint16_t>()); return true;
      case 0x04: advance(code.fixed<uint32_t>()); return true;
      case 0x07: set(code.unsigned_leb(), {SavedRegister::kLost}); return true;  // undefined
      case 0x08: set(code.unsigned_leb(), {SavedRegister::kKept}); return true;  // same_value
      case 0x06: restore(code.unsigned_leb()); return true;                      // restore_extended
      case 0x0a: remembered_.push_back(rule_); return true;                      // remember_state
      case 0x2e: code.unsigned_leb(); return true;                               // GNU_args_size
      case 0x0b:                                                                 // restore_state
        if (remembered_.empty()) return false;
        rule_ = remembered_.back();
        remembered_.pop_back();
        return true;
      default: return with_operands(byte, code);
    }
  }

  bool with_operands(uint8_t byte, Cursor& code) {
    const uint64_t first = code.unsigned_leb();
    switch (byte) {
      case 0x05: save(first, static_cast<int64_t>(code.unsigned_leb())); return true;            // offset_extended
      case 0x11: save(first, code.signed_leb()); return true;                                    // ..._sf
      case 0x0c: base(first, static_cast<int64_t>(code.unsigned_leb())); return true;            // def_cfa
      case 0x12: base(first, code.signed_leb() * common_.data_unit); return true;                // ..._sf
      case 0x0d: rule_.base_register = static_cast<uint32_t>(first); return true;                // def_cfa_register
      case 0x0e: rule_.base_offset = static_cast<int64_t>(first); return true;                   // def_cfa_offset
      case 0x0f: return base_expression(take(first, code));                                      // def_cfa_expression
      case 0x10: set(first, register_expression(take(code.unsigned_leb(), code))); return true;  // expression
      case 0x16:
        take(code.unsigned_leb(), code);
        set(first, {SavedRegister::kLost});
        return true;  // val_expression
      case 0x09:
        code.unsigned_leb();
        set(first, {SavedRegister::kLost});
        return true;  // register
      default: return false;
    }
  }

  void base(uint64_t number, int64_t offset) {
    rule_.base_register = static_cast<uint32_t>(number);
    rule_.base_offset = offset;
    rule_.dereferenced = false;
  }

  static Cursor take(uint64_t bytes, Cursor& code) {
    const Cursor out = code.part(bytes);
    code.skip(bytes);
    return out;
  }

  /// Functions that align their stack keep the caller's stack pointer in their frame: DW_OP_bregN, DW_OP_deref. The
  /// stubs through which libraries are called say by the last bits of the address whether they have pushed a number.
  bool base_expression(Cursor code) {
    constexpr std::string_view kStub = "\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22"sv;
    constexpr uint64_t kPushedFrom = 11;
    if (code.rest() == kStub) {
      base(kStackPointer, (address_ & 15) >= kPushedFrom ? 16 : 8);
      return true;
    }
    const SavedRegister at = one_register(code);
    if (at.base >= kRegisters || code.fixed<uint8_t>() != 0x06 || !code.done()) return false;
    base(at.base, at.offset);
    rule_.dereferenced = true;
    return true;
  }

  static SavedRegister register_expression(Cursor code) {
    const SavedRegister at = one_register(code);
    return code.done() ? at : SavedRegister{SavedRegister::kLost};
  }

  /// DW_OP_bregN: a register plus a number.
  static SavedRegister one_register(Cursor& code) {
    const auto number = static_cast<uint8_t>(code.fixed<uint8_t>() - 0x70);
    if (number >= kRegisters) return {SavedRegister::kLost};
    return {number, static_cast<int32_t>(code.signed_leb())};
  }

  const CommonEntry& common_;
  uint64_t place_, address_;
  FrameRule rule_, initial_;
  std::vector<FrameRule> remembered_;
};

struct HeaderRow {
  int32_t code, entry;  // from the header
};

/// The entry of the function that `address` may be in.
const uint8_t* find_entry(MappedBytes bytes, const uint8_t* header, uint64_t address) {
  Cursor cursor(bytes, header);
  const auto version = cursor.fixed<uint8_t>();
  const auto frames = cursor.fixed<uint8_t>();
  const auto counts = cursor.fixed<uint8_t>();
  const auto rows = cursor.fixed<uint8_t>();
  cursor.encoded(frames);
  if (version != 1 || counts != kUnsigned4 || rows != (kFromHeader | kSigned4)) return nullptr;
  const auto count = cursor.fixed<uint32_t>();
  if (!cursor.part(uint64_t{count} * sizeof(HeaderRow)).good()) return nullptr;
  const uint8_t* table = cursor.at();
  const auto row = [&](uint32_t k) {
    HeaderRow out{};
    std::memcpy(&out, table + k * sizeof out, sizeof out);
    return out;
  };
  const auto from = static_cast<int64_t>(address - address_of(header));
  uint32_t low = 0, high = count;  // the last row that begins no later
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (row(middle).code <= from) low = middle + 1;
    else high = middle;
  }
  return low == 0 ? nullptr : header + row(low - 1).entry;
}

}  // namespace

std::optional<FrameRule> frame_rule(MappedBytes bytes, const uint8_t* header, uint64_t address) {
  const uint8_t* at = find_entry(bytes, header, address);
  std::optional<Cursor> entry = at != nullptr ? entry_at(bytes, at) : std::nullopt;
  if (!entry) return std::nullopt;
  const uint8_t* common_from = entry->at();
  const std::optional<CommonEntry> common = common_entry(bytes, common_from - entry->fixed<uint32_t>());
  if (!common) return std::nullopt;
  const uint64_t here = (common->pointers & 0x70) == kFromHere ? address_of(entry->at()) : 0;
  const uint64_t begin = here + static_cast<uint64_t>(entry->encoded(common->pointers));
  const auto size = static_cast<uint64_t>(entry->encoded(common->pointers & 0x0f));
  if (!entry->good() || address - begin >= size) return std::nullopt;
  if (common->augmented) entry->skip(entry->unsigned_leb());
  RuleMachine machine(*common, begin, address);
  if (!machine.run(common->instructions)) return std::nullopt;
  machine.begin_function();
  if (!machine.run(*entry)) return std::nullopt;
  return machine.rule();
}

}  // namespace warplens::collect
