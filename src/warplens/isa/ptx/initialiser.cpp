#include "warplens/isa/ptx/initialiser.h"

#include <bit>
#include <cstring>

namespace warplens::ptx {
namespace {

class Initialiser {
 public:
  Initialiser(ParseState& state, Variable& variable)
      : state_(state), variable_(variable), element_bytes_(size_bytes(variable.type)) {
    strides_.assign(1, variable.vector);
    for (size_t i = variable.dimensions.size(); i-- > 0;) {
      strides_.insert(strides_.begin(), strides_.front() * std::max<uint64_t>(variable.dimensions[i], 1));
    }
  }

  bool run() {
    if (!item(0)) return false;
    auto& dimensions = variable_.dimensions;
    if (!dimensions.empty() && dimensions[0] == 0) {
      const uint64_t row = dimensions.size() > 1 ? strides_[1] : variable_.vector;
      dimensions[0] = (element_ + row - 1) / row;
    }
    return true;
  }

 private:
  /// A value, or values in braces that fill one slot of dimension `depth`.
  bool item(size_t depth) {
    if (!state_.token().is('{')) return value();
    if (depth > strides_.size()) return state_.unexpected("a value");
    state_.advance();
    const uint64_t begin = element_;
    while (!state_.token().is('}')) {
      if (!item(depth + 1)) return false;
      if (!state_.token().is('}') && !state_.expect(',')) return false;
    }
    const bool open = depth == 0 && !variable_.dimensions.empty() && variable_.dimensions[0] == 0;
    if (depth < strides_.size() && !open) element_ = std::max(element_, begin + strides_[depth]);
    return state_.expect('}');
  }

  bool value() {
    const Position position = state_.token().position;
    if (state_.token().kind == TokenKind::kWord && state_.token().text != "WARP_SZ")
      return address(0xff, position, true);
    uint64_t bits = 0;
    Immediate immediate = Immediate::kInteger;
    if (!parse_expression(state_, bits, immediate)) return false;
    if (state_.token().is('(')) return mask(bits, position);
    return put(convert_immediate(bits, immediate, variable_.type), position);
  }

  /// 0xFF00(symbol): one byte of an address.
  bool mask(uint64_t bits, Position position) {
    state_.advance();
    if (bits == 0 || std::popcount(bits) != 8 || (bits >> std::countr_zero(bits)) != 0xff ||
        std::countr_zero(bits) % 8) {
      return state_.fail(position, "a mask of an address picks one byte, as 0xFF00 does");
    }
    return address(static_cast<uint8_t>(std::countr_zero(bits)), position, false) && state_.expect(')');
  }

  /// symbol, symbol + n, generic(symbol) + n
  bool address(uint8_t shift, Position position, bool whole) {
    Relocation relocation;
    relocation.offset = element_ * element_bytes_;
    relocation.bytes = static_cast<uint8_t>(element_bytes_);
    relocation.shift = whole ? 0 : shift;
    relocation.masked = !whole;
    if (state_.token().text == "generic") {
      relocation.generic = true;
      state_.advance();
      if (!state_.expect('(')) return false;
    }
    std::string_view name;
    const Position at = state_.token().position;
    if (!state_.word(name, "a variable or function")) return false;
    const Meaning* meaning = state_.names.find(name);
    if (meaning == nullptr || meaning->kind != Meaning::kSymbol ||
        (meaning->symbol != SymbolKind::kGlobal && meaning->symbol != SymbolKind::kFunction)) {
      return state_.fail(at, fmt::format("no earlier variable or function is named '{}'", name));
    }
    relocation.kind = meaning->symbol;
    relocation.id = meaning->id;
    if (relocation.generic && !state_.expect(')')) return false;
    uint64_t addend = 0;
    if (!parse_addend(state_, addend)) return false;
    relocation.addend = static_cast<int64_t>(addend);
    variable_.relocations.push_back(relocation);
    return put(0, position);
  }

  bool put(uint64_t bits, Position position) {
    const uint64_t begin = element_ * element_bytes_;
    if (begin + element_bytes_ > kMostInitialisedBytes) return state_.fail(position, "the initialiser is too long");
    if (variable_.data.size() < begin + element_bytes_) variable_.data.resize(begin + element_bytes_);
    std::memcpy(variable_.data.data() + begin, &bits, std::min<size_t>(element_bytes_, sizeof bits));
    ++element_;
    return true;
  }

  ParseState& state_;
  Variable& variable_;
  uint64_t element_bytes_, element_ = 0;
  std::vector<uint64_t> strides_;  // scalar elements in one slot of each depth, outermost first
};

}  // namespace

uint64_t convert_immediate(uint64_t bits, Immediate immediate, Type type) {
  if (immediate == Immediate::kFloat64 && type == Type::kF32) {
    return std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
  }
  if (immediate == Immediate::kFloat32 && type == Type::kF64) {
    return std::bit_cast<uint64_t>(static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits))));
  }
  if (immediate == Immediate::kInteger && type == Type::kF32) {
    return std::bit_cast<uint32_t>(static_cast<float>(static_cast<int64_t>(bits)));
  }
  if (immediate == Immediate::kInteger && type == Type::kF64) {
    return std::bit_cast<uint64_t>(static_cast<double>(static_cast<int64_t>(bits)));
  }
  return bits;
}

bool parse_initialiser(ParseState& state, Variable& variable) { return Initialiser(state, variable).run(); }

}  // namespace warplens::ptx
