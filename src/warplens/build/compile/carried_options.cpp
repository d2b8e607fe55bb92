#include "warplens/build/compile/carried_options.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "warplens/base/folders.h"
#include "warplens/base/text.h"
#include "warplens/build/compile/compile.h"

namespace warplens::compile {
namespace {

enum class Takes : uint8_t { kNothing, kDefinition, kName, kFolder, kArch, kStandard, kNumber, kSwitch, kAssembler };

struct Known {
  std::string_view name;
  Takes takes;
};

/// As NVRTC and nvcc spell them; most may begin with one or with two dashes.
constexpr Known kKnown[] = {
    {"-D", Takes::kDefinition},
    {"--define-macro", Takes::kDefinition},
    {"-U", Takes::kName},
    {"--undefine-macro", Takes::kName},
    {"-I", Takes::kFolder},
    {"--include-path", Takes::kFolder},
    {"-isystem", Takes::kFolder},
    {"--system-include", Takes::kFolder},
    {"-arch", Takes::kArch},
    {"--gpu-architecture", Takes::kArch},
    {"-std", Takes::kStandard},
    {"-O", Takes::kNumber},
    {"--optimize", Takes::kNumber},
    {"-maxrregcount", Takes::kNumber},
    {"-diag-suppress", Takes::kNumber},
    {"-ftz", Takes::kSwitch},
    {"-prec-div", Takes::kSwitch},
    {"-prec-sqrt", Takes::kSwitch},
    {"-fmad", Takes::kSwitch},
    {"-Xptxas", Takes::kAssembler},
    {"--ptxas-options", Takes::kAssembler},
    {"-lineinfo", Takes::kNothing},
    {"--generate-line-info", Takes::kNothing},
    {"-G", Takes::kNothing},
    {"--device-debug", Takes::kNothing},
    {"-g", Takes::kNothing},
    {"-w", Takes::kNothing},
    {"--disable-warnings", Takes::kNothing},
    {"-use_fast_math", Takes::kNothing},
    {"-extra-device-vectorization", Takes::kNothing},
    {"-expt-relaxed-constexpr", Takes::kNothing},
    {"-expt-extended-lambda", Takes::kNothing},
    {"-extended-lambda", Takes::kNothing},
    {"-restrict", Takes::kNothing},
    {"-default-device", Takes::kNothing},
    {"--device-as-default-execution-space", Takes::kNothing},
    {"--device-int128", Takes::kNothing},
};

constexpr std::string_view kValueSigns = "_ ()+-*/%<>=!&|^~?:.{}[]',";  // beside letters and digits

bool is_of(std::string_view text, std::string_view signs) {
  return std::ranges::all_of(text, [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || signs.find(c) != std::string_view::npos;
  });
}

bool is_number(std::string_view text) {
  const auto number = parse_int(text);
  return number && *number >= 0 && *number <= 100000;
}

bool is_name(std::string_view text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 && is_of(text, "_");
}

/// "NAME", "NAME=VALUE" or "NAME(X)=VALUE".
bool is_definition(std::string_view text) {
  const std::string_view head = text.substr(0, text.find_first_of("=("));
  return is_name(head) && is_of(text, kValueSigns);
}

/// Of ptxas: what it says, how much it optimises and how loads are cached.
bool is_of_assembler(std::string_view text) {
  if (text == "-v" || text == "--verbose" || text == "--warn-on-spills" || text == "--warn-on-local-memory-usage")
    return true;
  for (const std::string_view start : {"-O", "--opt-level=", "-maxrregcount=", "--maxrregcount="}) {
    if (text.starts_with(start)) return is_number(text.substr(start.size()));
  }
  for (const std::string_view start :
       {"-dlcm=", "-dscm=", "--def-load-cache=", "--def-store-cache=", "--allow-expensive-optimizations="}) {
    if (text.starts_with(start)) return is_of(text.substr(start.size()), "");
  }
  return false;
}

/// The value as the compiler gets it; nothing where it is none that a file may give.
std::optional<std::string> accepted(Takes takes, const std::string& value, const std::string& folder) {
  const auto when = [&](bool good) { return good ? std::optional(value) : std::nullopt; };
  switch (takes) {
    case Takes::kDefinition: return when(is_definition(value));
    case Takes::kName: return when(is_name(value));
    case Takes::kArch: return when(check_arch(value).ok());
    case Takes::kStandard: return when(value.starts_with("c++") && is_of(value.substr(3), ""));
    case Takes::kNumber: return when(is_number(value));
    case Takes::kSwitch: return when(value == "true" || value == "false");
    case Takes::kAssembler: return when(is_of_assembler(value));
    case Takes::kFolder: {
      const std::string path = path_from(folder, value);
      const bool good = !value.empty() && is_within(folder, path) && is_of(path, "_-./+=@ ");
      return good ? std::optional(path) : std::nullopt;
    }
    case Takes::kNothing: break;
  }
  return std::nullopt;
}

/// How far `option` spells `known`: the length of the name in it, 0 where it does not.
size_t spelt(const Known& known, std::string_view option) {
  if (option.starts_with(known.name)) return known.name.size();
  const bool may_double = known.name.size() > 2 && known.name[1] != '-';
  if (may_double && option.starts_with('-') && option.substr(1).starts_with(known.name)) return known.name.size() + 1;
  return 0;
}

struct Match {
  const Known* known;
  size_t name_bytes;
};

std::optional<Match> find(std::string_view option) {
  for (const Known& known : kKnown) {
    const size_t bytes = spelt(known, option);
    if (bytes == 0) continue;
    const std::string_view rest = option.substr(bytes);
    const bool is_letter = known.name.size() == 2 && known.takes != Takes::kNothing;  // -DNAME, -Ifolder, -O3
    if (rest.empty() || (known.takes != Takes::kNothing && rest.starts_with('=')) || is_letter)
      return Match{&known, bytes};
  }
  return std::nullopt;
}

Status refused(size_t number, const std::string& option) {
  return invalid_input(
      fmt::format("options[{}]: '{}' is refused in a file, because options can run programs and write files. A file "
                  "may give -D, -I within its folder, -arch, -O, -lineinfo, -std and floating-point options. Give "
                  "others on the command line: --option={}",
                  number, option, option));
}

}  // namespace

Result<std::vector<std::string>> carried_options(const std::vector<std::string>& options, const std::string& folder) {
  std::vector<std::string> out;
  for (size_t i = 0; i < options.size(); ++i) {
    const std::string& option = options[i];
    const std::optional<Match> match = find(option);
    if (!match) return refused(i, option);
    const Takes takes = match->known->takes;
    if (takes == Takes::kNothing) {
      out.push_back(option);
      continue;
    }
    const bool apart = option.size() == match->name_bytes;  // "-I folder" is two options
    if (apart && i + 1 == options.size()) return refused(i, option);
    std::string value = apart ? options[++i] : option.substr(match->name_bytes);
    const std::string name = option.substr(0, match->name_bytes), link = value.starts_with('=') ? "=" : "";
    const std::optional<std::string> good = accepted(takes, value.substr(link.size()), folder);
    if (!good) return refused(apart ? i - 1 : i, apart ? option + " " + value : option);
    if (apart) out.push_back(name);
    out.push_back(apart ? *good : name + link + *good);
  }
  return out;
}

bool is_safe_for_nvcc(const std::string& text) { return text.find_first_of("$`\n") == std::string::npos; }

}  // namespace warplens::compile
