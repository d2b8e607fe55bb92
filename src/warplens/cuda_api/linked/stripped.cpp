#include "warplens/cuda_api/linked/stripped.h"

#include <algorithm>
#include <array>

#include "warplens/base/text.h"

namespace warplens::cuda_api {
namespace {

struct Package {
  std::string_view part, name, instead;
};
constexpr std::array kPackages = {
#define PACKAGE(part, name, instead) Package{part, name, instead},
#include "warplens/cuda_api/linked/packages.def"
#undef PACKAGE
};

}  // namespace

std::string about_stripped(std::string_view file) {
  const auto* known =
      std::ranges::find_if(kPackages, [&](const Package& package) { return contains(file, package.part); });
  if (known != kPackages.end())
    return fmt::format("{} ({}) has its own copy of the CUDA runtime without a symbol table, which is not emulated: {}",
                       known->name, file, known->instead);
  return fmt::format(
      "{} has its own copy of the CUDA runtime without a symbol table, which is not emulated: link it without -s and "
      "do not strip it, or link it with -cudart shared",
      file);
}

}  // namespace warplens::cuda_api
