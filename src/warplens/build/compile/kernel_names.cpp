#include "warplens/build/compile/kernel_names.h"

#include <algorithm>
#include <cctype>

#include "warplens/base/demangle.h"
#include "warplens/base/text.h"

namespace warplens::compile {
namespace {

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%'; }

/// Without spaces and the suffixes of whole numbers: "scale<32u, 4ul>" is "scale<32,4>".
std::string plain_form(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ') continue;
    const bool number = std::isdigit(static_cast<unsigned char>(text[i])) && (i == 0 || !is_name(text[i - 1]));
    out += text[i];
    if (!number) continue;
    while (i + 1 < text.size() && std::isdigit(static_cast<unsigned char>(text[i + 1]))) out += text[++i];
    while (i + 1 < text.size() && std::string_view("uUlL").find(text[i + 1]) != std::string_view::npos) ++i;
  }
  return out;
}

/// "ns::scale<float>" -> {"ns::scale<float>", "scale<float>", "ns::scale", "scale"}
std::vector<std::string> forms(const std::string& name) {
  const size_t angle = std::min(name.find('<'), name.size());
  const std::string plain = name.substr(0, angle);
  const size_t scope = plain.rfind("::");
  const size_t base = scope == std::string::npos ? 0 : scope + 2;
  return {plain_form(name), plain_form(name.substr(base)), plain, plain.substr(base)};
}

std::string listing(const std::vector<std::string>& entries) {
  constexpr size_t kShown = 20;
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min(entries.size(), kShown); ++i) names.push_back(short_name(entries[i]));
  if (entries.size() > kShown) names.push_back(fmt::format("and {} more", entries.size() - kShown));
  return join(names, ", ");
}

}  // namespace

std::vector<std::string> entry_names(std::string_view ptx) {
  std::vector<std::string> names;
  constexpr std::string_view kEntry = ".entry";
  for (size_t at = ptx.find(kEntry); at != std::string_view::npos; at = ptx.find(kEntry, at)) {
    const size_t line = ptx.rfind('\n', at) + 1;
    at += kEntry.size();
    if (ptx.substr(line, at - line).find("//") != std::string_view::npos) continue;
    while (at < ptx.size() && std::isspace(static_cast<unsigned char>(ptx[at]))) ++at;
    size_t end = at;
    while (end < ptx.size() && is_name(ptx[end])) ++end;
    if (end > at) names.emplace_back(ptx.substr(at, end - at));
  }
  return names;
}

Result<std::string> choose_kernel(const std::vector<std::string>& entries, const std::string& wanted) {
  if (entries.empty())
    return not_found("it has no kernels (__global__ functions; a template needs -k 'name<arguments>')");
  if (wanted.empty()) {
    if (entries.size() == 1) return entries[0];
    return usage_error(fmt::format("name one of its {} kernels with -k: {}", entries.size(), listing(entries)));
  }
  for (const std::string& entry : entries) {
    if (entry == wanted || demangled(entry) == wanted) return entry;
  }
  std::vector<std::string> matches;
  const std::string plain = plain_form(wanted);
  for (const std::string& entry : entries) {
    const std::vector<std::string> names = forms(short_name(entry));
    if (std::find(names.begin(), names.end(), plain) != names.end()) matches.push_back(entry);
  }
  if (matches.empty() && plain.ends_with('>')) {  // the first of its arguments may do: "scale<32>" for scale<32, float>
    const std::string first = plain.substr(0, plain.size() - 1) + ',';
    for (const std::string& entry : entries) {
      const std::vector<std::string> names = forms(short_name(entry));
      if (std::ranges::any_of(names, [&](const std::string& n) { return n.starts_with(first); }))
        matches.push_back(entry);
    }
  }
  if (matches.size() == 1) return matches[0];
  if (matches.empty()) {
    std::vector<std::string> names;
    for (const std::string& entry : entries) names.push_back(short_name(entry));
    const std::string near = nearest(wanted, names);
    return not_found(fmt::format("no kernel '{}'{}; it has: {}", wanted,
                                 near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near), listing(entries)));
  }
  std::vector<std::string> signatures;
  for (const std::string& match : matches) signatures.push_back(demangled(match));
  return usage_error(
      fmt::format("'{}' means {} kernels; name one: {}", wanted, matches.size(), join(signatures, "; ")));
}

}  // namespace warplens::compile
