#include "warplens/base/demangle.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <string_view>

#include "warplens/base/demangled_size.h"
#include "warplens/base/printable.h"

namespace warplens {
namespace {

constexpr size_t kLongestMangled = size_t{64} << 10;
constexpr double kMostCharacters = 1 << 24;  // the bound of long names of CUTLASS is a thousand times too high
constexpr size_t kMostLonger = 64, kFreeCharacters = 256;  // of names of compilers, ten times

/// Where the parameter list of a demangled signature begins: the '(' outside <> that ends the name.
size_t parameters_at(std::string_view signature) {
  int angle = 0;
  for (size_t i = 0; i < signature.size(); ++i) {
    if (signature.substr(i).starts_with("(anonymous namespace)")) i += 21;
    if (i >= signature.size()) break;
    if (signature[i] == '<') ++angle;
    if (signature[i] == '>') --angle;
    if (signature[i] == '(' && angle == 0) return i;
  }
  return signature.size();
}

}  // namespace

std::string demangled(const std::string& name) {
  // Compilers write thousands of characters at most; what a file makes longer is not worth its time.
  if (!name.starts_with("_Z") || name.size() > kLongestMangled || most_demangled_characters(name) > kMostCharacters)
    return printable(name);
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                    std::free);
  if (status != 0 || text == nullptr) return printable(name);
  const std::string readable = text.get();
  if (readable.size() > kFreeCharacters + kMostLonger * name.size()) return printable(name);
  return printable(readable.starts_with("void ") ? readable.substr(5) : readable);
}

std::string short_name(const std::string& name) {
  const std::string readable = demangled(name);
  return readable.substr(0, parameters_at(readable));
}

}  // namespace warplens
