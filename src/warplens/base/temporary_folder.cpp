#include "warplens/base/temporary_folder.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace warplens {

Result<TemporaryFolder> TemporaryFolder::make() {
  std::error_code error;
  const std::filesystem::path base = std::filesystem::temp_directory_path(error);
  if (error) return io_error("no folder for temporary files: " + error.message() + "; set TMPDIR to one");
  std::string name = (base / "warplens-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr)
    return io_error(name + ": cannot create: " + std::strerror(errno) + "; set TMPDIR to a writable folder");
  return TemporaryFolder(name);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace warplens
