// The meaning of names, scope by scope.
#pragma once
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "warplens/isa/ptx/module.h"

namespace warplens::ptx {

struct Meaning {
  enum Kind : uint8_t { kRegister, kRange, kSymbol, kLabel } kind = kRegister;
  SymbolKind symbol = SymbolKind::kGlobal;
  uint32_t id = 0, count = 1;  // of a range: its first register and how many
};

class Names {
 public:
  /// A scope's names end with it; the keys must outlive the table.
  void open() { scopes_.emplace_back(); }
  void close() { scopes_.pop_back(); }
  /// False when the innermost scope has `name` already.
  bool add(std::string_view name, Meaning meaning) {
    Scope& scope = scopes_.back();
    return (meaning.kind == Meaning::kRange ? scope.ranges : scope.names).emplace(name, meaning).second;
  }
  /// A register of a range comes back as the register itself.
  const Meaning* find(std::string_view name);
  /// Only in the innermost scope, ranges left out.
  const Meaning* find_innermost(std::string_view name) const;
  /// All names in sight, for "did you mean".
  std::vector<std::string> all() const;

 private:
  using Map = std::unordered_map<std::string_view, Meaning>;
  struct Scope {
    Map names, ranges;  // `a` and `a<2>` may both exist
  };
  std::vector<Scope> scopes_;
  Meaning in_range_;
};

}  // namespace warplens::ptx
