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
    return fmt::format(
        "{} ({}) has its own copy of the CUDA runtime, but no symbol table, so it cannot be emulated. {}", known->name,
        file, known->instead);
  const bool of_package = contains(file, "/site-packages/") || contains(file, "/dist-packages/");
  return fmt::format("{} has its own copy of the CUDA runtime, but no symbol table, so it cannot be emulated. {}", file,
                     of_package
                         ? "Its package is built this way: use its version for the CPU here, or run this part on a GPU"
                         : "Link it without -s and do not strip it, or link it with -cudart shared");
}

}  // namespace warplens::cuda_api
