#include "warplens/isa/ptx/types.h"

#include <array>
#include <unordered_map>

namespace warplens::ptx {
namespace {

struct TypeRow {
  std::string_view text;
  int bits;
  TypeKind kind;
};

constexpr std::array kTypes = {
    TypeRow{"", 0, TypeKind::kNone},
#define TYPE(name, text, bits, kind) TypeRow{text, bits, TypeKind::k##kind},
#include "warplens/isa/ptx/types.def"
#undef TYPE
};

constexpr std::array<std::string_view, 14> kSpaces = {
    "",      "reg",          "sreg",        "global", "const",       "local",
    "param", "param::entry", "param::func", "shared", "shared::cta", "shared::cluster",
    "tex",   "tensor"};

const TypeRow& row(Type type) { return kTypes[static_cast<size_t>(type)]; }

}  // namespace

std::string_view text(Type type) { return row(type).text; }
TypeKind kind(Type type) { return row(type).kind; }
int bits(Type type) { return row(type).bits; }
int size_bytes(Type type) { return row(type).bits <= 8 ? 1 : row(type).bits / 8; }

Type type_named(std::string_view word) {
  static const auto names = [] {
    std::unordered_map<std::string_view, Type> map;
    for (size_t i = 1; i < kTypes.size(); ++i) map.emplace(kTypes[i].text, static_cast<Type>(i));
    return map;
  }();
  const auto found = names.find(word);
  return found == names.end() ? Type::kNone : found->second;
}

std::string_view text(Space space) { return kSpaces[static_cast<size_t>(space)]; }

Space space_named(std::string_view word) {
  for (size_t i = 1; i + 1 < kSpaces.size(); ++i) {  // the last is never written
    if (word == kSpaces[i]) return static_cast<Space>(i);
  }
  return Space::kGeneric;
}

}  // namespace warplens::ptx
