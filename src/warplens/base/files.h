// Files: whole reads, memory maps, atomic writes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "warplens/base/status.h"

namespace warplens {

/// The whole of a file, or of standard input when `path` is "-". A device, or a pipe that no shell made for this
/// process, is an error: it may never end.
Result<std::string> read_file(const std::string& path);

/// The error for a path that is neither a regular file nor a pipe which a shell handed over, such as /dev/fd/63.
Status check_regular(const std::string& path);

/// Writes a file that gets its name once it is complete, so a reader never sees half a file. "-" is standard output.
/// Without `overwrite`, an existing file is an error that names -f; with it, the new file keeps the old one's
/// permissions. A link at `path` is replaced; its target stays as it is.
Status write_file(const std::string& path, std::string_view contents, bool overwrite);

/// The error that `write_file` would give, as far as it can be predicted. Leaves nothing behind and changes nothing.
Status check_writable(const std::string& path, bool overwrite);

/// A file written piece by piece under the same rules: it appears under its name only when all of it was written.
class FileWriter {
 public:
  static Result<FileWriter> create(const std::string& path, bool overwrite);
  FileWriter(FileWriter&& other) noexcept;
  FileWriter& operator=(FileWriter&&) = delete;
  ~FileWriter();  // removes the file unless commit() was called
  Status write(std::string_view bytes);
  Status commit();

 private:
  /// Where the bytes go until commit(): a stream or a file without a name. On a file system without those, the file has
  /// a random name. New: the file `path_` must not exist.
  enum class Place : uint8_t { kStream, kUnnamedNew, kUnnamedOver, kNamedNew, kNamedOver };
  FileWriter(int fd, std::string path, Place place, std::string temporary = "")
      : fd_(fd), path_(std::move(path)), place_(place), temporary_(std::move(temporary)) {}
  Status name();
  int fd_ = -1;
  std::string path_;
  Place place_;
  std::string temporary_;  // a name to remove, where there is one
};

/// A read-only memory map of a whole file.
class MappedFile {
 public:
  static Result<MappedFile> open(const std::string& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();
  std::string_view bytes() const { return {data_, size_}; }
  /// Tells the kernel that [offset, offset + length) will not be read again, so that its pages can go.
  void release(size_t offset, size_t length) const;

 private:
  MappedFile(const char* data, size_t size) : data_(data), size_(size) {}
  const char* data_ = nullptr;
  size_t size_ = 0;
};

/// The directory for cached artefacts: WARPLENS_CACHE, else XDG_CACHE_HOME/warplens, else ~/.cache/warplens. A user
/// without a home directory gets a private folder among the temporary files.
std::string cache_directory();

/// Makes the folder `path` under cache_directory(), for this user alone. Error: somebody else owns the cache's folder
/// or may write to it, so its contents cannot be trusted.
Result<std::string> cache_folder(const std::string& path);

/// True if this user (or root) owns the file and nobody else may write to it.
bool is_own(const std::string& path);

}  // namespace warplens
