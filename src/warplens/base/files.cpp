#include "warplens/base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace warplens {
namespace {

Status errno_status(const std::string& path, const char* action) {
  const int error = errno;
  return {error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
          fmt::format("{}: cannot {}: {}", path, action, std::strerror(error))};
}

Status write_all(int fd, std::string_view contents, const std::string& path) {
  while (!contents.empty()) {
    const ssize_t n = ::write(fd, contents.data(), contents.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno_status(path, "write");
    contents.remove_prefix(static_cast<size_t>(n));
  }
  return {};
}

}  // namespace

Result<std::string> read_file(const std::string& path) {
  const int fd = path == "-" ? 0 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return errno_status(path, "open");
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
  if (path == "-") return FileWriter(1, "standard output", "");
  std::error_code ignored;
  const auto kind = std::filesystem::status(path, ignored).type();
  if (kind == std::filesystem::file_type::directory) return io_error(path + ": is a directory");
  if (kind != std::filesystem::file_type::not_found && kind != std::filesystem::file_type::regular) {
    const int device = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);  // devices and pipes are written to, never replaced
    if (device < 0) return errno_status(path, "open");
    return FileWriter(device, path, "");
  }
  if (!overwrite && kind == std::filesystem::file_type::regular)
    return io_error(fmt::format("{}: exists already; give -f to overwrite it", path));
  static std::atomic<unsigned> writers = 0;  // threads of one process may write the same path
  std::string temporary = fmt::format("{}.{}.{}.tmp", path, ::getpid(), ++writers);
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return errno_status(path, "create");
  return FileWriter(fd, path, std::move(temporary));
}

FileWriter::FileWriter(FileWriter&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)), temporary_(std::move(other.temporary_)) {}

FileWriter::~FileWriter() {
  if (fd_ < 0 || fd_ == 1) return;
  ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Status FileWriter::write(std::string_view bytes) { return write_all(fd_, bytes, path_); }

Status FileWriter::commit() {
  if (temporary_.empty()) return {};
  Status status;
  if (::close(std::exchange(fd_, -1)) != 0) status = errno_status(path_, "close");
  if (status.ok() && ::rename(temporary_.c_str(), path_.c_str()) != 0) status = errno_status(path_, "rename");
  if (!status.ok()) ::unlink(temporary_.c_str());
  return status;
}

Result<MappedFile> MappedFile::open(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return errno_status(path, "open");
  struct stat info{};
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    ::close(fd);
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
  if (const std::string own = env("WARPLENS_CACHE"); !own.empty()) return own;
  if (const std::string xdg = env("XDG_CACHE_HOME"); !xdg.empty()) return xdg + "/warplens";
  const std::string home = env("HOME");
  std::error_code none;  // TMPDIR may name what is not there
  const std::string temporary = std::filesystem::temp_directory_path(none).string();
  return (!home.empty() ? home + "/.cache" : none ? "/tmp" : temporary) + "/warplens";
}

}  // namespace warplens
