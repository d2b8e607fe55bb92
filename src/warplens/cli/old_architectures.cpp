#include "warplens/cli/old_architectures.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

namespace warplens::cli {
namespace {

constexpr std::array<std::string_view, 8> kFlags = {"-arch", "--gpu-architecture", "-gencode", "--generate-code",
                                                    "-code", "--gpu-code",         "--arch",   "--code"};

/// The numbers of all compute_N, sm_N and lto_N of a text.
std::vector<std::pair<int, std::string>> architectures(std::string_view text) {
  std::vector<std::pair<int, std::string>> found;
  for (const std::string_view kind : {"compute_", "sm_", "lto_"}) {
    for (size_t at = text.find(kind); at != std::string_view::npos; at = text.find(kind, at + 1)) {
      const std::string_view rest = text.substr(at + kind.size());
      const size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
      if (digits > 0 && digits <= 4)
        found.emplace_back(std::atoi(std::string(rest.substr(0, digits)).c_str()),
                           text.substr(at, kind.size() + digits));
    }
  }
  return found;
}

/// The value's place behind the flag that a word begins with: 0 for none, the word's size for one whose value comes
/// next.
size_t value_place(std::string_view word) {
  for (const std::string_view flag : kFlags) {
    if (word == flag) return word.size();
    if (word.starts_with(flag) && word[flag.size()] == '=') return flag.size() + 1;
  }
  return 0;
}

}  // namespace

NewerWords without_old_architectures(const std::vector<std::string>& words, const std::string& known) {
  const auto all = architectures(known);
  const int oldest = all.empty() ? 0 : std::ranges::min_element(all)->first;
  NewerWords out;
  bool others = false;
  for (size_t i = 0; i < words.size(); ++i) {
    const size_t place = value_place(words[i]);
    const bool apart = place > 0 && place == words[i].size() && i + 1 < words.size();
    const std::string value = place == 0 ? "" : apart ? words[i + 1] : words[i].substr(place);
    bool old = false;
    for (const auto& [number, name] : architectures(value)) {
      if (number >= oldest) continue;
      old = true;
      if (std::ranges::find(out.dropped, name) == out.dropped.end()) out.dropped.push_back(name);
    }
    others |= place > 0 && !old;
    if (!old) {
      out.words.push_back(words[i]);
      if (apart) out.words.push_back(words[i + 1]);
    }
    if (apart) ++i;
  }
  const bool compiles = std::ranges::any_of(words, [](const std::string& word) { return word.ends_with(".cu"); });
  if (!others && (compiles || !out.dropped.empty())) out.words.emplace_back("-arch=sm_90");
  return out;
}

}  // namespace warplens::cli
