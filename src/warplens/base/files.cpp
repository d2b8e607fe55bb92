#include "warplens/base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "warplens/base/growth.h"
#include "warplens/base/open_input.h"
#include "warplens/base/printable.h"

namespace warplens {
namespace {

Status errno_status(const std::string& path, const char* action) {
  const int error = errno;
  return {error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
          fmt::format("{}: cannot {}: {}", printable(path), action, std::strerror(error))};
}

bool is_own(const struct stat& info) { return is_of_this_user(info) && (info.st_mode & (S_IWGRP | S_IWOTH)) == 0; }

Status check_input(const std::string& path, const struct stat& info) {
  constexpr int64_t kBlock = 512, kSmall = kFreeBytes, kGrowth = kMostGrowth;
  if (S_ISREG(info.st_mode) && info.st_size > kSmall && info.st_size / kGrowth > info.st_blocks * kBlock)
    return invalid_input(fmt::format("{}: is a sparse file: only {} of its {} bytes hold data; copy it again",
                                     printable(path), info.st_blocks * kBlock, info.st_size));
  if (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode) || (S_ISFIFO(info.st_mode) && is_handed_over(path))) return {};
  return invalid_input(printable(path) + ": is a device or a pipe, which may never end; give a regular file");
}

}  // namespace

bool is_handed_over(const std::string& path) {
  for (const char* folder : {"/dev/fd/", "/proc/self/fd/", "/dev/std"}) {
    if (path.starts_with(folder)) return true;
  }
  return false;
}

bool is_of_this_user(const struct stat& info) { return info.st_uid == ::geteuid() || info.st_uid == 0; }

Result<int> open_input(const std::string& path) {
  if (path == "-") return STDIN_FILENO;
  const int wait = is_handed_over(path) ? 0 : O_NONBLOCK;  // another pipe is refused, not waited for
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | wait);
  if (fd < 0) return errno_status(path, "open");
  struct stat info{};
  Status status = ::fstat(fd, &info) != 0 ? errno_status(path, "read") : check_input(path, info);
  if (status.ok()) return fd;
  ::close(fd);
  return status;
}

Status check_regular(const std::string& path) {
  struct stat info{};
  return path == "-" || ::stat(path.c_str(), &info) != 0 ? Status() : check_input(path, info);
}

Result<std::string> read_file(const std::string& path) {
  WL_ASSIGN(const int fd, open_input(path));
  std::string contents;
  struct stat info{};
  if (::fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) contents.reserve(static_cast<size_t>(info.st_size) + 1);
  Status status;
  for (char buffer[1 << 16];;) {
    const ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) status = errno_status(path, "read");
    if (n <= 0) break;
    contents.append(buffer, static_cast<size_t>(n));
  }
  if (fd != 0) ::close(fd);
  if (!status.ok()) return status;
  return contents;
}

Result<MappedFile> MappedFile::open(const std::string& path) {
  WL_ASSIGN(const int fd, open_input(path));
  struct stat info{};
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    if (fd != STDIN_FILENO) ::close(fd);
    return io_error(path + ": not a regular file");
  }
  const size_t size = static_cast<size_t>(info.st_size);
  if (size == 0) {
    ::close(fd);
    return MappedFile(nullptr, 0);
  }
  void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  ::close(fd);
  if (data == MAP_FAILED) return errno_status(path, "map");
  return MappedFile(static_cast<const char*>(data), size);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<char*>(data_), size_);
}

void MappedFile::release(size_t offset, size_t length) const {
  const size_t page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  const size_t begin = (offset + page - 1) / page * page, end = std::min(offset + length, size_) / page * page;
  if (end > begin) ::madvise(const_cast<char*>(data_) + begin, end - begin, MADV_DONTNEED);
}

std::string cache_directory() {
  const auto env = [](const char* name) {
    const char* v = std::getenv(name);
    return std::string(v ? v : "");
  };
  const auto folder = [&env](const char* name) {  // a relative one would be another in each folder
    const std::string path = env(name);
    return path.starts_with('/') ? path : "";
  };
  if (const std::string own = env("WARPLENS_CACHE"); !own.empty()) return own;
  if (const std::string xdg = folder("XDG_CACHE_HOME"); !xdg.empty()) return xdg + "/warplens";
  if (const std::string home = folder("HOME"); !home.empty()) return home + "/.cache/warplens";
  std::error_code none;  // TMPDIR may name what is not there
  const std::string temporary = std::filesystem::temp_directory_path(none).string();
  return fmt::format("{}/warplens-{}", none ? "/tmp" : temporary, ::geteuid());
}

bool is_own(const std::string& path) {
  struct stat info{};
  return ::lstat(path.c_str(), &info) == 0 && !S_ISLNK(info.st_mode) && is_own(info);
}

Result<std::string> cache_folder(const std::string& path) {
  const std::string root = cache_directory(), folder = root + "/" + path;
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(root).parent_path(), error);
  if (::mkdir(root.c_str(), 0700) != 0 && errno != EEXIST) return errno_status(root, "create the cache's folder");
  struct stat info{};  // of what a link leads to: a link may be the user's own wish, the folder is what counts
  if (::stat(root.c_str(), &info) != 0 || !S_ISDIR(info.st_mode))
    return io_error(root + ": is not a folder for a cache");
  if (!is_own(info))
    return io_error(root +
                    ": not used as a cache, because another user owns it or may write to it; run chmod 700 on it, or "
                    "set WARPLENS_CACHE to another folder");
  std::filesystem::create_directories(folder, error);
  if (error) return io_error(fmt::format("{}: cannot create the cache's folder: {}", folder, error.message()));
  return folder;
}

}  // namespace warplens
