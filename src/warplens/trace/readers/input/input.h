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
  /// The first bytes (up to 64 KiB), which read() gives again.
  std::string_view head() const { return head_; }
  /// Fills `to` with `size` bytes, fewer only at the end.
  size_t read(char* to, size_t size);
  static constexpr size_t kMostBytes = size_t{4} << 30, kAnySize = SIZE_MAX - 1;
  /// All that is left, for formats that have to be seen whole; what broke it is in damage(). Error: more than that.
  Result<std::string> read_all(size_t most_bytes = kMostBytes);
  /// What broke the input, once read() gave less than asked.
  Status damage() const { return source_->damage(); }
  /// Whether the bytes are those of the file itself, so that it can be memory-mapped.
  bool is_plain_file() const { return plain_file_; }

 private:
  std::string name_, head_;
  size_t head_read_ = 0;
  std::unique_ptr<ByteSource> source_;
  bool plain_file_ = false;
};

}  // namespace warplens
