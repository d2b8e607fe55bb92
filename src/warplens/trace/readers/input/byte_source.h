// A stream of bytes, and its possible layers: a file, gzip, Zstandard.
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
  /// The error that ended the source, once read() has returned 0; ok at a proper end.
  virtual Status damage() const { return {}; }
  /// Bytes of the compressed file, through all layers; nothing if it was not compressed.
  virtual std::optional<uint64_t> packed_bytes() const { return std::nullopt; }
};

/// A file, or standard input when `path` is "-".
Result<std::unique_ptr<ByteSource>> open_file(const std::string& path);
/// Decompressors of the whole of `below`, including several gzip members or Zstandard frames.
std::unique_ptr<ByteSource> inflate_gzip(std::unique_ptr<ByteSource> below);
std::unique_ptr<ByteSource> inflate_zstd(std::unique_ptr<ByteSource> below);

bool looks_like_gzip(std::string_view head);
bool looks_like_zstd(std::string_view head);

}  // namespace warplens
