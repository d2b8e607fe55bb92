#include <lz4.h>
#include <zstd.h>

#include "warplens/base/text.h"
#include "warplens/isa/fatbin/fatbin.h"

namespace warplens::fatbin {
namespace {

constexpr uint64_t kMostBytes = uint64_t{1} << 30;  // what a damaged header may make us allocate

Status damaged(const Image& image, std::string_view why) {
  return invalid_input(fmt::format("fat binary: the {} image for {} cannot be unpacked: {}",
                                   image.packing == Packing::kZstd ? "zstd" : "LZ4", image.target(), why));
}

Result<size_t> unpack_zstd(const Image& image, std::string* out) {
  const size_t got = ZSTD_decompress(out->data(), out->size(), image.payload.data(), image.payload.size());
  if (ZSTD_isError(got) != 0) return damaged(image, ZSTD_getErrorName(got));
  return got;
}

Result<size_t> unpack_lz4(const Image& image, std::string* out) {
  const int got = LZ4_decompress_safe(image.payload.data(), out->data(), static_cast<int>(image.payload.size()),
                                      static_cast<int>(out->size()));
  if (got < 0) return damaged(image, fmt::format("the block breaks off near byte {}", -got));
  return static_cast<size_t>(got);
}

void trim_zeros(std::string* text) {
  const size_t last = text->find_last_not_of('\0');
  text->resize(last == std::string::npos ? 0 : last + 1);
}

}  // namespace

Result<std::string> unpack(const Image& image) {
  std::string out;
  if (image.packing == Packing::kNone) {
    out = image.payload;
  } else {
    if (image.unpacked_bytes > kMostBytes || image.payload.size() > kMostBytes) {
      return damaged(image, fmt::format("it claims to hold {} bytes", image.unpacked_bytes));
    }
    out.resize(image.unpacked_bytes);
    WL_ASSIGN(const size_t got, image.packing == Packing::kZstd ? unpack_zstd(image, &out) : unpack_lz4(image, &out));
    if (got != image.unpacked_bytes) {
      return damaged(image, fmt::format("{} bytes came out, {} were announced", got, image.unpacked_bytes));
    }
  }
  if (image.kind == Kind::kPtx) trim_zeros(&out);
  return out;
}

}  // namespace warplens::fatbin
