#include "warplens/isa/ptx/suffix.h"

#include <array>
#include <unordered_map>

namespace warplens::ptx {
namespace {

constexpr std::string_view kModifiers[] = {
#define MOD(name, text) std::string_view(text),
#include "warplens/isa/ptx/modifiers.def"
#undef MOD
};

const std::unordered_map<std::string_view, uint16_t>& modifier_names() {
  static const auto names = [] {
    std::unordered_map<std::string_view, uint16_t> map;
    for (size_t i = 0; i < std::size(kModifiers); ++i) map.emplace(kModifiers[i], static_cast<uint16_t>(i));
    return map;
  }();
  return names;
}

/// Takes `letter` and the number after it (at most 9999) off the front of `word`.
bool take(std::string_view& word, char letter, uint16_t& number) {
  if (word.size() < 2 || word[0] != letter || word[1] < '0' || word[1] > '9') return false;
  unsigned value = 0;
  size_t i = 1;
  for (; i < word.size() && i < 5 && word[i] >= '0' && word[i] <= '9'; ++i) value = value * 10 + (word[i] - '0');
  number = static_cast<uint16_t>(value);
  word.remove_prefix(i);
  return true;
}

bool parse_shape(std::string_view word, Shape& shape) {
  if (!take(word, 'm', shape.m) || !take(word, 'n', shape.n)) return false;
  return word.empty() || (take(word, 'k', shape.k) && word.empty());
}

}  // namespace

std::string_view text(Mod modifier) { return kModifiers[static_cast<size_t>(modifier)]; }

Suffix classify(std::string_view word) {
  if (const Type type = type_named(word); type != Type::kNone) {
    return {SuffixKind::kType, static_cast<uint16_t>(type), {}};
  }
  if (const Space space = space_named(word); space != Space::kGeneric) {
    return {SuffixKind::kSpace, static_cast<uint16_t>(space), {}};
  }
  if (word.size() == 2 && word[0] == 'v' && (word[1] == '2' || word[1] == '4' || word[1] == '8')) {
    return {SuffixKind::kVector, static_cast<uint16_t>(word[1] - '0'), {}};
  }
  if (word.size() == 2 && word[1] == 'd' && word[0] >= '1' && word[0] <= '5') {
    return {SuffixKind::kDimension, static_cast<uint16_t>(word[0] - '0'), {}};
  }
  if (const auto found = modifier_names().find(word); found != modifier_names().end()) {
    return {SuffixKind::kModifier, found->second, {}};
  }
  Suffix suffix;
  if (parse_shape(word, suffix.shape)) suffix.kind = SuffixKind::kShape;
  return suffix;
}

}  // namespace warplens::ptx
