#include "warplens/base/installed.h"

#include <cstdlib>
#include <filesystem>

#include "warplens/base/text.h"

namespace warplens {

Result<std::string> find_installed(const Installed& wanted) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path own = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  std::vector<std::string> folders;
  for (const std::string& place : wanted.places) folders.push_back((own / place).lexically_normal().string());
  const char* chosen = wanted.variable != nullptr ? std::getenv(wanted.variable) : nullptr;
  if (chosen != nullptr) folders = {chosen};
  for (const std::string& folder : folders) {
    if (fs::exists(fs::path(folder) / wanted.file, ignored)) return fs::canonical(folder, ignored).string();
  }
  const std::string advice = wanted.variable != nullptr ? fmt::format("name their folder in {}", wanted.variable)
                                                        : std::string("build or install warplens again");
  return not_found(fmt::format("{} not in {}; {}", wanted.what, join(folders, " or "), advice));
}

}  // namespace warplens
