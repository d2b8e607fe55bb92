#include "warplens/program/analysis/kernel_name.h"

#include <array>
#include <cctype>

#include "warplens/base/text.h"

namespace warplens::analysis {
namespace {

bool in_identifier(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Whether an identifier among template arguments names what the kernel computes.
bool is_operation(std::string_view word) {
  constexpr std::array<std::string_view, 5> kSuffixes = {"Functor", "Op", "Ops", "_kernel_cuda", "_kernel_impl"};
  for (const std::string_view suffix : kSuffixes) {
    if (word.size() > suffix.size() && word.ends_with(suffix)) return true;
  }
  return false;
}

/// The first operation among `arguments`; adaptors that wrap another ("BinaryFunctor") give way to what they wrap.
std::string_view operation(std::string_view arguments) {
  std::string_view found;
  for (size_t at = 0; at < arguments.size();) {
    size_t end = at;
    while (end < arguments.size() && in_identifier(arguments[end])) ++end;
    const std::string_view word = arguments.substr(at, end - at);
    const bool adaptor = word == "BinaryFunctor" || word == "BUnaryFunctor" || word == "AUnaryFunctor";
    if (is_operation(word) && (found.empty() || found.find("naryFunctor") != std::string_view::npos)) {
      found = word;
      if (!adaptor) return found;
    }
    at = end + 1;
  }
  return found;
}

}  // namespace

std::string short_kernel_name(std::string_view name) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  std::string plain = replace_all(std::string(name), kAnonymous, "");
  const size_t open = plain.find_first_of("<(");
  if (open == std::string::npos || open == 0) return plain;
  if (plain.find("::") == std::string::npos && !plain.starts_with("void "))
    return plain;  // "Memcpy HtoD (Pageable -> Device)"
  std::string_view base = std::string_view(plain).substr(0, open);
  if (const size_t scope = base.rfind("::"); scope != std::string_view::npos) base.remove_prefix(scope + 2);
  if (const size_t space = base.rfind(' '); space != std::string_view::npos) base.remove_prefix(space + 1);
  if (plain[open] == '(') return std::string(base);
  const std::string_view what = operation(std::string_view(plain).substr(open));
  if (base == "Kernel2" || base == "Kernel") {  // cutlass: the only argument is the name
    const size_t end = plain.find_first_of("<>,", open + 1);
    return plain.substr(open + 1, end - open - 1);
  }
  return what.empty() ? std::string(base) : fmt::format("{}<{}>", base, what);
}

std::string cut_to_width(std::string text, size_t width) {
  if (width == 0 || display_width(text) <= width) return text;
  return ellipsis(text, width);
}

}  // namespace warplens::analysis
