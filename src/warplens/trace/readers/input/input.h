// One input of a reader: its bytes with all compression peeled off, and a look at the first of them.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "warplens/base/status.h"
#include "warplens/trace/readers/input/byte_source.h"

namespace warplens {

class Input {
 public:
  /// Opens `path` ("-" is standard input) and looks through gzip and Zstandard, nested or not.
  static Result<Input> open(const std::string& path);
  /// An input of bytes in memory, for tests and fuzzers.
  static Input of_bytes(std::string name, std::string bytes);

  const std::string& name() const { return name_; }
  /// The first bytes (up to 64 KiB), which read() returns again.
  std::string_view head() const { return head_; }
  /// Fills `to` with `size` bytes, fewer only at the end.
  size_t read(char* to, size_t size);
  static constexpr size_t kMostBytes = size_t{4} << 30, kAnySize = SIZE_MAX - 1;
  /// The rest of the input, for formats that are read whole; damage() has the error that ended it. Error: too much.
  Result<std::string> read_all(size_t most_bytes = kMostBytes);
  /// The error that ended the input, once read() returned less than requested.
  Status damage() const { return source_->damage(); }
  /// True if the bytes are those of the file itself, so that it can be memory-mapped.
  bool is_plain_file() const { return plain_file_; }

 private:
  std::string name_, head_;
  size_t head_read_ = 0;
  std::unique_ptr<ByteSource> source_;
  bool plain_file_ = false;
};

}  // namespace warplens
