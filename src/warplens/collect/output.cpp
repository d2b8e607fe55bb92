#include "warplens/collect/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "warplens/base/output_name.h"
#include "warplens/collect/process/own_descriptor.h"

namespace warplens::collect {
namespace {

constexpr int kMaxNames = 100'000;

/// "run.wlens", 2 -> "run.2.wlens".
std::string numbered(const std::string& path, int number) {
  if (number == 1) return path;
  const size_t dot = path.rfind('.'), slash = path.rfind('/');
  const bool has_ending = dot != std::string::npos && (slash == std::string::npos || dot > slash);
  const size_t at = has_ending ? dot : path.size();
  return path.substr(0, at) + "." + std::to_string(number) + path.substr(at);
}

/// Which file a descriptor is of; zeros where it is closed.
std::pair<uint64_t, uint64_t> file_of(int fd) {
  struct stat there{};
  if (::fstat(fd, &there) != 0) return {0, 0};
  return {there.st_dev, there.st_ino};
}

}  // namespace

Output::Output(std::string pattern, uint64_t ring_ns, size_t kept_bytes, bool several_files)
    : pattern_(std::move(pattern)), ring_ns_(ring_ns), kept_limit_(kept_bytes), several_files_(several_files) {}

Output::~Output() {
  if (fd_ >= 0) ::close(fd_);
}

int Output::create() {
  const std::string wanted = expand_output_name(pattern_);
  for (int number = 1; number < kMaxNames; ++number) {
    path_ = numbered(wanted, number);
    const int fd = own_descriptor(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644));
    if (fd >= 0) {
      file_ = file_of(fd);
      blocks_ = {};
      const stream::FileHeader header = stream::file_header();
      if (write_all(fd, {reinterpret_cast<const char*>(&header), sizeof header})) return fd;
      ::close(fd);
      return -1;
    }
    if (errno != EEXIST) break;
  }
  failure_ = path_ + ": " + std::strerror(errno);
  return -1;
}

bool Output::write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      failure_ = path_ + ": " + std::strerror(written < 0 ? errno : ENOSPC);
      return false;
    }
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

void Output::open() {
  if (opened_) return;
  opened_ = true;
  if (is_ring() || several_files_) return;
  fd_ = create();
  if (fd_ < 0) return;
  write_definitions();
  for (const Block& block : events_) {
    if (!failure_.empty() || !write_block(fd_, block.bytes)) break;
  }
  definitions_.clear();
  events_.clear();
  kept_bytes_ = 0;
}

void Output::write_definitions() {
  for (const std::string& block : definitions_) {
    if (!write_block(fd_, block)) break;
  }
}

bool Output::begin_file(const std::string& path) {
  end_file();
  pattern_ = path;
  failure_.clear();
  fd_ = create();
  if (fd_ >= 0) write_definitions();
  return failure_.empty();
}

void Output::end_file() {
  if (fd_ < 0) return;
  if (failure_.empty() && still_has_file()) write_all(fd_, blocks_.totals());
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

bool Output::still_has_file() {
  if (file_of(fd_) == file_) return true;
  fd_ = -1;  // whatever has the number now is the program's
  failure_ = path_ + ": the program closed the recorder's file";
  return false;
}

void Output::put(stream::BlockKind kind, std::string_view block, uint64_t, uint64_t last_ns) {
  if (several_files_ && kind == stream::BlockKind::kDefinitions) definitions_.emplace_back(block);
  if (!failure_.empty() || (several_files_ && fd_ < 0)) return;
  if (fd_ < 0) return keep(kind, block, last_ns);
  if (still_has_file()) write_block(fd_, block);
}

void Output::keep(stream::BlockKind kind, std::string_view block, uint64_t last_ns) {
  if (kind == stream::BlockKind::kDefinitions) {
    definitions_.emplace_back(block);
    return;
  }
  events_.push_back({std::string(block), last_ns});
  kept_bytes_ += block.size();
  const auto too_old = [&] { return is_ring() && events_.front().last_ns + ring_ns_ < last_ns; };
  while (events_.size() > 1 && (kept_bytes_ > kept_limit_ || too_old())) {
    kept_bytes_ -= events_.front().bytes.size();
    events_.pop_front();
    ++overwritten_;
  }
}

uint64_t Output::take_overwritten() {
  const uint64_t count = overwritten_;
  overwritten_ = 0;
  return count;
}

std::string Output::dump() {
  const int fd = create();
  if (fd < 0) return "";
  bool good = true;
  for (const std::string& block : definitions_) good = good && write_block(fd, block);
  for (const Block& block : events_) good = good && write_block(fd, block.bytes);
  good = good && write_all(fd, blocks_.totals());
  ::close(fd);
  return good ? path_ : "";
}

}  // namespace warplens::collect
