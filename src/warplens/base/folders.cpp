#include "warplens/base/folders.h"

#include <algorithm>
#include <filesystem>

namespace warplens {

std::string path_from(const std::string& folder, const std::string& path) {
  return path.empty() || path.starts_with('/') || folder.empty() || folder == "." ? path : folder + "/" + path;
}

bool is_within(const std::string& folder, const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path outer = fs::weakly_canonical(fs::absolute(folder.empty() ? "." : folder, error), error);
  if (error) return false;
  const fs::path inner = fs::weakly_canonical(fs::absolute(path, error), error);
  if (error) return false;
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

}  // namespace warplens
