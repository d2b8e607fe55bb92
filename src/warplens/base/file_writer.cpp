#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "warplens/base/files.h"
#include "warplens/base/open_input.h"
#include "warplens/base/printable.h"
#include "warplens/base/random_name.h"

namespace warplens {
namespace {

constexpr mode_t kNewFile = 0666;  // less what the umask takes
constexpr mode_t kPermissions = 0777;
constexpr int kTries = 100;  // of random names, until one is free

Status failed(const std::string& path, const char* action) {
  const int error = errno;
  return {error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
          fmt::format("{}: cannot {}: {}", printable(path), action, std::strerror(error))};
}

Status exists_already(const std::string& path) {
  return io_error(fmt::format("{}: exists already; give -f to overwrite it", printable(path)));
}

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

/// The name of an open file that has none in a folder yet.
std::string name_of_open(int fd) { return fmt::format("/proc/self/fd/{}", fd); }

/// A file without a name, which goes with the process that writes it; -1 where the file system has none.
int open_unnamed(const std::string& folder, mode_t mode) {
  const int fd = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
  if (fd >= 0 && ::access(name_of_open(fd).c_str(), F_OK) == 0) return fd;
  if (fd >= 0) ::close(fd);  // without /proc it could never get a name
  return -1;
}

std::string temporary_name(const std::string& path) { return fmt::format("{}.{}.tmp", path, random_name()); }

/// A new file beside `path` that nobody could foresee: a link planted under its name is never followed.
int open_beside(const std::string& path, mode_t mode, std::string& temporary) {
  for (int i = 0; i < kTries; ++i) {
    temporary = temporary_name(path);
    const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

/// A device or a pipe, which is written to and never replaced. Someone may put a file there before it is open.
Result<int> open_stream(const std::string& path) {
  const auto check = [&](const struct stat& info) {
    if (S_ISREG(info.st_mode)) return io_error(path + ": was replaced while it was opened; try again");
    const bool is_foreign = S_ISFIFO(info.st_mode) && !is_of_this_user(info) && !is_handed_over(path);
    return is_foreign ? io_error(path + ": is a pipe of another user; give another name") : Status();
  };
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return failed(path, "open");
  WL_TRY(check(info));  // opening waits for who reads the pipe
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) return failed(path, "open");
  Status status = ::fstat(fd, &info) != 0 ? failed(path, "open") : check(info);
  if (status.ok()) return fd;
  ::close(fd);
  return status;
}

/// True if the new file takes the permissions of what stands at `path`: not if somebody else put that there.
bool keeps_permissions(const std::string& path) {
  struct stat entry{};
  return ::lstat(path.c_str(), &entry) == 0 && is_of_this_user(entry);
}

}  // namespace

Status write_file(const std::string& path, std::string_view contents, bool overwrite) {
  WL_ASSIGN(FileWriter writer, FileWriter::create(path, overwrite));
  WL_TRY(writer.write(contents));
  return writer.commit();
}

Status check_writable(const std::string& path, bool overwrite) {
  std::error_code ignored;
  const auto kind = std::filesystem::status(path, ignored).type();
  using Type = std::filesystem::file_type;
  // A pipe's reader would take opening and closing for its end.
  if (path == "-" || (kind != Type::not_found && kind != Type::regular && kind != Type::directory)) return {};
  return FileWriter::create(path, overwrite).status();
}

Result<FileWriter> FileWriter::create(const std::string& path, bool overwrite) {
  if (path == "-") return FileWriter(1, "standard output", Place::kStream);
  struct stat there{};
  const bool exists = ::stat(path.c_str(), &there) == 0;
  if (exists && S_ISDIR(there.st_mode)) return io_error(path + ": is a directory");
  if (exists && !S_ISREG(there.st_mode)) {
    WL_ASSIGN(const int stream, open_stream(path));
    return FileWriter(stream, path, Place::kStream);
  }
  if (exists && !overwrite) return exists_already(path);
  const bool keeps = exists && keeps_permissions(path);
  const mode_t mode = keeps ? there.st_mode & kPermissions : kNewFile;
  Place place = overwrite ? Place::kUnnamedOver : Place::kUnnamedNew;
  std::string temporary;
  int fd = open_unnamed(folder_of(path), mode);
  if (fd < 0) {
    place = overwrite ? Place::kNamedOver : Place::kNamedNew;
    fd = open_beside(path, mode, temporary);
  }
  if (fd < 0) return failed(path, "create");
  FileWriter writer(fd, path, place, std::move(temporary));
  if (keeps && ::fchmod(fd, mode) != 0) return failed(path, "keep the permissions");
  return writer;
}

FileWriter::FileWriter(FileWriter&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      path_(std::move(other.path_)),
      place_(other.place_),
      temporary_(std::move(other.temporary_)) {}

FileWriter::~FileWriter() {
  if (fd_ < 0 || fd_ == 1) return;
  ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Status FileWriter::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failed(path_, "write");
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return {};
}

/// Gives the file its name. What stands under it is replaced only where that was asked for.
Status FileWriter::name() {
  const auto link_as = [&](const std::string& name) {
    return ::linkat(AT_FDCWD, name_of_open(fd_).c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
  };
  if (place_ == Place::kUnnamedNew || place_ == Place::kNamedNew) {
    const bool named = place_ == Place::kUnnamedNew
                           ? link_as(path_)
                           : ::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, path_.c_str(), RENAME_NOREPLACE) == 0;
    if (named) return {};
    if (errno != EEXIST && errno != EINVAL) return failed(path_, "name");
    // A link that leads nowhere stands in the way; it is no file that could be lost.
    std::error_code ignored;
    if (std::filesystem::exists(path_, ignored)) return exists_already(path_);
  }
  for (int i = 0; temporary_.empty(); ++i) {
    const std::string name = temporary_name(path_);
    if (link_as(name)) temporary_ = name;
    else if (errno != EEXIST || i == kTries) return failed(path_, "name");
  }
  return ::rename(temporary_.c_str(), path_.c_str()) == 0 ? Status() : failed(path_, "rename");
}

Status FileWriter::commit() {
  if (place_ == Place::kStream) return {};
  Status status;
  // Otherwise a file that is there after a power failure may be empty.
  if (::fsync(fd_) != 0 && errno != EINVAL) status = failed(path_, "write");
  if (status.ok()) status = name();
  if (status.ok()) temporary_.clear();
  if (::close(std::exchange(fd_, -1)) != 0 && status.ok()) status = failed(path_, "close");
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  return status;
}

}  // namespace warplens
