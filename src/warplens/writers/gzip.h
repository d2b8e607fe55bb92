// Compression of written data.
#pragma once
#include <memory>
#include <string_view>

#include "warplens/base/byte_sink.h"
#include "warplens/base/status.h"

struct z_stream_s;

namespace warplens::writers {

/// One gzip member, passed on to `to` as it is made.
class GzipWriter {
 public:
  static Result<GzipWriter> start(ByteSink to);
  Status write(std::string_view bytes);
  Status finish();  // the member is whole only after it

 private:
  struct End {
    void operator()(z_stream_s* stream) const;
  };
  using Stream = std::unique_ptr<z_stream_s, End>;
  GzipWriter(Stream stream, ByteSink to) : stream_(std::move(stream)), to_(std::move(to)) {}
  Status deflate_all(std::string_view bytes, int flush);
  Stream stream_;
  ByteSink to_;
};

}  // namespace warplens::writers
