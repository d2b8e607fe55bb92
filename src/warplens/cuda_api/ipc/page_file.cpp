#include "warplens/cuda_api/ipc/page_file.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "warplens/base/text.h"

namespace warplens::cuda_api {
namespace {

constexpr uint64_t kMostAtOnce = uint64_t{1} << 30;  // of read and write, which move less than 2 GiB a call

template <typename Move>
bool move_all(uint64_t size_bytes, Move move) {
  for (uint64_t done = 0; done < size_bytes;) {
    const ssize_t moved = move(done, std::min(size_bytes - done, kMostAtOnce));
    if (moved < 0 && errno == EINTR) continue;
    if (moved <= 0) return false;
    done += static_cast<uint64_t>(moved);
  }
  return true;
}

}  // namespace

Result<PageFile> PageFile::make(uint64_t size_bytes) {
  const int descriptor = ::memfd_create("warplens-device-memory", MFD_CLOEXEC);
  if (descriptor < 0) return io_error(fmt::format("no memory file can be made: {}", std::strerror(errno)));
  PageFile file(descriptor);
  if (::ftruncate(descriptor, static_cast<off_t>(size_bytes)) != 0)
    return io_error(fmt::format("a memory file of {} bytes cannot be made: {}", size_bytes, std::strerror(errno)));
  return file;
}

Result<PageFile> PageFile::own(int descriptor, uint64_t size_bytes) {
  PageFile file(descriptor);
  struct stat known = {};
  if (::fstat(descriptor, &known) != 0 || static_cast<uint64_t>(known.st_size) < size_bytes)
    return invalid_input("it is not a file of device memory of that size");  // reading past its end would be fatal
  return file;
}

PageFile::~PageFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Status PageFile::show(simt::Address address, uint64_t size_bytes, uint64_t offset) const {
  const void* shown = ::mmap(reinterpret_cast<void*>(address), size_bytes, PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_FIXED, descriptor_, static_cast<off_t>(offset));
  if (shown == MAP_FAILED)
    return io_error(fmt::format("{} bytes cannot be mapped: {}", size_bytes, std::strerror(errno)));
  return {};
}

bool PageFile::write(const void* bytes, uint64_t size_bytes, uint64_t offset) const {
  return move_all(size_bytes, [&](uint64_t done, uint64_t now) {
    return ::pwrite(descriptor_, static_cast<const char*>(bytes) + done, now, static_cast<off_t>(offset + done));
  });
}

bool PageFile::read(void* bytes, uint64_t size_bytes, uint64_t offset) const {
  return move_all(size_bytes, [&](uint64_t done, uint64_t now) {
    return ::pread(descriptor_, static_cast<char*>(bytes) + done, now, static_cast<off_t>(offset + done));
  });
}

void take_back_pages(simt::Address address, uint64_t size_bytes) {
  (void)::mmap(reinterpret_cast<void*>(address), size_bytes, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

}  // namespace warplens::cuda_api
