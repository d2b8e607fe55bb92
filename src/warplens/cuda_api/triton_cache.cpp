#include "warplens/cuda_api/triton_cache.h"

#include <cstdlib>
#include <filesystem>

#include "warplens/base/files.h"
#include "warplens/isa/ptx/inline_lines.h"

namespace warplens::cuda_api {
namespace {

namespace fs = std::filesystem;

fs::path cache_folder() {
  if (const char* const chosen = std::getenv("TRITON_CACHE_DIR")) return chosen;
  const char* const home = std::getenv("HOME");
  return fs::path(home != nullptr ? home : "/") / ".triton" / "cache";
}

}  // namespace

std::vector<std::string> ptx_of_triton(const std::string& kernel, std::string_view cubin) {
  std::vector<std::string> out;
  std::error_code error;
  for (fs::directory_iterator each(cache_folder(), error), end; !error && each != end; each.increment(error)) {
    const fs::path code = each->path() / (kernel + ".cubin");
    std::error_code none;
    if (fs::file_size(code, none) != cubin.size() || none) continue;
    if (const Result<std::string> bytes = read_file(code.string()); !bytes.ok() || *bytes != cubin) continue;
    Result<std::string> text = read_file(fs::path(code).replace_extension(".ptx").string());
    if (text.ok()) out.push_back(ptx::with_true_lines(std::move(*text)));
  }
  return out;
}

}  // namespace warplens::cuda_api
