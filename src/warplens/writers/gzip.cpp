#include "warplens/writers/gzip.h"

#include <zlib.h>

#include <algorithm>

namespace warplens::writers {

Result<std::string> gzip(std::string_view text) {
  constexpr int kGzipWindow = 15 + 16, kLevel = 6, kMemory = 8;
  constexpr size_t kPiece = 1 << 20;
  z_stream stream{};
  if (deflateInit2(&stream, kLevel, Z_DEFLATED, kGzipWindow, kMemory, Z_DEFAULT_STRATEGY) != Z_OK) return internal_error("zlib does not start");
  std::string out;
  std::string piece(kPiece, '\0');
  int state = Z_OK;
  do {
    const size_t take = std::min(text.size(), kPiece);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(take);
    text.remove_prefix(take);
    do {
      stream.next_out = reinterpret_cast<Bytef*>(piece.data());
      stream.avail_out = static_cast<uInt>(kPiece);
      state = deflate(&stream, text.empty() ? Z_FINISH : Z_NO_FLUSH);
      out.append(piece, 0, kPiece - stream.avail_out);
    } while (stream.avail_out == 0);
  } while (state != Z_STREAM_END);
  deflateEnd(&stream);
  return out;
}

}  // namespace warplens::writers
