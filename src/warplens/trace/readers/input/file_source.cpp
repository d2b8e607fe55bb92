#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "warplens/base/open_input.h"
#include "warplens/base/text.h"
#include "warplens/trace/readers/input/byte_source.h"

namespace warplens {
namespace {

class FileSource final : public ByteSource {
 public:
  FileSource(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  ~FileSource() override {
    if (fd_ != STDIN_FILENO) ::close(fd_);
  }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  size_t read(char* to, size_t size) override {
    for (;;) {
      const ssize_t n = ::read(fd_, to, size);
      if (n >= 0) return static_cast<size_t>(n);
      if (errno == EINTR) continue;
      damage_ = io_error(fmt::format("{}: cannot read: {}", path_, std::strerror(errno)));
      return 0;
    }
  }
  Status damage() const override { return damage_; }

 private:
  int fd_;
  std::string path_;
  Status damage_;
};

}  // namespace

Result<std::unique_ptr<ByteSource>> open_file(const std::string& path) {
  WL_ASSIGN(const int fd, open_input(path));
  ::posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
  return std::unique_ptr<ByteSource>(std::make_unique<FileSource>(fd, path));
}

}  // namespace warplens
