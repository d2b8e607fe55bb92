#include "warplens/writers/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <string>

namespace warplens::writers {

void GzipWriter::End::operator()(z_stream_s* stream) const {
  deflateEnd(stream);
  delete stream;
}

Result<GzipWriter> GzipWriter::start(ByteSink to) {
  constexpr int kGzipWindow = 15 + 16, kLevel = 6, kMemory = 8;
  auto stream = std::make_unique<z_stream>();
  if (deflateInit2(stream.get(), kLevel, Z_DEFLATED, kGzipWindow, kMemory, Z_DEFAULT_STRATEGY) != Z_OK)
    return internal_error("zlib does not start");
  return GzipWriter(Stream(stream.release()), std::move(to));
}

Status GzipWriter::write(std::string_view bytes) {
  constexpr size_t kMost = 1 << 30;  // zlib counts in 32 bits
  for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), kMost)))
    WL_TRY(deflate_all(bytes.substr(0, kMost), Z_NO_FLUSH));
  return {};
}

Status GzipWriter::finish() { return deflate_all({}, Z_FINISH); }

Status GzipWriter::deflate_all(std::string_view bytes, int flush) {
  std::string piece(1 << 18, '\0');
  stream_->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream_->avail_in = static_cast<uInt>(bytes.size());
  do {
    stream_->next_out = reinterpret_cast<Bytef*>(piece.data());
    stream_->avail_out = static_cast<uInt>(piece.size());
    deflate(stream_.get(), flush);
    const size_t made = piece.size() - stream_->avail_out;
    if (made != 0) WL_TRY(to_(std::string_view(piece).substr(0, made)));
  } while (stream_->avail_out == 0);
  return {};
}

}  // namespace warplens::writers
