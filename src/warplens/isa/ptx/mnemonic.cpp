#include "warplens/isa/ptx/mnemonic.h"

#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/isa/ptx/suffix.h"
#include "warplens/isa/ptx/table.h"

namespace warplens::ptx {
namespace {

constexpr size_t kLongestName = 5;  // cp.async.bulk.prefetch.tensor
constexpr std::array<std::string_view, kCategoryCount> kCategories = {
    "integer", "fp16",       "fp32",   "fp64",        "special function", "conversion", "move",    "load",    "store",
    "atomic",  "async copy", "matrix", "matrix move", "barrier",          "warp",       "control", "texture", "other"};

void record(Mnemonic& out, const Suffix& suffix, std::string_view word) {
  switch (suffix.kind) {
    case SuffixKind::kModifier:
      out.modifiers.push_back(static_cast<Mod>(suffix.value));
      out.set.set(suffix.value);
      return;
    case SuffixKind::kType:
      if (out.type_count < out.types.size()) out.types[out.type_count++] = static_cast<Type>(suffix.value);
      return;
    case SuffixKind::kSpace:
      if (out.space_count < out.spaces.size()) out.spaces[out.space_count++] = static_cast<Space>(suffix.value);
      return;
    case SuffixKind::kVector: out.vector = static_cast<uint8_t>(suffix.value); return;
    case SuffixKind::kDimension: out.dimensions = static_cast<uint8_t>(suffix.value); return;
    case SuffixKind::kShape: out.shape = suffix.shape; return;
    case SuffixKind::kUnknown: out.unknown.emplace_back(word); return;
  }
}

/// Assemblers take `vote.ballot.sync` for `vote.sync.ballot`: the name whose words stand in `words` in another order,
/// or kUnknown. Its words are taken out.
Opcode scattered_sync(std::vector<std::string_view>& words) {
  if (std::ranges::find(words, "sync") == words.end()) return Opcode::kUnknown;
  using Words = std::vector<std::string_view>;
  for (const Words& rest : {Words{"sync"}, Words{"any", "sync"}, Words{"all", "sync"}}) {
    std::string name(words[0]);
    bool all_there = true;
    for (const std::string_view word : rest) {
      name.append(".").append(word);
      all_there = all_there && std::ranges::find(words, word) != words.end();
    }
    const Opcode opcode = all_there ? opcode_named(name) : Opcode::kUnknown;
    if (opcode == Opcode::kUnknown) continue;
    std::erase_if(words, [&](std::string_view word) { return std::ranges::find(rest, word) != rest.end(); });
    return opcode;
  }
  return Opcode::kUnknown;
}

}  // namespace

Mnemonic decode(std::string_view mnemonic) {
  Mnemonic out;
  out.text = mnemonic;
  auto words = split(mnemonic, '.');
  size_t used = std::min(words.size(), kLongestName);
  for (; used > 0; --used) {
    const char* end = words[used - 1].data() + words[used - 1].size();
    out.opcode = opcode_named(mnemonic.substr(0, end - mnemonic.data()));
    if (out.opcode != Opcode::kUnknown) break;
  }
  if (used <= 1) {
    if (const Opcode opcode = scattered_sync(words); opcode != Opcode::kUnknown) {
      out.opcode = opcode;
      used = 1;
    }
  }
  std::vector<Suffix> suffixes;
  for (size_t i = std::max<size_t>(used, 1); i < words.size(); ++i) {
    suffixes.push_back(classify(words[i]));
    record(out, suffixes.back(), words[i]);
  }
  if (out.opcode == Opcode::kUnknown) return out;
  out.form = static_cast<int16_t>(match_form(out.opcode, suffixes));
  out.category = forms()[out.form >= 0 ? out.form : row(out.opcode).first_form].category;
  return out;
}

std::string_view text(Opcode opcode) { return row(opcode).text; }
std::string_view text(Category category) { return kCategories[static_cast<size_t>(category)]; }

}  // namespace warplens::ptx
