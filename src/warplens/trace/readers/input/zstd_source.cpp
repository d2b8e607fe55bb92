#include <zstd.h>

#include "warplens/trace/readers/input/decompressor.h"

namespace warplens {
namespace {

class ZstdSource final : public Decompressor {
 public:
  explicit ZstdSource(std::unique_ptr<ByteSource> below)
      : Decompressor(std::move(below), ZSTD_DStreamInSize(), "Zstandard"), stream_(ZSTD_createDStream()) {
    ZSTD_DCtx_setParameter(stream_.get(), ZSTD_d_windowLogMax, 31);  // files made with --long
  }

  size_t read(char* to, size_t size) override {
    ZSTD_outBuffer out{to, size, 0};
    while (size > 0 && out.pos == 0 && !ended()) {
      if (in_.pos == in_.size && !next_input()) break;
      const size_t code = ZSTD_decompressStream(stream_.get(), &out, &in_);
      if (ZSTD_isError(code)) {
        end_damaged(in_.size - in_.pos, fmt::format(": {}", ZSTD_getErrorName(code)));
      } else {
        inside_frame_ = code != 0;
      }
    }
    return give(out.pos);
  }

 private:
  struct Free {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };

  bool next_input() {
    const std::string_view input = refill(inside_frame_);
    in_ = {input.data(), input.size(), 0};
    return !input.empty();
  }

  std::unique_ptr<ZSTD_DStream, Free> stream_;
  ZSTD_inBuffer in_{nullptr, 0, 0};
  bool inside_frame_ = false;
};

}  // namespace

bool looks_like_zstd(std::string_view head) { return head.starts_with("\x28\xb5\x2f\xfd"); }

std::unique_ptr<ByteSource> inflate_zstd(std::unique_ptr<ByteSource> below) {
  return std::make_unique<ZstdSource>(std::move(below));
}

}  // namespace warplens
