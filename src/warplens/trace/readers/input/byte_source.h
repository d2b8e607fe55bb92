// A stream of bytes, and the layers that can stand on one another: a file, gzip, Zstandard.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "warplens/base/status.h"

namespace warplens {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Writes up to `size` bytes to `to` and returns how many; 0 at the end, and where the source is broken.
  virtual size_t read(char* to, size_t size) = 0;
  /// What broke the source, once read() has returned 0; ok at a proper end.
  virtual Status damage() const { return {}; }
  /// Bytes of the file that these were unpacked from, through all layers; nothing where they were not.
  virtual std::optional<uint64_t> packed_bytes() const { return std::nullopt; }
};

/// A file, or standard input when `path` is "-".
Result<std::unique_ptr<ByteSource>> open_file(const std::string& path);
/// Decompressors of everything that `below` gives, several gzip members or Zstandard frames included.
std::unique_ptr<ByteSource> inflate_gzip(std::unique_ptr<ByteSource> below);
std::unique_ptr<ByteSource> inflate_zstd(std::unique_ptr<ByteSource> below);

bool looks_like_gzip(std::string_view head);
bool looks_like_zstd(std::string_view head);

}  // namespace warplens
