// Files: whole reads, memory maps, atomic writes.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "warplens/base/status.h"

namespace warplens {

/// The whole of a file, or of standard input when `path` is "-".
Result<std::string> read_file(const std::string& path);

/// Writes beside `path` and renames, so that a reader never sees half a file. "-" is standard output.
/// Without `overwrite` an existing file is an error that names -f.
Status write_file(const std::string& path, std::string_view contents, bool overwrite);

/// The error that `write_file` would give, as far as it can be told before: nothing is left behind or changed.
Status check_writable(const std::string& path, bool overwrite);

/// A file written piece by piece under the same rules: it appears under its name only when all of it was written.
class FileWriter {
 public:
  static Result<FileWriter> create(const std::string& path, bool overwrite);
  FileWriter(FileWriter&& other) noexcept;
  FileWriter& operator=(FileWriter&&) = delete;
  ~FileWriter();  // without commit() nothing stays
  Status write(std::string_view bytes);
  Status commit();

 private:
  FileWriter(int fd, std::string path, std::string temporary)
      : fd_(fd), path_(std::move(path)), temporary_(std::move(temporary)) {}
  int fd_ = -1;
  std::string path_, temporary_;  // temporary_ is empty for standard output
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

/// The directory for cached artefacts: WARPLENS_CACHE, else XDG_CACHE_HOME/warplens, else ~/.cache/warplens.
std::string cache_directory();

}  // namespace warplens
